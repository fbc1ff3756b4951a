package claude_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// permitted has a turn ask for one tool, and returns the answer and what was told.
func permitted(t *testing.T, f *fake, on *events, tool string, input any) (answer wire, told string) {
	t.Helper()
	ends, _ := f.prompt("do it", on)
	f.say(began())
	f.say(uses(nil, "t1", tool, input))
	f.say(mayUse("r1", "t1", tool, input))
	answer = f.next()
	f.say(result(nil))
	if e := await(t, ends); e.err != nil || !e.OK {
		t.Errorf("the turn ended as %+v", e)
	}
	return answer, on.String()
}

func TestWhatIsAskedFor(t *testing.T) {
	for tool, c := range map[string]struct {
		input wire
		want  string
	}{
		"Read":         {wire{"file_path": "/work/a"}, `permit t1 read Read "Read /work/a" reads=["/work/a"]`},
		"Edit":         {wire{"file_path": "/work/a", "old_string": "x", "new_string": "y"}, `permit t1 edit Edit "Edit /work/a" writes=["/work/a"] diff=/work/a: "x" -> "y"`},
		"Write":        {wire{"file_path": "/work/a", "content": "z"}, `permit t1 edit Write "Write /work/a" writes=["/work/a"] diff=/work/a: "z"`},
		"MultiEdit":    {wire{"file_path": "/work/a", "edits": []wire{{"old_string": "1", "new_string": "2"}, {"old_string": "3", "new_string": "4"}}}, `permit t1 edit MultiEdit "MultiEdit /work/a" writes=["/work/a"] diff=/work/a: "1" -> "2" diff=/work/a: "3" -> "4"`},
		"NotebookEdit": {wire{"notebook_path": "/work/n.ipynb", "new_source": "s"}, `permit t1 edit NotebookEdit "NotebookEdit /work/n.ipynb" writes=["/work/n.ipynb"] diff=/work/n.ipynb: "s"`},
		"Glob":         {wire{"pattern": "*.go"}, `permit t1 search Glob "Glob *.go" reads=["/work"]`},
		"Grep":         {wire{"pattern": "x", "path": "/etc"}, `permit t1 search Grep "Grep x" reads=["/etc"]`},
		"WebFetch":     {wire{"url": "https://example.com/x"}, `permit t1 fetch WebFetch "WebFetch https://example.com/x" hosts=["https://example.com/x"]`},
		"ExitPlanMode": {wire{"plan": "1. do it"}, `permit t1 switch_mode ExitPlanMode "ExitPlanMode 1. do it"`},
		"Agent":        {wire{"description": "look", "prompt": "p"}, `permit t1 think Agent "Agent look"`},
		"mcp__x__y":    {wire{}, `permit t1 other mcp__x__y "mcp__x__y"`},
		// Without our server in the command, a server of that name is another's.
		"mcp__sidecar__acme_echo": {wire{}, `permit t1 other mcp__sidecar__acme_echo "mcp__sidecar__acme_echo"`},
	} {
		t.Run(tool, func(t *testing.T) {
			f := start(t)
			f.settled()
			on := &events{permit: func(context.Context, peer.Action) (peer.Answer, error) {
				return peer.Answer{Reason: "the rules say no"}, nil
			}}
			answer, told := permitted(t, f, on, tool, c.input)
			if answer.path("response", "response", "behavior") != "deny" || answer.path("response", "response", "message") != "the rules say no" || answer.path("response", "response", "interrupt") != nil {
				t.Errorf("the answer is %v", answer)
			}
			if !strings.Contains(told, c.want+"\n") && !strings.HasSuffix(told, c.want) {
				t.Errorf("told:\n%s\nwant:\n%s", told, c.want)
			}
		})
	}
}

func TestAPlanThatIsOnlyInTheModelsWords(t *testing.T) {
	f := start(t)
	f.settled()
	var got peer.Action
	on := &events{permit: func(_ context.Context, a peer.Action) (peer.Answer, error) {
		got = a
		return peer.Answer{Allowed: true}, nil
	}}
	ends, _ := f.prompt("do it", on)
	f.say(began())
	f.say(uses(nil, "t1", "ExitPlanMode", wire{"plan": "1. do it"}))
	f.say(mayUse("r1", "t1", "ExitPlanMode", wire{}))
	if answer := f.next(); answer.path("response", "response", "behavior") != "allow" || len(answer.path("response", "response", "updatedInput").(map[string]any)) != 0 {
		t.Errorf("the answer is %v", answer)
	}
	f.say(result(nil))
	await(t, ends)
	if string(got.Input) != `{"plan":"1. do it"}` {
		t.Errorf("the person is shown %s", got.Input)
	}
}

func TestOurToolsAreNotAskedFor(t *testing.T) {
	f := start(t, "--mcp-config=/run/x/claude-mcp.json")
	f.settled()
	on := &events{}
	answer, told := permitted(t, f, on, "mcp__sidecar__acme_echo", wire{"text": "x"})
	if answer.path("response", "response", "behavior") != "allow" || answer.path("response", "response", "updatedInput", "text") != "x" || strings.Contains(told, "permit") {
		t.Errorf("the answer is %v; told:\n%s", answer, told)
	}
	if answer, told := permitted(t, f, on, "mcp__sidecars__x", wire{}); answer.path("response", "response", "behavior") != "deny" || !strings.Contains(told, "permit") {
		t.Errorf("another server's tool: %v", answer)
	}
}

func TestQuestionsOfTheModel(t *testing.T) {
	questions := wire{"questions": []wire{
		{"question": "Which colour?", "options": []wire{{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}}},
		{"question": "Which shapes?", "multiSelect": true, "options": []wire{{"label": "Round"}, {"label": "Square"}}},
		{"question": "Why?", "options": []wire{{"label": "So"}}},
	}}
	f := start(t)
	f.settled()
	on := &events{asks: func(_ context.Context, q peer.Question) (peer.Reply, error) {
		switch q.Text {
		case "Which colour?":
			return peer.Reply{Options: []string{"2"}}, nil
		case "Which shapes?":
			return peer.Reply{Options: []string{"1", "2", "77"}}, nil
		}
		return peer.Reply{Text: "because"}, nil
	}}
	answer, told := permitted(t, f, on, "AskUserQuestion", questions)
	answers, _ := answer.path("response", "response", "updatedInput", "answers").(map[string]any)
	if answers["Which colour?"] != "Blue" || answers["Which shapes?"] != "Round, Square" || answers["Why?"] != "because" || answer.path("response", "response", "updatedInput", "questions") == nil {
		t.Errorf("the answer is %v", answer)
	}
	if !strings.Contains(told, `ask "Which shapes?" [{1 Round } {2 Square }] true`) {
		t.Errorf("told:\n%s", told)
	}
	for name, input := range map[string]any{"none": wire{}, "no list": wire{"questions": 1}, "too many": wire{"questions": make([]wire, 17)}} {
		if answer, _ := permitted(t, f, on, "AskUserQuestion", input); answer.path("response", "response", "behavior") != "deny" {
			t.Errorf("%s: the answer is %v", name, answer)
		}
	}
	on.asks = func(context.Context, peer.Question) (peer.Reply, error) {
		return peer.Reply{}, errors.New("nobody is there")
	}
	if answer, _ := permitted(t, f, on, "AskUserQuestion", questions); !strings.Contains(answer.path("response", "response", "message").(string), "nobody is there") {
		t.Errorf("the answer is %v", answer)
	}
}

func TestAPermissionIsWithdrawn(t *testing.T) {
	for name, by := range map[string]func(f *fake){
		"by a cancel":  func(f *fake) { f.peer.Cancel(session) },
		"by claude":    func(f *fake) { f.say(wire{"type": "control_cancel_request", "request_id": "r1"}) },
		"by the close": func(f *fake) { go f.peer.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			f.settled()
			asked := make(chan bool, 1)
			on := &events{permit: func(ctx context.Context, _ peer.Action) (peer.Answer, error) {
				asked <- true
				<-ctx.Done()
				return peer.Answer{}, context.Cause(ctx)
			}}
			ends, _ := f.prompt("do it", on)
			f.say(began())
			f.say(uses(nil, "t1", "Bash", wire{"command": "ls"}))
			f.say(mayUse("r1", "t1", "Bash", wire{"command": "ls"}))
			await(t, asked)
			by(f)
			switch name {
			case "by a cancel":
				f.request("interrupt")
				f.say(result(wire{"is_error": true, "terminal_reason": "aborted_tools", "errors": []string{"[ede_diagnostic] x"}}))
				if e := await(t, ends); e.err != nil || !e.Canceled || e.OK {
					t.Errorf("the turn ended as %+v", e)
				}
				if answer := f.next(); answer.path("response", "response", "behavior") != "deny" || answer.path("response", "response", "interrupt") != true {
					t.Errorf("the answer is %v", answer)
				}
			case "by claude":
				if answer := f.next(); answer.path("response", "response", "behavior") != "deny" || answer.path("response", "response", "interrupt") != nil {
					t.Errorf("the answer is %v", answer)
				}
				f.say(result(nil))
				await(t, ends)
			default:
				if e := await(t, ends); !errors.Is(e.err, peer.ErrClosed) {
					t.Errorf("the turn ended as %+v", e)
				}
			}
		})
	}
}

// What claude asks for between turns is answered, and not by a person.
func TestRequestsOutsideOfATurn(t *testing.T) {
	f := start(t)
	f.settled()
	f.say(mayUse("r1", "t1", "Bash", wire{"command": "ls"}))
	if answer := f.next(); answer.path("response", "response", "behavior") != "deny" {
		t.Errorf("the answer is %v", answer)
	}
	f.say(wire{"type": "control_request", "request_id": "r2", "request": wire{"subtype": "hook_callback"}})
	if answer := f.next(); answer.path("response", "subtype") != "error" || answer.path("response", "request_id") != "r2" {
		t.Errorf("the answer is %v", answer)
	}
	f.say(wire{"type": "control_request", "request_id": "r3", "request": wire{"subtype": "elicitation"}})
	if answer := f.next(); answer.path("response", "response", "action") != "decline" {
		t.Errorf("the answer is %v", answer)
	}
	f.say(`{"type":"control_request","request_id":"r4","request":7}`)
	if answer := f.next(); answer.path("response", "subtype") != "error" {
		t.Errorf("the answer is %v", answer)
	}
}
