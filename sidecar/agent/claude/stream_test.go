package claude_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/claude"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

func TestStreamIsPlannedInAdditionToTheUsersFlags(t *testing.T) {
	o := agenttest.Launch(t, "claude", "-p", "--output-format=stream-json", "--settings", "own.json", "--", "x")
	plan, err := claude.Agent().Stream.Plan(&o)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(plan.Argv, " ")
	before, id, _ := strings.Cut(strings.TrimSuffix(got, " -- x"), " --session-id ")
	if want := "claude -p --output-format=stream-json --settings own.json --input-format stream-json --permission-prompt-tool stdio --verbose --include-partial-messages"; before != want || len(id) != 36 {
		t.Errorf("started as %s", got)
	}
	for _, variable := range []string{"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1", "CLAUDE_CODE_DISABLE_CRON=1", "CLAUDE_CODE_DISABLE_FILE_MENTIONS=1"} {
		if !slices.Contains(plan.Env, variable) {
			t.Errorf("%s is not set: %q", variable, plan.Env)
		}
	}
	o.Conversation = session
	o.Env = append(o.Env, "CLAUDE_CODE_DISABLE_CRON=0")
	plan, err = claude.Agent().Stream.Plan(&o)
	if got := strings.Join(plan.Argv, " "); err != nil || !strings.HasSuffix(got, "--resume "+session+" -- x") || strings.Contains(got, "--session-id") {
		t.Errorf("resumed as %s, %v", got, err)
	}
	if slices.Contains(plan.Env, "CLAUDE_CODE_DISABLE_CRON=1") {
		t.Error("the user's own choice was changed")
	}
}

func TestStreamGoesWithToolsAndHooks(t *testing.T) {
	o := agenttest.Launch(t, "claude", "--settings", `{"model":"opus"}`)
	o.Argv = agenttest.Prepare(t, claude.Agent(), o).Argv
	o.Argv = agenttest.GiveTools(t, claude.Agent(), o).Argv
	plan, err := claude.Agent().Stream.Plan(&o)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--settings", "--mcp-config=", "--allowedTools=mcp__sidecar__*", "--input-format"} {
		if !strings.Contains(strings.Join(plan.Argv, " "), want) {
			t.Errorf("%s is missing: %q", want, plan.Argv)
		}
	}
}

func TestStreamRefusesFlagsThatContradict(t *testing.T) {
	for _, flags := range [][]string{{"--resume", "x"}, {"-r"}, {"-c"}, {"--continue"}, {"--session-id=x"}, {"--fork-session"}, {"--input-format", "text"}, {"--output-format=json"}, {"--permission-prompt-tool", "mcp__x__y"}} {
		o := agenttest.Launch(t, append([]string{"claude"}, flags...)...)
		name, _, _ := strings.Cut(flags[0], "=")
		if plan, err := claude.Agent().Stream.Plan(&o); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "leave it out") {
			t.Errorf("%q: %q, %v", flags, plan.Argv, err)
		}
	}
}

func TestATurn(t *testing.T) {
	f := start(t)
	f.settled()
	id, err := f.peer.Open(t.Context(), peer.Conversation{})
	if id != session || err != nil {
		t.Fatalf("the conversation is %q, %v", id, err)
	}
	on := &events{permit: func(context.Context, peer.Action) (peer.Answer, error) { return peer.Answer{Allowed: true}, nil }}
	ends, message := f.prompt("/help me", on)
	content, _ := message.path("message", "content").([]any)
	if got := content[0].(map[string]any)["text"]; len(content) != 1 || got != " /help me" {
		t.Errorf("claude would take the message for a command: %v", content)
	}
	f.say(began())
	f.say(messageStart("m1"))
	f.say(words("Let me "))
	f.say(words("look."))
	f.say(wire{"type": "stream_event", "parent_tool_use_id": "sub", "event": wire{"type": "content_block_delta", "delta": wire{"type": "text_delta", "text": "a sub-agent's words"}}})
	f.say(wire{"type": "assistant", "parent_tool_use_id": nil, "message": wire{"id": "m1", "content": []wire{{"type": "text", "text": "Let me look."}}}})
	f.say(uses(nil, "t1", "Bash", wire{"command": "ls", "Command": "rm -rf /"}))
	f.say(mayUse("r1", "t1", "Bash", wire{"command": "ls", "Command": "rm -rf /"}))
	if answer := f.next(); answer.path("response", "request_id") != "r1" || answer.path("response", "response", "behavior") != "allow" || answer.path("response", "response", "updatedInput", "command") != "ls" {
		t.Errorf("the answer is %v", answer)
	}
	f.say(wire{"type": "user", "parent_tool_use_id": nil, "message": wire{"content": []wire{{"type": "tool_result", "tool_use_id": "t1", "content": "a.txt"}}}})
	f.say(result(wire{"total_cost_usd": 0.5}))
	e := await(t, ends)
	if e.err != nil || !e.OK || *e.Usage.Cost != 0.5 || *e.Usage.Input != 10 || e.Usage.Model != "claude-opus" {
		t.Errorf("the turn ended as %+v", e)
	}
	want := `say Let me look.
tool t1 Bash in_progress execute "Bash ls"
tool t1 Bash pending
permit t1 execute Bash "Bash ls" command="ls"
tool t1 Bash in_progress
tool t1 Bash completed output="a.txt"`
	if on.String() != want {
		t.Errorf("told:\n%s\nwant:\n%s", on, want)
	}
	if about := f.peer.About(); about.Version != "2.1.328" || !about.Resumes || about.Options[0].Value != "claude-opus" {
		t.Errorf("claude says of itself %+v", about)
	}
	// The cost is the process's: the second turn's is the difference.
	ends, _ = f.prompt("again", &events{})
	f.say(began())
	f.say(result(wire{"total_cost_usd": 0.75, "is_error": true, "result": "API Error: 400"}))
	if e := await(t, ends); e.OK || e.Reason != "API Error: 400" || *e.Usage.Cost != 0.25 {
		t.Errorf("the turn ended as %+v", e)
	}
}

func TestAnUnknownConversationIsForgotten(t *testing.T) {
	f := startWith(t, nil, "claude", "--resume", session)
	started := make(chan error, 1)
	go func() { started <- f.peer.Start(t.Context()) }()
	f.request("initialize")
	f.say(wire{"type": "result", "subtype": "error_during_execution", "is_error": true, "errors": []string{"No conversation found with session ID: " + session}})
	if err := await(t, started); !errors.Is(err, peer.ErrForgotten) {
		t.Errorf("the error is %v", err)
	}
}
