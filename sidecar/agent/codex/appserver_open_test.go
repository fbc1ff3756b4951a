package codex_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/codex"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

func TestTheBeginningOfAConnection(t *testing.T) {
	f := newFake(t)
	end := async(func() (struct{}, error) { return struct{}{}, f.peer.Start(t.Context()) })
	w := f.next("initialize")
	var hello struct {
		ClientInfo struct{ Name, Version string }
	}
	if err := json.Unmarshal(w.Params, &hello); err != nil || hello.ClientInfo.Name != "sidecar" || hello.ClientInfo.Version != "1.2.3" {
		t.Errorf("sent %s", w.Params)
	}
	f.replies(w, `{"userAgent":"sidecar/0.169.0 (Debian)"}`)
	f.next("initialized")
	f.replies(f.next("account/read"), `{"account":null,"requiresOpenaiAuth":true}`)
	if _, err := end(t); err == nil || !strings.Contains(err.Error(), "codex login") {
		t.Errorf("without a login: %v", err)
	}

	f = newFake(t)
	end = async(func() (struct{}, error) { return struct{}{}, f.peer.Start(t.Context()) })
	f.refuses(f.next("initialize"), "what?")
	if _, err := end(t); err == nil || !strings.Contains(err.Error(), "app-server") {
		t.Errorf("another program: %v", err)
	}

	f = newFake(t)
	end = async(func() (struct{}, error) { return struct{}{}, f.peer.Start(t.Context()) })
	f.next("initialize")
	f.peer.Close()
	if _, err := end(t); !errors.Is(err, peer.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestOptions(t *testing.T) {
	f := opened(t)
	want := []peer.Choice{
		{Key: "model", Name: "Model", Value: "big", Values: []string{"big", "small"}},
		{Key: "effort", Name: "Reasoning effort", Values: []string{"low", "high"}},
		{Key: "approval_policy", Name: "When codex asks", Values: []string{"on-request", "never"}},
		{Key: "sandbox", Name: "Sandbox", Value: "read-only", Values: []string{"read-only", "workspace-write", "danger-full-access"}},
	}
	if got := f.peer.About().Options; !slices.EqualFunc(got, want, func(a, b peer.Choice) bool {
		return a.Key == b.Key && a.Name == b.Name && a.Value == b.Value && slices.Equal(a.Values, b.Values)
	}) {
		t.Errorf("options %+v", got)
	}

	f = newFake(t, peer.Option{Key: "model", Value: "mine"}, peer.Option{Key: "effort", Value: "high"},
		peer.Option{Key: "approval_policy", Value: "never"}, peer.Option{Key: "sandbox", Value: "workspace-write"})
	if err := f.start(); err != nil {
		t.Fatal(err)
	}
	if got := f.peer.About().Options[0].Value; got != "mine" {
		t.Errorf("the model is %s", got)
	}
	end := async(func() (string, error) {
		return f.peer.Open(t.Context(), peer.Conversation{Tools: &peer.Server{Name: "ours", Argv: []string{"/s", "mcp"}, Env: []string{"A=b"}}})
	})
	w := f.next("thread/start")
	if want := `{"model":"mine","approvalPolicy":"never","sandbox":"workspace-write","config":{"mcp_servers.ours":{"args":["mcp"],"command":"/s","default_tools_approval_mode":"approve","env":{"A":"b"},"startup_timeout_sec":60,"tool_timeout_sec":600},"model_reasoning_effort":"high"}}`; string(w.Params) != want {
		t.Errorf("sent %s", w.Params)
	}
	f.refuses(w, "no")
	if _, err := end(t); err == nil || !strings.Contains(err.Error(), "opens no conversation: no") {
		t.Errorf("%v", err)
	}

	for want, o := range map[string][]peer.Option{
		"it has model, effort, approval_policy, sandbox":                 {{Key: "mode", Value: "x"}},
		"it has read-only, workspace-write, danger-full-access":          {{Key: "sandbox", Value: "none"}},
		"it has on-request, never":                                       {{Key: "approval_policy", Value: "untrusted"}},
		"it has low, high":                                               {{Key: "effort", Value: "endless"}},
		`the model "small" has no such value; it has low`:                {{Key: "model", Value: "small"}, {Key: "effort", Value: "high"}},
		`--agent-option model=: the agent has no such value; it has big`: {{Key: "model"}},
	} {
		if err := newFake(t, o...).start(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", o, err)
		}
	}
}

// A conversation that is resumed does what it was allowed when it began. What it may do now is what a new one
// may: its next turn is told, and those after it go on so.
func TestAResumedConversationMayDoNoMoreThanANewOne(t *testing.T) {
	f := newFake(t)
	if err := f.start(); err != nil {
		t.Fatal(err)
	}
	resume := func(answer func(w wire)) (string, error) {
		end := async(func() (string, error) { return f.peer.Open(t.Context(), peer.Conversation{ID: "t1"}) })
		w := f.next("thread/start")
		if want := `{"ephemeral":true,"config":{"mcp_servers.theirs.enabled":false}}`; string(w.Params) != want {
			t.Errorf("sent %s", w.Params)
		}
		f.replies(w, `{"thread":{"id":"probe"},`+policies+`}`)
		f.replies(f.next("thread/unsubscribe"), `{}`)
		w = f.next("thread/resume")
		if want := `{"threadId":"t1","excludeTurns":true,"cwd":"/work"}`; string(w.Params) != want {
			t.Errorf("sent %s", w.Params)
		}
		answer(w)
		return end(t)
	}
	id, err := resume(func(w wire) {
		// What codex repeats is of no turn.
		f.says(`{"method":"item/completed","params":{"threadId":"t1","turnId":"u0","item":{"type":"agentMessage","id":"m","text":"old"}}}`)
		f.says(`{"method":"thread/tokenUsage/updated","params":{"threadId":"t1","turnId":"u0","tokenUsage":{"total":{"inputTokens":100,"outputTokens":50},"last":{"inputTokens":9,"outputTokens":9}}}}`)
		f.replies(w, `{"thread":{"id":"t1"},"model":"other","approvalPolicy":"never","approvalsReviewer":"user","sandbox":{"type":"dangerFullAccess"}}`)
	})
	if id != "t1" || err != nil {
		t.Fatal(id, err)
	}
	for i, want := range []string{
		`{"threadId":"t1","input":[{"type":"text","text":"x"}],"model":"big","approvalPolicy":"on-request","approvalsReviewer":"user","sandboxPolicy":{"type":"readOnly","networkAccess":false}}`,
		`{"threadId":"t1","input":[{"type":"text","text":"x"}]}`,
	} {
		said := &story{}
		end := async(func() (peer.Ending, error) { return f.peer.Prompt(t.Context(), "t1", peer.Message{Text: "x"}, said) })
		w := f.next("turn/start")
		if string(w.Params) != want {
			t.Errorf("turn %d is sent %s", i, w.Params)
		}
		f.replies(w, `{"turn":{"id":"u1"}}`)
		f.says(`{"method":"turn/started","params":{"threadId":"t1","turn":{"id":"u1"}}}`)
		f.notes("thread/tokenUsage/updated", []string{
			`"tokenUsage":{"total":{"inputTokens":107,"outputTokens":53},"last":{"inputTokens":7,"outputTokens":3}}`, `"tokenUsage":{"total":{"inputTokens":120,"outputTokens":60}}`,
		}[i])
		f.completes("completed", "")
		if e, err := end(t); err != nil || usage(e.Usage) != []string{"7 3 big", "13 7 big"}[i] {
			t.Errorf("%v %v", usage(e.Usage), err)
		}
		said.expect(t, []string{"usage 7 3 big", "usage 13 7 big"}[i])
	}
}

// What is known already is not asked for again, and what a resumed conversation has used before is not the turn's.
func TestAConversationIsResumedBesideOthers(t *testing.T) {
	f := opened(t)
	end := async(func() (string, error) { return f.peer.Open(t.Context(), peer.Conversation{ID: "t0"}) })
	f.replies(f.next("thread/resume"), `{"thread":{"id":"t0"},`+policies+`}`)
	if id, err := end(t); id != "t0" || err != nil {
		t.Fatal(id, err)
	}
	said := &story{}
	turn := async(func() (peer.Ending, error) { return f.peer.Prompt(t.Context(), "t0", peer.Message{Text: "x"}, said) })
	w := f.next("turn/start")
	if want := `{"threadId":"t0","input":[{"type":"text","text":"x"}]}`; string(w.Params) != want {
		t.Errorf("sent %s", w.Params)
	}
	f.says(`{"method":"turn/started","params":{"threadId":"t0","turn":{"id":"u1"}}}`)
	f.replies(w, `{"turn":{"id":"u1"}}`)
	f.says(`{"method":"thread/tokenUsage/updated","params":{"threadId":"t0","turnId":"u1","tokenUsage":{"total":{"inputTokens":1000,"outputTokens":500},"last":{"inputTokens":10,"outputTokens":5}}}}`)
	f.says(`{"method":"turn/completed","params":{"threadId":"t0","turn":{"id":"u1","status":"completed"}}}`)
	if e, err := turn(t); err != nil || usage(e.Usage) != "10 5 big" {
		t.Errorf("%v, %v", usage(e.Usage), err)
	}
}

func TestAConversationThatCodexDoesNotKnow(t *testing.T) {
	f := opened(t)
	end := async(func() (string, error) { return f.peer.Open(t.Context(), peer.Conversation{ID: "gone"}) })
	f.refuses(f.next("thread/resume"), "no rollout found for thread id gone")
	w := f.next("thread/start")
	if string(w.Params) != `{}` {
		t.Errorf("sent %s", w.Params)
	}
	f.replies(w, `{"thread":{"id":"t2"},`+policies+`}`)
	if id, err := end(t); id != "t2" || err != nil {
		t.Errorf("%s, %v", id, err)
	}
	end = async(func() (string, error) { return f.peer.Open(t.Context(), peer.Conversation{}) })
	f.replies(f.next("thread/start"), `{"thread":{}}`)
	if _, err := end(t); err == nil || !strings.Contains(err.Error(), "without an id") {
		t.Errorf("%v", err)
	}
}

// The flags that codex app-server would not heed are given as settings, which count more than the user's own.
func TestHowAppServerIsStarted(t *testing.T) {
	const grace = "mcp_optional_startup_grace_ms=60000"
	for _, c := range []struct{ argv, want []string }{
		{[]string{"codex"}, []string{"codex", "-c", grace, "app-server"}},
		{[]string{"node", "/x/codex.js", "--no-daemon"}, []string{"node", "/x/codex.js", "-c", grace, "app-server"}},
		{[]string{"npx", "-y", "@openai/codex@1"}, []string{"npx", "-y", "@openai/codex@1", "-c", grace, "app-server"}},
		{
			[]string{"/opt/codex", "-c", "a=1", "-ca=2", "--config=a=3", "--enable", "x", "--disable=y", "--strict-config", "--no-alt-screen"},
			[]string{"/opt/codex", "-c", "a=1", "-ca=2", "--config=a=3", "--enable", "x", "--disable=y", "--strict-config", "-c", grace, "app-server"},
		},
		{[]string{"codex", "-c", "mcp_optional_startup_grace_ms=1"}, []string{"codex", "-c", "mcp_optional_startup_grace_ms=1", "app-server"}},
		{
			[]string{"codex", "-m", "o3", "--sandbox=read-only", "-anever", "--search", "--add-dir", "/x", "--add-dir=/y"},
			[]string{"codex", "-c", grace, "-c", `model="o3"`, "-c", `sandbox_mode="read-only"`, "-c", `approval_policy="never"`, "-c", `web_search="live"`, "-c", `sandbox_workspace_write.writable_roots=["/x","/y"]`, "app-server"},
		},
		{
			[]string{"codex", "--dangerously-bypass-approvals-and-sandbox"},
			[]string{"codex", "-c", grace, "-c", `approval_policy="never"`, "-c", `sandbox_mode="danger-full-access"`, "app-server"},
		},
	} {
		l := agenttest.Launch(t, c.argv...)
		plan, err := codex.Agent().Stream.Plan(&l)
		if err != nil || !slices.Equal(plan.Argv, c.want) {
			t.Errorf("%q is started as %q, %v", c.argv, plan.Argv, err)
		}
	}
	for want, argv := range map[string][]string{
		`"exec": --mode stream starts codex app-server`: {"codex", "-c", "a=1", "exec", "-"},
		`"app-server"`:                                     {"codex", "app-server"},
		`"fix it"`:                                         {"codex", "fix it"},
		"-p: codex app-server does not take it":            {"codex", "-p", "work"},
		"--cd: codex app-server does not take it":          {"codex", "--cd=/x"},
		`"--image": codex app-server does not take it`:     {"codex", "--image", "x"},
		`"-m" has no value`:                                {"codex", "-m"},
		`"--worktree": codex app-server does not take it;`: {"codex", "--worktree"},
	} {
		l := agenttest.Launch(t, argv...)
		if plan, err := codex.Agent().Stream.Plan(&l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is started as %q, %v", argv, plan.Argv, err)
		}
	}
}

// The tools that are given stay, whichever of the two plans is made first.
func TestAppServerIsGivenTools(t *testing.T) {
	a := codex.Agent()
	l := agenttest.Launch(t, "codex", "-m", "o3")
	plan, err := a.Stream.Plan(&l)
	if err != nil {
		t.Fatal(err)
	}
	l.Argv = plan.Argv
	given := agenttest.GiveTools(t, a, l).Argv
	if !slices.Contains(given, `mcp_servers.sidecar.default_tools_approval_mode="approve"`) || !slices.Contains(given, "app-server") {
		t.Errorf("started as %q", given)
	}
	l = agenttest.Launch(t, "codex", "-m", "o3")
	l.Argv = agenttest.GiveTools(t, a, l).Argv
	plan, err = a.Stream.Plan(&l)
	if err != nil || plan.Argv[len(plan.Argv)-1] != "app-server" || !slices.Contains(plan.Argv, `mcp_servers.sidecar.default_tools_approval_mode="approve"`) {
		t.Errorf("started as %q, %v", plan.Argv, err)
	}
}

// What is kept of conversations is bounded: the one that was opened first is not open any more.
func TestTheOldestConversationsAreForgotten(t *testing.T) {
	f := opened(t)
	open := func(id string) {
		end := async(func() (string, error) { return f.peer.Open(t.Context(), peer.Conversation{}) })
		f.replies(f.next("thread/start"), `{"thread":{"id":"`+id+`"},`+policies+`}`)
		if _, err := end(t); err != nil {
			t.Fatal(err)
		}
	}
	open("t2")
	for n := range 2*peer.MaxOpen - 2 {
		open(fmt.Sprint("more", n))
	}
	open("t1") // again: now the second one is the oldest
	open("last")
	if _, err := f.peer.Prompt(t.Context(), "t2", peer.Message{Text: "hello"}, &story{}); err == nil || !strings.Contains(err.Error(), "is not open") {
		t.Errorf("the oldest one: %v", err)
	}
	end := f.prompted(&story{})
	f.completes("completed", "")
	if e, err := end(t); !e.OK || err != nil {
		t.Errorf("one that was opened again: %+v, %v", e, err)
	}
}
