package client_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

// echo is a server with one tool, which answers with its arguments.
func echo() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "echo", Version: "1.2"}, nil)
	s.AddTool(&mcp.Tool{Name: "sayBack", Description: "Says it back.", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(r.Params.Arguments)}}, StructuredContent: r.Params.Arguments}, nil
		})
	return s
}

func TestCall(t *testing.T) {
	r := newRig(t, client.Options{}, client.Server{Slug: "files", Dial: sdk(t, echo)})
	if lists := r.Tools(); len(lists) != 0 {
		t.Fatalf("got %d lists of a server that was not started", len(lists))
	}
	changed := r.Changed()
	if err := r.Refresh(await.Context(t)); err != nil {
		t.Fatal(err)
	}
	<-changed
	l := r.Tools()[0]
	if l.Name != "echo" || l.Version != "1.2" || len(l.Tools) != 1 || l.Tools[0].Name != "files.say_back" || l.Tools[0].External.Name != "sayBack" {
		t.Fatalf("got %+v", l)
	}
	const args = `{"n":12345678901234567890,"b":1,"a":"x"}`
	got, err := r.Call(await.Context(t), client.Call{Server: "files", Tool: "sayBack", Hash: l.Tools[0].External.Hash, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	if got.Content[0].Text != args || string(got.Structured) != args {
		t.Errorf("got %s and %s, want what was sent", got.Content[0].Text, got.Structured)
	}
	if st := r.Status()[0]; st.State != client.StateRunning || st.Tools != 1 || st.Starts != 1 || st.Revision != "2026-07-28" {
		t.Errorf("got %+v", st)
	}
}
