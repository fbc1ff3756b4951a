package call_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// What each kind uses, as the rules see it; what cannot be resolved, or is not told, is doubted.
func TestNativeUses(t *testing.T) {
	dir := workspaceOf(t)
	if err := os.Symlink("/etc", filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		act  peer.Action
		tool string
		want []string
	}{
		"read":          {peer.Action{Kind: peer.Read, Reads: []string{"a/b"}}, "agent.read read", []string{"fs.read /reads/0 {ws}/a/b"}},
		"through links": {peer.Action{Kind: peer.Read, Reads: []string{"out/passwd"}}, "agent.read read", []string{"fs.read /reads/0 /etc/passwd"}},
		"up":            {peer.Action{Kind: peer.Read, Reads: []string{"sub/../../x"}}, "agent.read read", []string{"fs.read /reads/0 {up}/x"}},
		"up from links": {peer.Action{Kind: peer.Edit, Writes: []string{"out/../x"}}, "agent.edit write", []string{"fs.write /writes/0 {ws}/x ?"}},
		"home":          {peer.Action{Kind: peer.Edit, Writes: []string{"~/x"}}, "agent.edit write", []string{"fs.write /writes/0 {ws}/~/x ?"}},
		"move":          {peer.Action{Kind: peer.Move, Writes: []string{"a", "/b"}}, "agent.move write", []string{"fs.write /writes/0 {ws}/a", "fs.write /writes/1 /b"}},
		"delete":        {peer.Action{Kind: peer.Delete}, "agent.delete write", []string{"fs.write /writes  ?"}},
		"search":        {peer.Action{Kind: peer.Search}, "agent.search read", []string{"fs.read /reads {ws}"}},
		"fetch":         {peer.Action{Kind: peer.Fetch, Hosts: []string{"https://Example.com/x", "a b"}}, "agent.fetch read", []string{"net.fetch /hosts/0 example.com:443", "net.fetch /hosts/1 a b ?"}},
		"fetch of what": {peer.Action{Kind: peer.Fetch}, "agent.fetch read", []string{"net.fetch /hosts  ?"}},
		"a command":     {peer.Action{Kind: peer.Execute, Command: "rm x > y", Dir: "sub"}, "agent.execute write", []string{"shell.run /command rm x > y"}},
		"an argv":       {peer.Action{Kind: peer.Execute, Argv: []string{"rm", "a b"}, Command: "not this"}, "agent.execute write", []string{"shell.run /argv rm 'a b'"}},
		"think":         {peer.Action{Kind: peer.Think}, "agent.think read", nil},
		"a mode":        {peer.Action{Kind: peer.SwitchMode}, "agent.switch_mode write", nil},
		"unknown":       {peer.Action{Kind: "dance", Reads: []string{"a"}}, "agent.other write", []string{"fs.read /reads/0 {ws}/a"}},
	} {
		t.Run(name, func(t *testing.T) {
			var seen policy.Request
			b := newBar(t, askAll, func(o *call.Options) {
				o.Workspace = dir
				o.Decider = deciderFunc(func(q policy.Request) policy.Decision {
					seen = q
					return policy.Decision{Verdict: policy.Allow}
				})
			})
			if got, err := b.judge.Permit(t.Context(), tc.act); err != nil || !got.Allowed {
				t.Fatal(got, err)
			}
			var uses []string
			for _, u := range seen.Uses {
				s := fmt.Sprintf("%s %s %s", u.Capability, u.Pointer, strings.NewReplacer(dir, "{ws}", filepath.Dir(dir), "{up}").Replace(u.Value))
				if u.Doubt != "" {
					s += " ?"
				}
				uses = append(uses, s)
			}
			if tool := seen.Tool.Name + " " + string(seen.Tool.Effects); tool != tc.tool || !slices.Equal(uses, tc.want) {
				t.Errorf("%s uses %q, want %s %q", tool, uses, tc.tool, tc.want)
			}
			if !seen.Agent || seen.Source != "agent" || seen.Caller != "ann" || seen.ContextID != "x" || seen.Key == "" || seen.Tool.Digest == "" {
				t.Errorf("the request %+v", seen)
			}
			if want := filepath.Join(dir, tc.act.Dir); seen.Dir != want {
				t.Errorf("it runs in %q, want %q", seen.Dir, want)
			}
		})
	}
}

// workspaceOf returns a directory, resolved as judged paths are.
func workspaceOf(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A rule allows nothing that is not certain, and denies it all the same.
func TestNativeDoubtAsks(t *testing.T) {
	b := newBar(t, `{"permission":"*","action":"allow"},{"permission":"fs.write","pattern":"{workspace}/~/**","action":"deny"}`, func(o *call.Options) { o.Headless = true })
	for want, a := range map[string]peer.Action{
		"needs an approval": {Kind: peer.Read, Reads: []string{"~/x"}},
		"not allowed":       {Kind: peer.Edit, Writes: []string{b.dir + "/~/x", "~/x"}},
		"something that":    {Kind: peer.Edit},
	} {
		if got, err := b.judge.Permit(t.Context(), a); err != nil || got.Allowed || !strings.Contains(got.Reason, want) {
			t.Errorf("%+v: %+v %v", a, got, err)
		}
	}
}

// The input of a tool is its arguments: one line, an object, of a bounded length.
func TestNativeArguments(t *testing.T) {
	for in, want := range map[string]string{
		"":               "{}",
		" ":              "{}",
		"{\n \"a\" : 1}": `{"a":1}`,
		"[1, 2]":         `{"input":[1,2]}`,
		`"x"`:            `{"input":"x"}`,
		"{":              `{"truncated":true,"bytes":1,"sha256":"021fb596db81e6d02bf3d2586ee3981fe519f275c0ac9ca76bbcf2ebb4097d96"}`,
		`{"a":"` + strings.Repeat("x", 1<<20) + `"}`: `{"truncated":true,"bytes":1048584,`,
	} {
		var seen string
		b := newBar(t, askAll, func(o *call.Options) {
			o.Decider = deciderFunc(func(q policy.Request) policy.Decision {
				seen = q.Arguments
				return policy.Decision{Verdict: policy.Allow}
			})
		})
		if _, err := b.judge.Permit(t.Context(), peer.Action{Kind: peer.Other, Input: json.RawMessage(in)}); err != nil || !strings.HasPrefix(seen, want) || len(seen) > 200 {
			t.Errorf("%.20q: got %.200s %v", in, seen, err)
		}
	}
}

// A turn asks one question at a time, and two uses with one id are two.
func TestNativeSeveralAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBar(t, askAll)
		a := peer.Action{ID: "same", Kind: peer.Execute, Command: "ls", Title: "List"}
		first, second := b.permit(t.Context(), a), b.permit(t.Context(), a)
		synctest.Wait()
		if n := len(b.approvals.List(approval.By{Caller: "ann"})); n != 2 {
			t.Fatalf("%d approvals are open", n)
		}
		b.answer("once")
		synctest.Wait()
		if !b.turn.Asking() {
			t.Fatal("the second is not asked for")
		}
		b.answer("reject")
		if x, y := <-first, <-second; x.Allowed == y.Allowed || x.err != nil || y.err != nil {
			t.Errorf("%+v %+v", x, y)
		}
	})
}

// "always" is remembered until the session ends, for the same and nothing else.
func TestNativeAlways(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBar(t, askAll)
		a := peer.Action{ID: "1", Kind: peer.Execute, Name: "Bash", Title: "List", Command: "ls", Input: json.RawMessage(`{"command":"ls"}`)}
		out := b.permit(t.Context(), a)
		synctest.Wait()
		b.answer("always")
		if got := <-out; !got.Always {
			t.Errorf("%+v", got)
		}
		a.ID, a.Title = "2", "List the files" // a model says it in other words
		other := b.p.Judge(b.turn)
		if got, err := other.Permit(t.Context(), a); err != nil || !got.Allowed || !got.Always {
			t.Errorf("the same in another turn: %+v %v", got, err)
		}
		asked := func(what string, a peer.Action) {
			t.Helper()
			out := b.permit(t.Context(), a)
			synctest.Wait()
			if !b.turn.Asking() {
				t.Errorf("%s is not asked for", what)
				return
			}
			b.answer("reject")
			<-out
		}
		more := a
		more.Command = "ls -l"
		asked("another command", more)
		more = a
		more.Input = json.RawMessage(`{"command":"ls","x":1}`)
		asked("another input", more)
		more = a
		more.Diffs = []peer.Diff{{Path: "a", New: "b"}}
		asked("another change", more)
		more = a
		more.Input = nil
		asked("no input", more)
		b.session.ForgetAll()
		asked("the same in another session", a)
	})
}

// People see what the agent wants, without what a terminal would obey, and programs too.
func TestNativeShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBar(t, askAll, hiding(t))
		old := strings.Repeat("same\n", 3) + "one\ntwo\n"
		b.permit(t.Context(), peer.Action{
			ID: "t1", Kind: peer.Edit, Name: "Edit", Title: "Edit \x1b[31ma.go with " + word, Writes: []string{"a.go"},
			Diffs: []peer.Diff{{Path: "a.go", Old: &old, New: strings.Repeat("same\n", 3) + strings.Repeat("new\n", 100)}},
		})
		synctest.Wait()
		parts := b.turn.Snapshot(nil, false).Status.Message.Parts
		for _, want := range []string{
			"May the agent use agent.edit, a tool of its own?\n  wants     Edit ", "[31ma.go with ", "\n  tool      Edit\n", "\n  changes   a.go\n            - one\n            - two\n            + new\n",
			"            … 88 lines left out\n", "\n  writes    " + b.dir + "/a.go\n",
		} {
			if !strings.Contains(parts[0].Text, want) {
				t.Errorf("%q is not in\n%s", want, parts[0].Text)
			}
		}
		if strings.ContainsAny(parts[0].Text, "\x1b") || strings.Contains(parts[0].Text, word) {
			t.Errorf("%q", parts[0].Text)
		}
		var doc map[string]approval.Document
		var options struct {
			Options []struct{ ID, Kind string }
		}
		for _, p := range parts {
			if p.Kind == a2a.PartData {
				_ = json.Unmarshal(p.Data, &doc)
				_ = json.Unmarshal(p.Data, &options)
			}
		}
		d := doc[approval.URI]
		if d.Own == nil || d.Own.Name != "Edit" || len(d.Own.Changes) != 1 || d.CallID != "t1" || d.Source != "agent" || d.TaskID != b.turn.ID() || d.Options[0].Kind != "allow_once" {
			t.Errorf("the document %+v", d)
		}
		if got := fmt.Sprint(options.Options); got != "[{once allow_once} {always allow_always} {reject reject_once}]" {
			t.Errorf("the options %s", got)
		}
		b.answer("reject")
	})
}

// The longest command that is judged can be asked for.
func TestNativeLongCommandIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBar(t, askAll)
		out := b.permit(t.Context(), peer.Action{Kind: peer.Execute, Argv: slices.Repeat([]string{"x"}, 128<<10)})
		synctest.Wait()
		m := b.turn.Snapshot(nil, false).Status.Message
		if m == nil || !b.turn.Asking() {
			t.Fatal("it is not asked for")
		}
		length := 0
		for _, p := range m.Parts {
			length += len(p.Text) + len(p.Data)
		}
		if length > 32<<10 {
			t.Errorf("the question has %d bytes", length)
		}
		b.answer("once")
		if got := <-out; !got.Allowed {
			t.Errorf("%+v", got)
		}
	})
}

// explain knows the names of agents' own tools.
func TestNativeExplained(t *testing.T) {
	set, _, err := policy.Load([]policy.File{{Scope: policy.ScopeManifest, Name: "p", Data: []byte(`{"rules":[{"permission":"agent.execute","action":"allow"},{"permission":"shell.run","pattern":"rm:*","action":"deny"}]}`)}}, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := capability.NewScope(capability.OS(), capability.Roots{Workspace: []string{workspaceOf(t)}})
	if err != nil {
		t.Fatal(err)
	}
	j := call.Judges{Tools: manifest.Compose(), Scope: scope, Policy: set}
	for _, tc := range []struct{ tool, args, want string }{
		{"agent.execute", `{"command":"rm x"}`, "deny"},
		{"agent.execute", `{"argv":["ls"]}`, "allow"},
		{"agent.execute", ``, "ask"},
		{"agent.edit", `{"writes":["a"]}`, "ask"},
		{"agent.edit", `{"path":"a"}`, `invalid arguments: unknown field "path"; write an object`},
		{"agent.dance", `{}`, `there is no tool "agent.dance"`},
	} {
		e := j.Explain(t.Context(), call.Request{Tool: tc.tool, Arguments: json.RawMessage(tc.args)})
		got := e.Invalid
		if got == "" {
			got = e.Decision.Verdict.String()
		}
		if !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s %s: %s, want %s", tc.tool, tc.args, got, tc.want)
		}
	}
}

// A manifest's tools and the agent's own ones have the same kinds.
func TestNativeKinds(t *testing.T) {
	for _, kind := range manifest.ToolKinds() {
		if got := peer.ParseKind(kind); string(got) != kind {
			t.Errorf("%s is %s to an agent", kind, got)
		}
		if got := parse(t, tool("acme.x", `{"kind":"`+kind+`"}`), nil).Tools()[0].Kind; got != kind {
			t.Errorf("%s is %s in a manifest", kind, got)
		}
	}
}
