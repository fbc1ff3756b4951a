package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// The options of agents that there are, in their order.
const (
	three   = `[{"optionId":"always","kind":"allow_always","name":"Always"},{"optionId":"once","kind":"allow_once","name":"Once"},{"optionId":"no","kind":"reject_once","name":"No"}]`
	server  = `[{"optionId":"server","kind":"allow_always","name":"Allow all server tools for this session"},{"optionId":"tool","kind":"allow_always","name":"Allow tool for this session"},{"optionId":"never","kind":"reject_always","name":"Never"}]`
	session = `[{"optionId":"ever","kind":"allow_always","name":"Always allow"},{"optionId":"session","kind":"allow_always","name":"Allow for this session"}]`
	rejects = `[{"optionId":"never","kind":"reject_always","name":"Never"},{"optionId":"no","kind":"reject_once","name":"No"}]`
	strange = `[{"optionId":"yes","kind":"allow_sometimes","name":"Yes"},{"kind":"allow_once"},5,{"optionId":7,"kind":"allow_once"}]`
)

func TestPermissionIsAnsweredByKind(t *testing.T) {
	once, always := peer.Answer{Allowed: true}, peer.Answer{Allowed: true, Always: true}
	denied := peer.Answer{Reason: "no"}
	for _, test := range []struct {
		name, options string
		answer        peer.Answer
		err           error
		want          string
		asked         bool
	}{
		{"once", three, once, nil, "once", true},
		{"always is not passed on if there is once", three, always, nil, "once", true},
		{"denied", three, denied, nil, "no", true},
		{"only always: the narrowest", server, once, nil, "tool", true},
		{"only always: this session", session, always, nil, "session", true},
		{"denied, for ever only", server, denied, nil, "never", true},
		{"denied, and no option for it", session, denied, nil, "cancelled", true},
		{"nothing to allow", rejects, once, nil, "no", false},
		{"no options", `[]`, once, nil, "cancelled", false},
		{"options of no known kind", strange, once, nil, "cancelled", false},
		{"no list", `7`, once, nil, "cancelled", false},
		{"withdrawn", three, once, peer.ErrWithdrawn, "cancelled", true},
		{"nobody decides", three, once, errors.New("no rules"), "no", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newAgent(t)
			on := &events{permit: func(context.Context, peer.Action) (peer.Answer, error) { return test.answer, test.err }}
			var got string
			a.onPrompt("end_turn", func() {
				got = a.outcome(a.ask("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c","title":"x"},"options":`+test.options+`}`))
			})
			a.promptOn(a.open(), "x", on)
			if got != test.want || len(on.asked) > 0 != test.asked {
				t.Errorf("answered %q, asked %d times", got, len(on.asked))
			}
			for _, action := range on.asked {
				if action.NoAlways != strings.Contains(test.options, "allow_once") {
					t.Errorf("NoAlways is %v", action.NoAlways)
				}
			}
			if on.text() != "tool c title=\"x\" status=\"pending\"\n" {
				t.Errorf("told %q", on.text())
			}
		})
	}
}

// TestAction: what agents say of a tool becomes what is judged.
func TestAction(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, test := range []struct {
		name, before, call string
		want               peer.Action
	}{
		{"a command line", "", `{"toolCallId":"c","title":"touch a","kind":"execute","locations":[{"path":"/guess"}],"rawInput":{"command":"touch a","cwd":"/d"}}`,
			peer.Action{ID: "c", Title: "touch a", Kind: peer.Execute, Command: "touch a", Dir: "/d", Input: raw(`{"command":"touch a","cwd":"/d"}`)}},
		{"words of a command", "", `{"toolCallId":"c","kind":"execute","rawInput":{"command":["sh","-c","ls"]}}`,
			peer.Action{ID: "c", Kind: peer.Execute, Argv: []string{"sh", "-c", "ls"}, Input: raw(`{"command":["sh","-c","ls"]}`)}},
		{"a command and its arguments", "", `{"toolCallId":"c","kind":"execute","rawInput":{"command":"env","args":["rm","a b"]}}`,
			peer.Action{ID: "c", Kind: peer.Execute, Argv: []string{"env", "rm", "a b"}, Input: raw(`{"command":"env","args":["rm","a b"]}`)}},
		{"words and further ones", "", `{"toolCallId":"c","kind":"execute","rawInput":{"command":["env"],"args":["rm"]}}`,
			peer.Action{ID: "c", Kind: peer.Execute, Argv: []string{"env", "rm"}, Input: raw(`{"command":["env"],"args":["rm"]}`)}},
		{"a line and its arguments", "", `{"toolCallId":"c","kind":"execute","rawInput":{"command":"ls; env","args":["rm","a"]}}`,
			peer.Action{ID: "c", Kind: peer.Execute, Command: "ls; env rm a", Input: raw(`{"command":"ls; env","args":["rm","a"]}`)}},
		{"arguments in one text", "", `{"toolCallId":"c","kind":"execute","rawInput":{"command":"env","args":"rm a"}}`,
			peer.Action{ID: "c", Kind: peer.Execute, Command: "env rm a", Input: raw(`{"command":"env","args":"rm a"}`)}},
		{"one command by two names", "", `{"toolCallId":"c","kind":"execute","rawInput":{"command":"ls","cmd":"ls"}}`,
			peer.Action{ID: "c", Kind: peer.Execute, Command: "ls", Input: raw(`{"command":"ls","cmd":"ls"}`)}},
		{"a command without a kind", "", `{"toolCallId":"c","rawInput":{"cmd":"ls"}}`,
			peer.Action{ID: "c", Kind: peer.Execute, Command: "ls", Input: raw(`{"cmd":"ls"}`)}},
		{"a title is no command", "", `{"toolCallId":"c","title":"rm -rf /","kind":"execute"}`,
			peer.Action{ID: "c", Title: "rm -rf /", Kind: peer.Execute}},
		{"what was known before", `{"toolCallId":"c","name":"run","title":"t","kind":"execute","rawInput":{"command":"ls"}}`, `{"toolCallId":"c","status":"pending"}`,
			peer.Action{ID: "c", Name: "run", Title: "t", Kind: peer.Execute, Command: "ls", Input: raw(`{"command":"ls"}`)}},
		{"an edit", "", `{"toolCallId":"c","kind":"edit","rawInput":{"file_path":"/w/a"},"locations":[{"path":"/w/a"},{"path":"/w/b"}],"content":[{"type":"diff","path":"/w/c","oldText":null,"newText":"n"},{"type":"diff","path":"/w/a","oldText":"o","newText":"n"}]}`,
			peer.Action{ID: "c", Kind: peer.Edit, Writes: []string{"/w/a", "/w/c", "/w/b"}, Input: raw(`{"file_path":"/w/a"}`),
				Diffs: []peer.Diff{{Path: "/w/c", New: "n"}, {Path: "/w/a", Old: ptr("o"), New: "n"}}}},
		{"a diff without a kind", "", `{"toolCallId":"c","content":[{"type":"diff","path":"/w/c","newText":"n"}]}`,
			peer.Action{ID: "c", Kind: peer.Edit, Writes: []string{"/w/c"}, Diffs: []peer.Diff{{Path: "/w/c", New: "n"}}}},
		{"a read", "", `{"toolCallId":"c","kind":"read","rawInput":{"paths":["/a","/b"],"filePath":"/c"}}`,
			peer.Action{ID: "c", Kind: peer.Read, Reads: []string{"/a", "/b", "/c"}, Input: raw(`{"paths":["/a","/b"],"filePath":"/c"}`)}},
		{"a move", "", `{"toolCallId":"c","kind":"move","rawInput":{"source":"/a","destination":"/b"}}`,
			peer.Action{ID: "c", Kind: peer.Move, Writes: []string{"/a", "/b"}, Input: raw(`{"source":"/a","destination":"/b"}`)}},
		{"a fetch", "", `{"toolCallId":"c","kind":"fetch","rawInput":{"url":"https://a.example/x","urls":["b.example","file:///etc/passwd"]}}`,
			peer.Action{ID: "c", Kind: peer.Fetch, Hosts: []string{"https://a.example/x", "b.example"}, Reads: []string{"/etc/passwd"},
				Input: raw(`{"url":"https://a.example/x","urls":["b.example","file:///etc/passwd"]}`)}},
		{"another kind writes, for all we know", "", `{"toolCallId":"c","kind":"frobnicate","rawInput":{"path":"/a"}}`,
			peer.Action{ID: "c", Kind: peer.Other, Writes: []string{"/a"}, Input: raw(`{"path":"/a"}`)}},
		{"input that is no object", "", `{"toolCallId":"c","kind":"other","rawInput":"words"}`,
			peer.Action{ID: "c", Kind: peer.Other, Input: raw(`"words"`)}},
		{"nothing", "", `5`, peer.Action{Kind: peer.Other}},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newAgent(t)
			on := &events{}
			a.onPrompt("end_turn", func() {
				if test.before != "" {
					a.update(strings.Replace(test.before, "{", `{"sessionUpdate":"tool_call",`, 1))
				}
				a.outcome(a.ask("session/request_permission", `{"sessionId":"s1","toolCall":`+test.call+`,"options":`+three+`}`))
			})
			a.promptOn(a.open(), "x", on)
			if len(on.asked) != 1 {
				t.Fatalf("asked %+v", on.asked)
			}
			test.want.NoAlways = true
			if diff := cmp.Diff(test.want, on.asked[0]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func ptr(s string) *string { return &s }

// TestWhatCannotBeJudgedIsDenied: an action of more paths than are looked at could hide one.
func TestWhatCannotBeJudgedIsDenied(t *testing.T) {
	var paths, words, diffs []string
	for i := range 257 {
		paths = append(paths, fmt.Sprintf(`"/p%d"`, i))
		words = append(words, `"w"`)
		diffs = append(diffs, fmt.Sprintf(`{"type":"diff","path":"/p%d","newText":""}`, i))
	}
	for _, call := range []string{
		`{"kind":"read","rawInput":{"paths":[` + strings.Join(paths, ",") + `]}}`,
		`{"kind":"execute","rawInput":{"command":[` + strings.Join(words, ",") + `]}}`,
		`{"kind":"execute","rawInput":{"command":["rm",{"a":1}]}}`,
		`{"kind":"execute","rawInput":{"command":"ls","cmd":"rm -rf /"}}`,
		`{"kind":"execute","rawInput":{"command":"ls","cmd":["rm","-rf","/"]}}`,
		`{"kind":"execute","rawInput":{"command":"env","args":["rm",{"a":1}]}}`,
		`{"kind":"edit","content":[` + strings.Join(diffs, ",") + `]}`,
	} {
		a := newAgent(t)
		on := &events{}
		var got string
		a.onPrompt("end_turn", func() {
			got = a.outcome(a.ask("session/request_permission", `{"sessionId":"s1","toolCall":`+call+`,"options":`+three+`}`))
		})
		a.promptOn(a.open(), "x", on)
		if got != "no" || len(on.asked) > 0 {
			t.Errorf("%.60s: answered %q, asked %d times", call, got, len(on.asked))
		}
	}
}

// TestPermissionsOutsideOfATurn are not asked of anybody.
func TestPermissionsOutsideOfATurn(t *testing.T) {
	a := newAgent(t)
	id := a.open()
	ask := func(session string) string {
		return a.outcome(a.ask("session/request_permission", fmt.Sprintf(`{"sessionId":%q,"toolCall":{},"options":%s}`, session, three)))
	}
	if got := ask("s1"); got != "cancelled" {
		t.Errorf("before a turn: %q", got)
	}
	on := &events{}
	a.onPrompt("end_turn", func() {
		if got := ask("s2"); got != "cancelled" {
			t.Errorf("of another session: %q", got)
		}
	})
	a.promptOn(id, "x", on)
	if got := ask("s1"); got != "cancelled" || len(on.asked) > 0 {
		t.Errorf("after the turn: %q", got)
	}
}

// TestAnAgentTakesItsRequestBack by $/cancel_request, and forgets one at the end of its turn.
func TestAnAgentTakesItsRequestBack(t *testing.T) {
	a := newAgent(t)
	asked := make(chan struct{}, 2)
	on := &events{permit: func(ctx context.Context, _ peer.Action) (peer.Answer, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return peer.Answer{}, context.Cause(ctx)
	}}
	params := `{"sessionId":"s1","toolCall":{},"options":` + three + `}`
	var left <-chan message
	a.onPrompt("end_turn", func() {
		first := a.ask("session/request_permission", params)
		<-asked
		a.write(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"a1"}}`)
		if got := a.outcome(first); got != "cancelled" {
			t.Errorf("the one that was taken back: %q", got)
		}
		left = a.ask("session/request_permission", params)
		<-asked
	})
	a.promptOn(a.open(), "x", on)
	if got := a.outcome(left); got != "cancelled" {
		t.Errorf("the one that was left: %q", got)
	}
}

// TestExplain: what is known of an agent completes what it asks for, and a tool of ours is judged when it is called:
// nobody is asked before.
func TestExplain(t *testing.T) {
	for _, given := range []bool{true, false} {
		var call string
		a := newAgentWith(t, func(p *peer.Process) {
			p.Explain = func(raw json.RawMessage, action *peer.Action) {
				call, action.Ours, action.Command = string(raw), true, action.Title
			}
		})
		var got string
		a.onPrompt("end_turn", func() {
			got = a.outcome(a.ask("session/request_permission", `{"sessionId":"s1","_meta":{"m":1},"toolCall":{"toolCallId":"c","title":"t"},"options":`+three+`}`))
		})
		if err := a.peer.Start(await.Context(t)); err != nil {
			t.Fatal(err)
		}
		c := peer.Conversation{}
		if given {
			c.Tools = &peer.Server{Name: "sidecar", Argv: []string{"sidecar"}}
		}
		id, err := a.peer.Open(await.Context(t), c)
		if err != nil {
			t.Fatal(err)
		}
		on := &events{}
		a.promptOn(id, "x", on)
		if got != "once" || (len(on.asked) == 0) != given {
			t.Errorf("given %v: answered %q, asked %+v", given, got, on.asked)
		}
		if !given && (on.asked[0].Ours || on.asked[0].Command != "t") {
			t.Errorf("asked %+v", on.asked[0])
		}
		if want := `{"requestMeta":{"m":1},"status":"pending","title":"t","toolCallId":"c"}`; call != want && call != strings.Replace(want, `"status":"pending",`, "", 1) {
			t.Errorf("explained %s", call)
		}
	}
}
