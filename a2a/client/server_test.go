package client_test

import (
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// The client and the server of this package understand each other.
func TestClientWithServer(t *testing.T) {
	base := a2atest.Serve(t, server.New(server.Options{Handler: a2atest.NewFake()}).HTTPServer())
	c := client.New(base, nil)
	ctx := await.Context(t)
	say := func(text string) *a2a.SendRequest {
		return &a2a.SendRequest{Message: a2a.Message{ID: "m", Parts: []a2a.Part{a2a.TextPart(text)}}}
	}

	sent, err := c.Send(ctx, say("hi"))
	if err != nil || sent.Task == nil || sent.Task.Status.State != a2a.StateCompleted || sent.Task.Artifacts[0].Parts[0].Text != "echo: hi" {
		t.Errorf("send: %+v, %v", sent, err)
	}
	if sent, err = c.Send(ctx, say("message")); err != nil || sent.Message == nil || sent.Message.Parts[0].Text != "bare" {
		t.Errorf("send: %+v, %v", sent, err)
	}
	for text, want := range map[string]*a2a.Error{" ": a2a.ErrInvalidParams, "busy": a2a.ErrBusy, "drain": a2a.ErrUnavailable, "boom": a2a.ErrInternal} {
		if _, err := c.Send(ctx, say(text)); !errors.Is(err, want) {
			t.Errorf("send %q: %v, want %v", text, err, want)
		}
		if _, err := c.Stream(ctx, say(text)); !errors.Is(err, want) {
			t.Errorf("stream %q: %v, want %v", text, err, want)
		}
	}

	stream, err := c.Stream(ctx, say("hi"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := a2atest.ReadAll(t, stream)
	if !errors.Is(err, io.EOF) || len(got) != 5 || got[0].Task == nil || got[4].State() != a2a.StateCompleted {
		t.Errorf("stream: %d events, %v", len(got), err)
	}
	if stream, err = c.Subscribe(ctx, &a2a.SubscribeRequest{ID: "working"}); err != nil {
		t.Fatal(err)
	}
	if got, err = a2atest.ReadAll(t, stream); !errors.Is(err, io.EOF) || len(got) != 4 {
		t.Errorf("subscribe: %d events, %v", len(got), err)
	}
	if _, err := c.Subscribe(ctx, &a2a.SubscribeRequest{ID: "done"}); !errors.Is(err, a2a.ErrUnsupportedOperation) {
		t.Errorf("subscribe to what has ended: %v", err)
	}

	two := 2
	if task, err := c.Get(ctx, &a2a.GetRequest{ID: "done", HistoryLength: &two}); err != nil || task.ID != "done" || len(task.History) != 2 {
		t.Errorf("get: %+v, %v", task, err)
	}
	if page, err := c.List(ctx, &a2a.ListRequest{ContextID: "c"}); err != nil || page.PageSize != 50 || len(page.Tasks) != 1 {
		t.Errorf("list: %+v, %v", page, err)
	}
	if task, err := c.Cancel(ctx, &a2a.CancelRequest{ID: "working"}); err != nil || task.Status.State != a2a.StateCanceled {
		t.Errorf("cancel: %+v, %v", task, err)
	}
	if _, err := c.Cancel(ctx, &a2a.CancelRequest{ID: "done"}); !errors.Is(err, a2a.ErrTaskNotCancelable) {
		t.Errorf("cancel what has ended: %v", err)
	}

	tools, err := c.Tools(ctx)
	if err != nil || string(tools.Body) != a2atest.ToolsJSON || tools.ETag != `"sha256:00"` {
		t.Errorf("tools: %+v, %v", tools, err)
	}
	var card struct{ URL string }
	if doc, err := c.Card(ctx); err != nil || json.Unmarshal(doc.Body, &card) != nil || card.URL != base+"/" {
		t.Errorf("card: %+v, %v", doc, err)
	}
	reply, err := c.CallTool(ctx, &a2a.ToolRequest{Name: "acme.echo", Arguments: []byte(`{"a":1}`)})
	if err != nil || reply.Status != 200 || string(reply.Envelope) != `{"type":"output","data":{"a":1}}` || reply.TaskID != "task-1" {
		t.Errorf("call: %+v, %v", reply, err)
	}
	if reply, err = c.CallTool(ctx, &a2a.ToolRequest{Name: "acme.busy"}); err != nil || reply.Status != 429 || reply.RetryAfter != 3 {
		t.Errorf("busy call: %+v, %v", reply, err)
	}
	if _, err := c.CallTool(ctx, &a2a.ToolRequest{Name: "acme.drain"}); !errors.Is(err, a2a.ErrUnavailable) {
		t.Errorf("call while draining: %v", err)
	}
}
