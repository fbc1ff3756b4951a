package face_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/sidecar/mcp/face"
	own "github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// revisions are those that a client may speak.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// toolset is a Backend in memory.
type toolset struct {
	mu      sync.Mutex
	always  []face.Tool
	hidden  []face.Tool
	changed chan struct{}
	// searches says that it has the search tool itself.
	searches bool
	call     func(ctx context.Context, c *face.Call) (*face.Result, error)
}

func newToolset(names ...string) *toolset {
	s := &toolset{changed: make(chan struct{})}
	for _, name := range names {
		s.always = append(s.always, tool(name))
	}
	s.call = func(_ context.Context, c *face.Call) (*face.Result, error) {
		return output(fmt.Sprintf(`{"called":%q,"with":%s}`, c.Name, c.Arguments)), nil
	}
	return s
}

func tool(name string) face.Tool {
	return face.Tool{Name: name, Description: "the tool " + name, Input: json.RawMessage(`{"type":"object","properties":{"z":{},"a":{}}}`), Always: true}
}

func output(data string) *face.Result {
	return &face.Result{TaskID: "task-1", Envelope: json.RawMessage(`{"type":"output","data":` + data + `,"metadata":{"outcome":"final"}}`)}
}

func (s *toolset) Tools(context.Context) (*face.List, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &face.List{Tools: s.always, Discoverable: len(s.hidden), Searches: s.searches}, nil
}

func (s *toolset) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

func (s *toolset) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *toolset) Search(_ context.Context, query string, limit int) (hits []own.Found, err error) {
	for _, t := range s.hidden {
		if strings.Contains(t.Name, query) && len(hits) < limit {
			hits = append(hits, own.Found{Name: t.Name, Description: t.Description})
		}
	}
	return hits, nil
}

func (s *toolset) Load(_ context.Context, names []string) (tools []face.Tool, err error) {
	for _, name := range names {
		for _, t := range append(s.always, s.hidden...) {
			if t.Name == name {
				tools = append(tools, t)
			}
		}
	}
	return tools, nil
}

func (s *toolset) Call(ctx context.Context, c *face.Call) (*face.Result, error) {
	return s.call(ctx, c)
}

// connect returns a client that speaks a revision with a face over b.
func connect(t *testing.T, b face.Backend, revision string, o face.Options, co *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	o.Backend = b
	f := face.New(o)
	ctx, stop := context.WithCancel(t.Context())
	ours, theirs := mcp.NewInMemoryTransports()
	var all sync.WaitGroup
	all.Go(func() { _ = f.Serve(ctx, ours) }) // it ends when the client does
	all.Go(func() { f.Follow(ctx) })
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, co).Connect(t.Context(), theirs, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		stop()
		f.Close()
		all.Wait()
	})
	return c
}
