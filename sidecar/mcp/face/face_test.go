package face_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/face"
)

// Clients of every revision list the tools in their order, with their schemas as they are
// declared, and call them.
func TestEveryRevision(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			c := connect(t, newToolset("acme.b", "acme.a"), revision, face.Options{}, nil)
			l, err := c.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(l.Tools) != 2 || l.Tools[0].Name != "acme.b" || l.Tools[1].Name != "acme.a" || l.Tools[0].Meta[face.AlwaysLoad] != true {
				t.Errorf("listed %s", asJSON(t, l))
			}
			r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "acme.a", Arguments: map[string]any{"x": 1}})
			if err != nil {
				t.Fatal(err)
			}
			if got := asJSON(t, r.StructuredContent); got != `{"called":"acme.a","with":{"x":1}}` || r.IsError || r.Meta[face.MetaTask] != "task-1" {
				t.Errorf("called %s", asJSON(t, r))
			}
		})
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Ten thousand tools come in pages, each once and in order, even if the list changes between two
// pages.
func TestPages(t *testing.T) {
	names := make([]string, 10_000)
	for i := range names {
		names[i] = fmt.Sprintf("acme.t%05d", i)
	}
	s := newToolset(names...)
	c := connect(t, s, "2025-06-18", face.Options{}, nil)
	var got []string
	p := &mcp.ListToolsParams{}
	for pages := 1; ; pages++ {
		l, err := c.ListTools(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range l.Tools {
			got = append(got, one.Name)
		}
		if pages == 3 { // a tool before the page goes: no later one may be skipped
			s.change(func() { s.always = s.always[1:] })
		}
		if p.Cursor = l.NextCursor; p.Cursor == "" {
			if pages != 10 {
				t.Errorf("%d pages", pages)
			}
			break
		}
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("%d tools came, or not in order", len(got))
	}
	_, err := c.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: "nonsense"})
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("a cursor that is none: %v", err)
	}
}

// A call that waits for an approval says so at once and again and again, with rising progress.
func TestProgress(t *testing.T) {
	s := newToolset("acme.slow")
	go1 := make(chan struct{})
	s.call = func(_ context.Context, c *face.Call) (*face.Result, error) {
		c.Heed(face.State{Approval: "ap-1"})
		<-go1
		return output(`"done"`), nil
	}
	for _, revision := range []string{"2025-06-18", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			go1 = make(chan struct{})
			said := make(chan *mcp.ProgressNotificationParams, 100)
			c := connect(t, s, revision, face.Options{Progress: 10 * time.Millisecond}, &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { said <- r.Params },
			})
			p := &mcp.CallToolParams{Name: "acme.slow"}
			p.SetProgressToken("tok")
			done := make(chan *mcp.CallToolResult, 1)
			go func() {
				r, err := c.CallTool(t.Context(), p)
				if err != nil {
					t.Error(err)
				}
				done <- r
			}()
			last := 0.0
			for range 3 {
				n := <-said
				if n.Message != "waiting for approval ap-1" || n.Progress <= last || n.ProgressToken != "tok" {
					t.Errorf("progress %s", asJSON(t, n))
				}
				last = n.Progress
			}
			close(go1)
			if r := <-done; r == nil || len(r.Content) != 1 {
				t.Errorf("result %s", asJSON(t, r))
			}
		})
	}
}

// A cancellation ends the call, and so does the end of the client.
func TestCancel(t *testing.T) {
	s := newToolset("acme.slow")
	ended := make(chan error, 2)
	began := make(chan struct{}, 2)
	s.call = func(ctx context.Context, _ *face.Call) (*face.Result, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, context.Cause(ctx)
	}
	for _, revision := range []string{"2024-11-05", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			c := connect(t, s, revision, face.Options{}, nil)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-began
				cancel()
			}()
			if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "acme.slow"}); err == nil {
				t.Error("a call that was canceled has a result")
			}
			<-ended
		})
	}
	f := face.New(face.Options{Backend: s})
	in, feed := io.Pipe()
	feed2, lines := io.Pipe()
	served := make(chan error)
	go func() { served <- f.Serve(t.Context(), &mcp.IOTransport{Reader: in, Writer: lines}) }()
	go func() { _, _ = io.Copy(io.Discard, feed2) }()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"acme.slow"}}`,
	} {
		if _, err := feed.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	<-began
	_ = feed.Close()
	<-ended
	if err := <-served; err != nil {
		t.Errorf("the end of the client is an error: %v", err)
	}
	f.Close()
}

// A change of the list is told within 100 ms.
func TestListChanged(t *testing.T) {
	for _, revision := range []string{"2024-11-05", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			s := newToolset("acme.a")
			told := make(chan time.Time, 10)
			c := connect(t, s, revision, face.Options{}, &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- time.Now() },
			})
			if _, err := c.ListTools(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			s.change(func() { s.always = append(s.always, tool("acme.b")) })
			if took := (<-told).Sub(began); took > 100*time.Millisecond {
				t.Errorf("told after %s", took)
			}
			l, err := c.ListTools(t.Context(), nil)
			if err != nil || len(l.Tools) != 2 {
				t.Errorf("after the change: %s, %v", asJSON(t, l), err)
			}
		})
	}
}

// What is not listed is found, loaded by name, listed from then on, and can be called either way.
func TestSearch(t *testing.T) {
	s := newToolset("acme.a")
	for i := range 5 {
		h := tool(fmt.Sprintf("acme.hidden%d", i))
		h.Always = false
		s.hidden = append(s.hidden, h)
	}
	told := make(chan struct{}, 10)
	c := connect(t, s, "2025-11-25", face.Options{Loaded: 2}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} },
	})
	names := func() string {
		l, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, one := range l.Tools {
			all = append(all, one.Name)
		}
		return strings.Join(all, " ")
	}
	if got := names(); got != "core.tool_search acme.a" {
		t.Errorf("listed: %s", got)
	}
	search := func(arguments string) string {
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: face.SearchName, Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(r.IsError, " ", r.Content[0].(*mcp.TextContent).Text)
	}
	if got := search(`{"query":"hidden","limit":2}`); !strings.Contains(got, "acme.hidden1") || strings.Contains(got, "acme.hidden2") || strings.Contains(got, "inputSchema") {
		t.Errorf("found: %s", got)
	}
	if got := search(`{"load":["acme.hidden3","acme.none"]}`); !strings.Contains(got, `"inputSchema"`) || !strings.Contains(got, `"unknown":["acme.none"]`) {
		t.Errorf("loaded: %s", got)
	}
	<-told
	if got := names(); got != "core.tool_search acme.a acme.hidden3" {
		t.Errorf("listed: %s", got)
	}
	search(`{"load":["acme.hidden1","acme.hidden2"]}`)
	if got := names(); got != "core.tool_search acme.a acme.hidden1 acme.hidden2" {
		t.Errorf("the one that was loaded first did not give way: %s", got)
	}
	for _, bad := range []string{`{}`, `{"query":"x","limit":0}`, `{"query":"x","limit":51}`, `{"quary":"x"}`, `{"query":"` + strings.Repeat("x", 2000) + `"}`, `{"load":["a","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q","r","s","t","u"]}`} {
		if got := search(bad); !strings.HasPrefix(got, "true invalid arguments") {
			t.Errorf("%.60s: %s", bad, got)
		}
	}
	if r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "acme.hidden4"}); err != nil || r.IsError {
		t.Errorf("called without being loaded: %s, %v", asJSON(t, r), err)
	}
}

// The cases of an envelope, as MCP has them.
func TestResults(t *testing.T) {
	s := newToolset("acme.a")
	s.always[0].Output = json.RawMessage(`{"type":"object"}`)
	s.always = append(s.always, tool("acme.b"))
	c := connect(t, s, "2025-06-18", face.Options{}, nil)
	if _, err := c.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct{ name, envelope, want string }{
		{"acme.b", `{"type":"output","data":"hi","metadata":{"outcome":"final"}}`, `"content":[{"type":"text","text":"hi"}]`},
		{"acme.b", `{"type":"output","data":[1,2],"metadata":{"outcome":"final"}}`, `"content":[{"type":"text","text":"[1,2]"}]`},
		{"acme.b", `{"type":"output","data":{"a":1},"metadata":{"outcome":"final"}}`, `"structuredContent":{"a":1}`},
		{"acme.b", `{"type":"output","data":{"head":"begin"},"metadata":{"outcome":"truncated","truncated":true,"output_path":"/x/y"}}`, `"content":[{"type":"text","text":"begin"},{"type":"text","text":"[cut at the tool's limit: all of it is in /x/y]"}]`},
		{"acme.a", `{"type":"output","data":{"head":"begin"},"metadata":{"outcome":"truncated","truncated":true}}`, `"isError":true`},
		{"acme.b", `{"type":"error","error_text":"rule says no","metadata":{"outcome":"denied"}}`, `"text":"\"acme.b\" exists but you may not call it: rule says no"`},
		{"acme.b", `{"type":"error","error_text":"canceled on request","metadata":{"outcome":"canceled"}}`, `"isError":true`},
		{"acme.b", `{"type":"error","error_text":"it took too long","data":"half","metadata":{"outcome":"timed_out"}}`, `{"type":"text","text":"timed out: it took too long"},{"type":"text","text":"half"}`},
	} {
		s.call = func(context.Context, *face.Call) (*face.Result, error) {
			return &face.Result{TaskID: "t", Envelope: json.RawMessage(one.envelope)}, nil
		}
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: one.name})
		if err != nil {
			t.Fatal(err)
		}
		if got := asJSON(t, r); !strings.Contains(got, one.want) {
			t.Errorf("%s\n became %s\n want %s", one.envelope, got, one.want)
		}
	}
	s.call = func(context.Context, *face.Call) (*face.Result, error) {
		return &face.Result{Envelope: json.RawMessage(`{"type":"error","error_text":"there is no tool \"x\"","metadata":{"outcome":"unknown_tool"}}`)}, nil
	}
	_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "x"})
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("an unknown tool: %v", err)
	}
}

// Artifacts come as content of their kind, up to a limit.
func TestArtifacts(t *testing.T) {
	s := newToolset("acme.a")
	big := a2a.Artifact{ID: "big", Parts: []a2a.Part{{Kind: a2a.PartRaw, Raw: make([]byte, 9<<20)}}}
	s.call = func(context.Context, *face.Call) (*face.Result, error) {
		r := output(`null`)
		r.Artifacts = []a2a.Artifact{
			{ID: "i", Parts: []a2a.Part{{Kind: a2a.PartRaw, Raw: []byte("png"), MediaType: "image/png"}}},
			{ID: "s", Parts: []a2a.Part{{Kind: a2a.PartRaw, Raw: []byte("wav"), MediaType: "audio/wav"}}},
			big,
			{ID: "f", Parts: []a2a.Part{{Kind: a2a.PartRaw, Raw: []byte("zip"), MediaType: "application/zip"}, {Kind: a2a.PartURL, URL: "https://example.com/x"}, a2a.TextPart("words")}},
		}
		return r, nil
	}
	c := connect(t, s, "2025-06-18", face.Options{}, nil)
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "acme.a"})
	if err != nil {
		t.Fatal(err)
	}
	want := `"content":[{"type":"image","mimeType":"image/png","data":"cG5n"},{"type":"audio","mimeType":"audio/wav","data":"d2F2"},` +
		`{"type":"resource","resource":{"uri":"a2a-sidecar://task/task-1/artifact/f/0","mimeType":"application/zip","blob":"emlw"}},` +
		`{"type":"resource_link","uri":"https://example.com/x","name":"f"},{"type":"text","text":"words"},{"type":"text","text":"[1 more of the call's artifacts are in task task-1]"}]`
	if got := asJSON(t, r); !strings.Contains(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A panic and a caller with too many requests cost nobody else anything.
func TestHurtsNobodyElse(t *testing.T) {
	s := newToolset("acme.a")
	hold, began := make(chan struct{}), make(chan struct{}, face.MaxCalls)
	s.call = func(_ context.Context, c *face.Call) (*face.Result, error) {
		if c.Name == "acme.panic" {
			panic("boom")
		}
		began <- struct{}{}
		<-hold
		return output(`1`), nil
	}
	c := connect(t, s, "2025-06-18", face.Options{}, nil)
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "acme.panic"})
	if err != nil || !r.IsError {
		t.Errorf("a panic: %s, %v", asJSON(t, r), err)
	}
	var all sync.WaitGroup
	for range face.MaxCalls {
		all.Go(func() {
			if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "acme.a"}); err != nil {
				t.Error(err)
			}
		})
		<-began
	}
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "acme.a"}); err == nil || !strings.Contains(err.Error(), "busy") {
		t.Errorf("one more than the limit: %v", err)
	}
	close(hold)
	all.Wait()
}
