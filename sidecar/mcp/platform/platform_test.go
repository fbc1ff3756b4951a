package platform_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/platform"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

const token = "a.token-0123456789"

// rig is a platform with TLS whose server has the named tools.
type rig struct {
	t       *testing.T
	p       *platform.Platform
	tasks   *task.Registry
	parents map[*task.Task]*task.Task
	log     await.Log
	server  *httptest.Server
}

func newRig(t *testing.T, tools ...*mcp.Tool) *rig {
	t.Helper()
	r := &rig{t: t, parents: map[*task.Task]*task.Task{}}
	s := mcp.NewServer(&mcp.Implementation{Name: "platform", Version: "1"}, &mcp.ServerOptions{PageSize: 5000})
	for _, tool := range tools {
		tool.InputSchema = json.RawMessage(`{"type":"object"}`)
		s.AddTool(tool, func(ctx context.Context, c *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if tool.Name == "hang" {
				<-ctx.Done()
			}
			said := c.Extra.Header.Get("Authorization")
			return &mcp.CallToolResult{StructuredContent: map[string]string{"said": said}, Content: []mcp.Content{&mcp.TextContent{Text: said}}}, nil
		})
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	r.server = httptest.NewTLSServer(handler)
	t.Cleanup(r.server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(r.server.Certificate())
	r.open(r.server.URL, roots)
	var err error
	if r.tasks, err = task.OpenRegistry(t.Context(), task.Options{KeepTasks: 10}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.tasks.Close)
	return r
}

// open makes the platform at an address.
func (r *rig) open(url string, roots *x509.CertPool) {
	r.t.Helper()
	p, err := platform.New(platform.Options{
		URL: url, Roots: roots, Log: slog.New(slog.NewTextHandler(&r.log, nil)), PartOf: func(t *task.Task) *task.Task { return r.parents[t] },
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.p = p
	r.t.Cleanup(p.Close)
}

func (r *rig) task() *task.Task {
	return r.tasks.Create("", "c", &a2a.Message{ID: a2a.NewID(), Role: a2a.RoleUser}, nil)
}

// known returns what the agent has while it works on a task.
func (r *rig) known(t *task.Task) *surface.Platform {
	v := surface.Viewer{Agent: true, Task: t}
	r.p.Ready(await.Context(r.t), v)
	return r.p.For(v)
}

func names(p *surface.Platform) string {
	var all []string
	for _, t := range p.Tools {
		all = append(all, t.Name)
	}
	return strings.Join(all, " ")
}

// call calls the first tool of a list.
func (r *rig) call(p *surface.Platform) (*client.Result, error) {
	t := p.Tools[0]
	return r.p.Call(await.Context(r.t), client.Call{Server: t.Bridge.MCP.Server, Tool: t.Bridge.MCP.Tool, Hash: t.External.Hash, Arguments: json.RawMessage("{}")})
}

func TestTurnHasTools(t *testing.T) {
	r := newRig(t, &mcp.Tool{Name: "sv.unit.find", Description: "Finds."}, &mcp.Tool{Name: "get-sum"}, &mcp.Tool{Name: "sv.Bad"}, &mcp.Tool{Name: "svx"}, &mcp.Tool{Name: "core.exec"})
	turn, nested, other := r.task(), r.task(), r.task()
	r.parents[nested] = turn
	end := r.p.Begin(turn, token)
	if got := names(r.known(turn)); got != "sv.core_exec sv.get_sum sv.sv_bad sv.unit.find sv.svx" {
		t.Errorf("the tools are %s", got)
	}
	list := r.known(nested)
	if list != r.known(turn) {
		t.Error("a call of the turn has other tools, or the list is another one each time")
	}
	for what, v := range map[string]surface.Viewer{"another task": {Agent: true, Task: other}, "nobody's work": {Agent: true}, "a caller": {Task: turn}} {
		r.p.Ready(t.Context(), v)
		if p := r.p.For(v); len(p.Tools) > 0 || p.Absent == nil || p.Absent.Reason != surface.Task {
			t.Errorf("%s: %+v", what, p)
		}
	}
	res, err := r.call(list)
	if err != nil || res.Content[0].Text != "Bearer [redacted]" || string(res.Structured) != `{"said":"Bearer [redacted]"}` {
		t.Errorf("got %+v, %v", res, err)
	}
	changed := r.p.Changed()
	end()
	end()
	await.One(t, changed, "the change at the end of the turn")
	if p := r.known(turn); p.Absent == nil || p.Absent.Reason != surface.Task {
		t.Errorf("after the turn: %+v", p)
	}
	if _, err := r.call(list); !errors.Is(err, client.ErrUnavailable) || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("a call after the turn: %v", err)
	}
	// The next turn of the task has a connection of its own.
	defer r.p.Begin(turn, token)()
	if _, err := r.call(list); !errors.Is(err, client.ErrUnavailable) {
		t.Errorf("a call by what the last turn had: %v", err)
	}
	if again := r.known(turn); names(again) != names(list) || again.Tools[0].Digest != list.Tools[0].Digest {
		t.Error("the same tools have other definitions in the next turn: an approval would not count")
	}
}

// TestTurnEndsCalls: a call that runs ends with the turn.
func TestTurnEndsCalls(t *testing.T) {
	r := newRig(t, &mcp.Tool{Name: "hang"})
	turn := r.task()
	end := r.p.Begin(turn, token)
	list := r.known(turn)
	failed := make(chan error, 1)
	go func() {
		_, err := r.call(list)
		failed <- err
	}()
	end()
	if err := await.One(t, failed, "the end of the call"); err == nil || !strings.Contains(err.Error(), "turn") {
		t.Errorf("got %v", err)
	}
}

// TestToolsAreBounded: of an endless list the first tools are kept; a definition with the token in it is
// left out.
func TestToolsAreBounded(t *testing.T) {
	tools := []*mcp.Tool{{Name: "a_leak", Description: "For " + token}}
	for i := range 1200 {
		tools = append(tools, &mcp.Tool{Name: fmt.Sprintf("b_%04d", i)})
	}
	r := newRig(t, tools...)
	turn := r.task()
	defer r.p.Begin(turn, token)()
	list := r.known(turn)
	if len(list.Tools) != 1000 || list.Tools[0].Name != "sv.b_0000" {
		t.Errorf("%d tools, the first is %s", len(list.Tools), list.Tools[0].Name)
	}
	r.log.Says(t, "left out")
}

// TestUnreachable: why the tools cannot be had is told, without the token, and not for ever.
func TestUnreachable(t *testing.T) {
	r := newRig(t)
	for what, c := range map[string]struct {
		url  string
		want string
	}{
		"a certificate of nobody's": {r.server.URL, "certificate"},
		"the address of metadata":   {"https://169.254.169.254/mcp", "link"},
	} {
		r.open(c.url, nil)
		turn := r.task()
		end := r.p.Begin(turn, token)
		if p := r.known(turn); p.Absent == nil || p.Absent.Reason != surface.Setup || !strings.Contains(p.Absent.Text, c.want) {
			t.Errorf("%s: %+v", what, p.Absent)
		}
		end()
	}
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "not you: "+r.Header.Get("Authorization"), http.StatusUnauthorized)
	}))
	t.Cleanup(down.Close)
	r.open(down.URL, nil)
	turn := r.task()
	defer r.p.Begin(turn, token)()
	if p := r.known(turn); p.Absent == nil || !strings.Contains(p.Absent.Text, "does not take the token: 401") {
		t.Errorf("401: %+v", p.Absent)
	}
	if strings.Contains(r.log.String(), token) {
		t.Errorf("the log has the token: %s", r.log.String())
	}
	if _, err := platform.New(platform.Options{URL: "http://platform.example.com"}); err == nil {
		t.Error("an address without TLS is taken")
	}
}

// TestCloseEndsEverything: nothing goes on, and nothing begins any more.
func TestCloseEndsEverything(t *testing.T) {
	r := newRig(t, &mcp.Tool{Name: "one"})
	turn := r.task()
	end := r.p.Begin(turn, token)
	list := r.known(turn)
	r.p.Close()
	if _, err := r.call(list); !errors.Is(err, client.ErrUnavailable) {
		t.Errorf("a call after the end: %v", err)
	}
	end()
	r.p.Begin(turn, token)()
	if p := r.known(turn); p.Absent == nil {
		t.Errorf("a turn after the end: %+v", p)
	}
}

func TestTake(t *testing.T) {
	quoted := json.RawMessage(`"` + token + `"`)
	message, request := a2a.Metadata{"mcpToken": quoted, "x": json.RawMessage("1")}, a2a.Metadata{"mcpToken": json.RawMessage(`"another-token-1"`)}
	if got, err := platform.Take(message, request, nil); got != token || err != nil || len(message) != 1 || len(request) != 0 {
		t.Errorf("got %q, %v, %v, %v", got, err, message, request)
	}
	if got, err := platform.Take(nil, a2a.Metadata{"mcpToken": quoted}); got != token || err != nil {
		t.Errorf("of the request: %q, %v", got, err)
	}
	for _, bad := range []string{`{}`, `[1]`, `7`, `true`, `""`, `"short"`, `"with a blank in it"`, `"line\nbreak-line"`, `"quote\"quote\""`, `"========="`, `"ünïcödé-tøken"`, `"` + strings.Repeat("x", 8<<10+1) + `"`} {
		m := a2a.Metadata{"mcpToken": json.RawMessage(bad)}
		got, err := platform.Take(m)
		if got != "" || !errors.Is(err, a2a.ErrInvalidParams) || len(m) != 0 {
			t.Errorf("%.30s: %q, %v, %v", bad, got, err, m)
		}
	}
}
