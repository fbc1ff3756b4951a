package call_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// notes is a Decider that allows everything and keeps what it was asked.
type notes struct{ asked []policy.Request }

func (n *notes) Decide(_ context.Context, r policy.Request) policy.Decision {
	n.asked = append(n.asked, r)
	return policy.Decision{Verdict: policy.Allow}
}

// ofPath returns the value of the use at /path, "" for none.
func (n *notes) ofPath() string {
	for _, u := range n.asked[len(n.asked)-1].Uses {
		if u.Pointer == "/path" {
			return u.Value
		}
	}
	return ""
}

// inputTool prints its argv, of which /path is an element, and its stdin.
func inputTool(t *testing.T, properties, more string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return `{"name":"acme.in","description":"d","inputSchema":{"type":"object","properties":{` + properties + `}},
		"x-sidecar":{"bridge":{"exec":{"command":["` + self + `","tool:input","at={path}"]}},"uses":{"fs.read":["/path"]}` + more + `}}`
}

// got is what the program was given.
func got(t *testing.T, e ended) (argv []string, stdin string) {
	t.Helper()
	var data struct {
		Argv  []string
		Stdin string
	}
	if err := json.Unmarshal(e.env.Data, &data); err != nil {
		t.Fatalf("%s: %v", e.inv.Envelope(), err)
	}
	return data.Argv, data.Stdin
}

// What is judged is what the program gets, however the arguments are written.
func TestJudgedIsExecuted(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rules := &notes{}
	r := newRig(t, inputTool(t, `"path":{"type":"string"},"n":{"type":"number"}`, ""), nil, withHost(t), func(o *call.Options) { o.Decider, o.Workspace = rules, dir })
	for args, path := range map[string]string{
		`{"path":"data/x"}`:                      "data/x",
		`{"p\u0061th":"d\u0061ta\/x"}`:           "data/x",
		"{\n \"path\" : \"data/x\" }":            "data/x",
		`{"path":"data/./x"}`:                    "data/./x",
		`{"path":"da\u0074a\u002f\u002e\u002f"}`: "data/./",
		`{"path":"\ud83d\ude00"}`:                "\U0001F600",
		`{"path":"a","n":1e2}`:                   "a",
		`{"path":"a","n":100.00000000000000001}`: "a",
	} {
		argv, stdin := got(t, r.run("acme.in", args))
		if argv[0] != "at="+path || rules.ofPath() != filepath.Join(dir, path) {
			t.Errorf("%s: the program got %q, and %q was judged", args, argv, rules.ofPath())
		}
		line := strings.TrimSuffix(stdin, "\n")
		if judged := rules.asked[len(rules.asked)-1]; line != judged.Arguments || strings.ReplaceAll(line, " ", "") != strings.NewReplacer(" ", "", "\n", "").Replace(args) {
			t.Errorf("%s: the program got %s, and %s was judged", args, line, judged.Arguments)
		}
		if judged := rules.asked[len(rules.asked)-1].Uses[0]; judged.Argv[2] != argv[0] {
			t.Errorf("%s: the command %q was judged", args, judged.Argv)
		}
	}
	before := len(rules.asked)
	for _, args := range []string{`{"path":"a","path":"/etc/passwd"}`, `{"path":"a","p\u0061th":"/etc/passwd"}`, `{"path":"\ud800"}`, "{\"path\":\"\xff\"}", `{"path":"a"}{"path":"b"}`, `{"path":"a\u0000b"}`} {
		r.run("acme.in", args).is("invalid_arguments", a2a.StateFailed, 422)
	}
	if len(rules.asked) != before {
		t.Error("rules were asked about arguments that are none")
	}
}

// The defaults of the schema are executed, and what they use is judged; nobody is told
// that the caller wrote them.
func TestDefaultsAreOfTheFinalArguments(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rules := &notes{}
	r := newRig(t, inputTool(t, `"path":{"type":"string","default":"data"},"o":{"properties":{"deep":{"default":1.50}}}`, ""), nil, withHost(t), func(o *call.Options) { o.Decider, o.Workspace = rules, dir })
	inv, f := r.follow(call.Request{Tool: "acme.in", Arguments: json.RawMessage(`{"o":{}}`)})
	argv, stdin := got(t, r.ended(inv))
	if argv[0] != "at=data" || stdin != `{"o":{"deep":1.50},"path":"data"}`+"\n" {
		t.Errorf("the program got %q and %s", argv, stdin)
	}
	if judged := rules.asked[0]; judged.Arguments != `{"o":{}}` || rules.ofPath() != filepath.Join(dir, "data") {
		t.Errorf("%s was judged, with %+v", judged.Arguments, judged.Uses)
	}
	for _, e := range f.all() {
		if u := toolCall(t, e); u != nil && string(u.Input) != `{"o":{}}` {
			t.Errorf("an update shows %s", u.Input)
		}
	}
	r = newRig(t, inputTool(t, `"path":{"type":"string","default":"/etc/passwd"}`, ""), nil, withHost(t), func(o *call.Options) { o.Workspace = dir })
	r.run("acme.in", `{}`).is("denied", a2a.StateRejected, 403).says("/path is outside of what it may read: {workspace}")
}

// What a tool does not require is refused before any rule is asked.
func TestCapabilityCheckComesFirst(t *testing.T) {
	rules := &notes{}
	reg := manifest.NewRegistry()
	r := newRig(t, inputTool(t, `"path":{"type":"string"}`, `,"requires":{"fs":{"read":["{workspace}/data"]}}`), reg, withHost(t), func(o *call.Options) { o.Decider, o.Workspace = rules, t.TempDir() })
	r.run("acme.in", `{"path":"./secret"}`).is("denied", a2a.StateRejected, 403).says(`you may not call "acme.in": /path is outside of what it may read: {workspace}/data`)
	if len(rules.asked) > 0 {
		t.Error("the rules were asked about what the tool does not require")
	}
	r.run("acme.in", `{"path":"data/x"}`).is("final", a2a.StateCompleted, 200)
}

// A client may name directories for its task; the agent may not.
func TestDirectoriesForATask(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, inputTool(t, `"path":{"type":"string"}`, `,"requires":{"fs":{"read":["{ad-hoc}"]}}`), nil, withHost(t),
		func(o *call.Options) { o.Decider, o.Workspace = &notes{}, t.TempDir() })
	named := func(value string, agent bool) ended {
		return r.ended(r.p.Start(call.Request{
			Tool: "acme.in", Arguments: json.RawMessage(`{"path":"` + dir + `/x"}`), Agent: agent,
			Message: &a2a.Message{ID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("x")}, Metadata: a2a.Metadata{capability.DirectoriesURI: json.RawMessage(value)}},
		}))
	}
	named(`["`+dir+`"]`, false).is("final", a2a.StateCompleted, 200)
	named(`["`+dir+`"]`, true).is("denied", a2a.StateRejected, 403).says("the client named no directories for this task")
	turn := r.tasks.Create("ann", "c", &a2a.Message{ID: "m", Role: a2a.RoleUser, Metadata: a2a.Metadata{capability.DirectoriesURI: json.RawMessage(`["` + dir + `"]`)}}, nil)
	defer turn.Finish(a2a.StateCompleted, nil, nil)
	r.ended(r.p.Start(call.Request{Tool: "acme.in", Arguments: json.RawMessage(`{"path":"` + dir + `/x"}`), Agent: true, Within: turn})).is("final", a2a.StateCompleted, 200)
	named(`["`+dir+`/none"]`, false).is("invalid_arguments", a2a.StateFailed, 422).says("is not a directory")
	named(`["."]`, false).is("invalid_arguments", a2a.StateFailed, 422).says("urn:a2a-sidecar:directories:v1: /0 must be an absolute path")
	r.run("acme.in", `{"path":"`+dir+`/x"}`).is("denied", a2a.StateRejected, 403)
}
