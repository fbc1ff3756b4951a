package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

// servers answers calls of MCP tools as a test says.
type servers func(ctx context.Context, c client.Call) (*client.Result, error)

func (s servers) Call(ctx context.Context, c client.Call) (*client.Result, error) { return s(ctx, c) }

// mcpRig has one tool, files.read, which is that of a server.
func mcpRig(t *testing.T, s servers, tweak ...func(*call.Options)) *rig {
	t.Helper()
	tool, err := manifest.Define(manifest.Definition{
		Name: "files.read", Description: "d", InputSchema: json.RawMessage(`{"type":"object"}`),
		External: &manifest.External{Server: "files", Name: "readFile", Hash: "sha256:1"}, MCP: &manifest.MCP{Server: "files", Tool: "readFile"},
	})
	if err != nil {
		t.Fatal(err)
	}
	snap := manifest.Compose(tool)
	return newRig(t, "", nil, append(tweak, func(o *call.Options) {
		o.Surface = func(*call.Request) *manifest.Snapshot { return snap }
		if s != nil {
			o.Servers = s
		}
	})...)
}

func answers(r *client.Result) servers {
	return func(context.Context, client.Call) (*client.Result, error) { return r, nil }
}

func TestMCPResults(t *testing.T) {
	text := func(s string) client.Content { return client.Content{Kind: client.ContentText, Text: s} }
	for _, c := range []struct {
		name          string
		r             client.Result
		outcome, data string
		artifacts     string
	}{
		{"text", client.Result{Content: []client.Content{text("two"), text("lines")}}, "final", `"two\nlines"`, ""},
		{"text that is JSON", client.Result{Content: []client.Content{text(`{"a": 1}`)}}, "final", `{"a":1}`, ""},
		{"structured", client.Result{Structured: json.RawMessage(`{"n":5}`), Content: []client.Content{text("5")}}, "final", `{"n":5}`, ""},
		{"nothing", client.Result{}, "final", `""`, ""},
		{"an image", client.Result{Content: []client.Content{{Kind: client.ContentImage, Data: []byte("png"), MediaType: "image/png"}}}, "final",
			`[{"artifact_id":"content-1","type":"image","media_type":"image/png","bytes":3}]`, "content-1 raw image/png png"},
		{"text and more", client.Result{Content: []client.Content{
			text("see"), {Kind: client.ContentLink, URI: "file:///a.txt", Name: "a"},
			{Kind: client.ContentResource, URI: "demo://x/b.md", Text: "# b", MediaType: "text/markdown"},
		}}, "final", `"see"`, "content-1 url file:///a.txt; content-2 text text/markdown # b"},
		{"an error", client.Result{IsError: true, Content: []client.Content{text("no such file\x1b[31m")}}, "failed", "no such file", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := mcpRig(t, answers(&c.r)).run("files.read", `{}`)
			got := string(e.env.Data)
			if c.r.IsError {
				got = *e.env.ErrorText
			}
			if e.env.Metadata.Outcome != c.outcome || got != c.data {
				t.Errorf("got %s %s, want %s %s", e.env.Metadata.Outcome, got, c.outcome, c.data)
			}
			if got := contentOf(e.task); got != c.artifacts {
				t.Errorf("artifacts %q, want %q", got, c.artifacts)
			}
		})
	}
}

// contentOf writes the artifacts with the content of a result.
func contentOf(t *a2a.Task) string {
	var all []string
	for _, a := range t.Artifacts {
		if !strings.HasPrefix(a.ID, "content-") {
			continue
		}
		p := a.Parts[0]
		all = append(all, strings.Join(strings.Fields(fmt.Sprint(a.ID, " ", map[a2a.PartKind]string{a2a.PartRaw: "raw", a2a.PartURL: "url", a2a.PartText: "text"}[p.Kind], " ", p.MediaType, " ", string(p.Raw), p.Text, p.URL)), " "))
	}
	return strings.Join(all, "; ")
}

func TestMCPCallSaysWhatItWasJudgedBy(t *testing.T) {
	var got client.Call
	mcpRig(t, func(_ context.Context, c client.Call) (*client.Result, error) {
		got = c
		return &client.Result{}, nil
	}).run("files.read", `{"path": "a"}`)
	if got.Server != "files" || got.Tool != "readFile" || got.Hash != "sha256:1" || string(got.Arguments) != `{"path":"a"}` {
		t.Errorf("the server got %+v", got)
	}
}

func TestMCPFailures(t *testing.T) {
	for _, c := range []struct {
		err     error
		outcome string
	}{
		{fmt.Errorf("files cannot be reached: %w", client.ErrUnavailable), "unavailable"},
		{fmt.Errorf("files: %w", client.ErrChanged), "unavailable"},
		{fmt.Errorf("files: %w", client.ErrLost), "failed"},
		{fmt.Errorf("files: %w", client.ErrTooLarge), "failed"},
	} {
		e := mcpRig(t, func(context.Context, client.Call) (*client.Result, error) { return nil, c.err }).run("files.read", "")
		if e.env.Metadata.Outcome != c.outcome || !strings.Contains(*e.env.ErrorText, c.err.Error()) {
			t.Errorf("%v: got %s %q, want %s", c.err, e.env.Metadata.Outcome, *e.env.ErrorText, c.outcome)
		}
	}
	if e := mcpRig(t, nil).run("files.read", ""); e.env.Metadata.Outcome != "unavailable" {
		t.Errorf("without servers: %s", e.env.Metadata.Outcome)
	}
}

func TestMCPCancel(t *testing.T) {
	began := make(chan struct{})
	r := mcpRig(t, func(ctx context.Context, _ client.Call) (*client.Result, error) {
		close(began)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	inv := r.p.Start(call.Request{Tool: "files.read"})
	<-began
	inv.Task().Cancel(errors.New("enough"))
	if e := r.ended(inv); e.env.Metadata.Outcome != "canceled" {
		t.Errorf("got %s", e.env.Metadata.Outcome)
	}
}

func TestMCPElicitation(t *testing.T) {
	name := `{"type":"object","properties":{"name":{"type":"string","minLength":2}},"required":["name"]}`
	color := `{"type":"object","properties":{"color":{"type":"string","enum":["red","blue"]}},"required":["color"]}`
	sure := `{"type":"object","properties":{"sure":{"type":"boolean"}},"required":["sure"]}`
	form := `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"]}`
	data := func(s string) a2a.Part { return a2a.DataPart([]byte(s)) }
	for _, c := range []struct {
		name, schema string
		answers      []a2a.Part
		want         string
	}{
		{"text for the only field", name, []a2a.Part{a2a.TextPart("Ada")}, `accept {"name":"Ada"}`},
		{"asked again", name, []a2a.Part{a2a.TextPart("x"), a2a.TextPart("Ada")}, `accept {"name":"Ada"}`},
		{"never fits", name, []a2a.Part{a2a.TextPart("x"), a2a.TextPart("y"), a2a.TextPart("z")}, `cancel `},
		{"an option", color, []a2a.Part{a2a.TextPart("blue")}, `accept {"color":"blue"}`},
		{"yes", sure, []a2a.Part{a2a.TextPart("yes")}, `accept {"sure":true}`},
		{"an object", form, []a2a.Part{data(`{"a":1,"b":"x"}`)}, `accept {"a":1,"b":"x"}`},
		{"an object as text", form, []a2a.Part{a2a.TextPart(`{"a":1}`)}, `accept {"a":1}`},
		{"no", form, []a2a.Part{a2a.TextPart("decline")}, `decline `},
		{"no, as data", form, []a2a.Part{data(`{"action":"cancel"}`)}, `cancel `},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got string
			r := mcpRig(t, func(ctx context.Context, k client.Call) (*client.Result, error) {
				a, err := k.Listener.Elicit(ctx, client.Elicitation{Message: "who?", Schema: json.RawMessage(c.schema)})
				got = a.Action + " " + string(a.Content)
				return &client.Result{}, err
			})
			inv, f := r.follow(call.Request{Tool: "files.read"})
			for _, p := range c.answers {
				asked := f.next(func(e *a2a.Event) bool { return e.State() == a2a.StateInputRequired })
				if said := asked.Status.Status.Message; !strings.Contains(said.Parts[0].Text, "files asks: who?") || !strings.Contains(string(said.Parts[1].Data), "requestedSchema") {
					t.Errorf("the task asks %+v", said)
				}
				if err := inv.Task().Answer(&a2a.Message{ID: a2a.NewID(), Role: a2a.RoleUser, Parts: []a2a.Part{p}}); err != nil {
					t.Fatal(err)
				}
			}
			if e := r.ended(inv); e.env.Metadata.Outcome != "final" || got != c.want {
				t.Errorf("got %s %q, want %q", e.env.Metadata.Outcome, got, c.want)
			}
		})
	}
}

// Whom nobody can answer is told so, and the call goes on.
func TestMCPElicitationHeadless(t *testing.T) {
	r := mcpRig(t, func(ctx context.Context, k client.Call) (*client.Result, error) {
		a, err := k.Listener.Elicit(ctx, client.Elicitation{Message: "who?", Schema: json.RawMessage(`{"type":"object","properties":{}}`)})
		return &client.Result{Content: []client.Content{{Kind: client.ContentText, Text: a.Action}}}, err
	}, func(o *call.Options) { o.Headless = true })
	if e := r.run("files.read", ""); string(e.env.Data) != `"cancel"` {
		t.Errorf("got %s", e.env.Data)
	}
}

func TestMCPSamplingAndURL(t *testing.T) {
	var got string
	r := mcpRig(t, func(ctx context.Context, k client.Call) (*client.Result, error) {
		s, err := k.Listener.Sample(ctx, client.Sampling{
			System: "be brief", MaxTokens: 9, Messages: []client.SamplingMessage{{Role: "user", Content: []client.Content{{Kind: client.ContentText, Text: "hi"}}}},
		})
		if err != nil {
			return nil, err
		}
		a, err := k.Listener.Elicit(ctx, client.Elicitation{Message: "sign in", URL: "https://example.com/in"})
		got = s.Text + " " + a.Action
		k.Listener.Progress(1, 2, "half")
		return &client.Result{}, err
	})
	inv, f := r.follow(call.Request{Tool: "files.read"})
	for _, step := range []struct{ shows, answer string }{{`"systemPrompt":"be brief"`, "hello"}, {"https://example.com/in", "done"}} {
		asked := f.next(func(e *a2a.Event) bool { return e.State() == a2a.StateInputRequired })
		shown, _ := json.Marshal(asked.Status.Status.Message.Parts)
		if all := string(shown) + string(asked.Status.Status.Message.Parts[1].Data); !strings.Contains(all, step.shows) {
			t.Errorf("the task asks %s, without %s", all, step.shows)
		}
		if err := inv.Task().Answer(&a2a.Message{ID: a2a.NewID(), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(step.answer)}}); err != nil {
			t.Fatal(err)
		}
	}
	r.ended(inv)
	if got != "hello accept" {
		t.Errorf("got %q", got)
	}
	half := false
	for _, e := range f.all() {
		half = half || e.Status != nil && string(e.Status.Metadata["progress"]) == "0.5" && e.Status.Status.Message != nil && e.Status.Status.Message.Parts[0].Text == "half"
	}
	if !half {
		t.Error("the progress was not shown")
	}
}

// A server that does not answer holds up its own writes, and nothing else; one that may write files
// here holds up the others' writes, as every tool does.
func TestMCPWritesRunAloneInTheirServer(t *testing.T) {
	for _, c := range []struct {
		name    string
		writes  []string // requires.fs.write of the mute server
		blocked bool     // whether another tool's write waits for it
	}{{"elsewhere", nil, false}, {"in the workspace", []string{"{workspace}/**"}, true}} {
		t.Run(c.name, func(t *testing.T) {
			define := func(server, name string) *manifest.Tool {
				tool, err := manifest.Define(manifest.Definition{
					Name: server + "." + name, Description: "d", InputSchema: json.RawMessage(`{"type":"object"}`),
					Requires: &manifest.Requires{FSWrite: c.writes},
					External: &manifest.External{Server: server, Name: name}, MCP: &manifest.MCP{Server: server, Tool: name},
				})
				if err != nil {
					t.Fatal(err)
				}
				return tool
			}
			reg := manifest.NewRegistry()
			handler(t, reg, "go.write", manifest.EffectsWrite, func(context.Context, json.RawMessage) (json.RawMessage, error) { return json.RawMessage("1"), nil })
			snap := manifest.Compose(append(parse(t, "", reg).Tools(), define("mute", "one"), define("mute", "two"), define("good", "one"))...)
			began, over := make(chan string, 3), make(chan struct{})
			r := newRig(t, "", nil, func(o *call.Options) {
				o.Surface = func(*call.Request) *manifest.Snapshot { return snap }
				o.Servers = servers(func(_ context.Context, k client.Call) (*client.Result, error) {
					if k.Server == "mute" {
						began <- k.Tool
						<-over
					}
					return &client.Result{}, nil
				})
			})
			one := r.p.Start(call.Request{Tool: "mute.one"})
			<-began
			two := r.p.Start(call.Request{Tool: "mute.two"})
			write, good := r.p.Start(call.Request{Tool: "go.write"}), r.p.Start(call.Request{Tool: "good.one"})
			if !c.blocked {
				for _, inv := range []*call.Invocation{write, good} {
					if e := r.ended(inv); e.env.Metadata.Outcome != "final" {
						t.Errorf("another tool's call: %s", e.env.Metadata.Outcome)
					}
				}
			}
			select {
			case name := <-began:
				t.Errorf("%s ran beside another write of its server", name)
			case <-write.Done():
				if c.blocked {
					t.Error("a write ran beside one in the workspace")
				}
			default:
			}
			close(over)
			for _, inv := range []*call.Invocation{one, two, write, good} {
				r.ended(inv)
			}
		})
	}
}
