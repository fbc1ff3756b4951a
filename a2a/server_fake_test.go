package a2a_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// fake is an agent in memory. The text of a message says what it does; its ids
// and times never change, so that transcripts compare.
type fake struct {
	card *a2a.Card
	// extended is made when it is first asked for.
	extended *a2a.Card
	tools    *a2a.Document

	mu     sync.Mutex
	ready  error
	sent   []*a2a.SendRequest
	called []*a2a.ToolRequest

	pushed   []*a2a.CreatePushRequest
	unpushed []string // task and config

	// open, when set, is what StreamMessage and SubscribeTask return.
	open func() a2a.Stream
}

const (
	extension = "urn:test:extension:v1"
	fakeTools = `[{"name":"acme.echo","description":"says it again","inputSchema":{"type":"object"}}]`
)

func newFake() *fake {
	return &fake{
		card: &a2a.Card{Name: "fake", Description: "an agent in memory", Version: "1", Streaming: true,
			InputModes: []string{"text/*", "application/json", "application/octet-stream", "application/pdf", "image/*"}},
		tools: &a2a.Document{Body: []byte(fakeTools), ETag: `"sha256:00"`},
	}
}

func at() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC) }

func (f *fake) sends() []*a2a.SendRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent
}

// accept takes a message and returns the task it makes, in its last state.
func (f *fake) accept(r *a2a.SendRequest) (*a2a.Task, error) {
	f.mu.Lock()
	f.sent = append(f.sent, r)
	f.mu.Unlock()
	m := r.Message
	if m.TaskID != "" {
		if _, err := f.task(m.TaskID); err != nil {
			return nil, err
		}
	}
	if m.ContextID == "" {
		m.ContextID = "ctx-1"
	}
	m.TaskID = "task-1"
	t := &a2a.Task{ID: "task-1", ContextID: m.ContextID, Status: status(a2a.StateCompleted, ""), History: []a2a.Message{m}}
	text := m.Parts[0].Text
	switch {
	case text == "panic":
		panic("the handler has a bug")
	case text == "boom":
		return nil, errors.New("a secret path: /etc/shadow")
	case text == "busy":
		return nil, fmt.Errorf("queue: %w", a2a.ErrBusy)
	case text == "drain":
		return nil, a2a.ErrUnavailable
	case text == "ask":
		t.Status = status(a2a.StateInputRequired, "Which one?")
	case text == "approve":
		t.Status = status(a2a.StateAuthRequired, "May I?")
	case r.ReturnImmediately:
		t.Status = status(a2a.StateSubmitted, "")
	default:
		t.Artifacts = []a2a.Artifact{{ID: "response", Parts: []a2a.Part{a2a.TextPart("echo: " + text)}}}
	}
	if r.HistoryLength != nil && *r.HistoryLength == 0 {
		t.History = nil
	}
	return t, nil
}

func status(s a2a.TaskState, text string) a2a.Status {
	st := a2a.Status{State: s, Timestamp: at()}
	if text != "" {
		st.Message = &a2a.Message{ID: "msg-agent", ContextID: "ctx-1", TaskID: "task-1", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(text)}}
	}
	return st
}

func (f *fake) SendMessage(_ context.Context, r *a2a.SendRequest) (*a2a.SendResult, error) {
	if r.Message.Parts[0].Text == "message" {
		return &a2a.SendResult{Message: &a2a.Message{ID: "msg-agent", ContextID: "ctx-1", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("bare")}}}, nil
	}
	t, err := f.accept(r)
	if err != nil {
		return nil, err
	}
	return &a2a.SendResult{Task: t}, nil
}

func (f *fake) StreamMessage(ctx context.Context, r *a2a.SendRequest) (a2a.Stream, error) {
	if r.Message.Parts[0].Text == "message" {
		res, err := f.SendMessage(ctx, r)
		if err != nil {
			return nil, err
		}
		return &scripted{events: []*a2a.Event{{Message: res.Message}, update(a2a.StateWorking)}}, nil
	}
	t, err := f.accept(r)
	if err != nil {
		return nil, err
	}
	if f.open != nil {
		return f.open(), nil
	}
	begin := *t
	begin.Status, begin.Artifacts = status(a2a.StateSubmitted, ""), nil
	events := []*a2a.Event{{Task: &begin}, update(a2a.StateWorking)}
	if len(t.Artifacts) > 0 {
		events = append(events, chunk("echo: ", false, false), chunk(r.Message.Parts[0].Text, true, true))
	}
	last := update(t.Status.State)
	last.Status.Status = t.Status
	// Nobody on a send stream may see what comes after its end.
	return &scripted{events: append(events, last, update(a2a.StateWorking), update(a2a.StateCompleted))}, nil
}

func update(s a2a.TaskState) *a2a.Event {
	return &a2a.Event{Status: &a2a.StatusUpdate{TaskID: "task-1", ContextID: "ctx-1", Status: status(s, "")}}
}

func chunk(text string, more, last bool) *a2a.Event {
	return &a2a.Event{Artifact: &a2a.ArtifactUpdate{
		TaskID: "task-1", ContextID: "ctx-1", Append: more, LastChunk: last,
		Artifact: a2a.Artifact{ID: "response", Parts: []a2a.Part{a2a.TextPart(text)}},
	}}
}

// task returns the tasks that always exist: done, asking and working.
func (f *fake) task(id string) (*a2a.Task, error) {
	t := &a2a.Task{ID: id, ContextID: "ctx-1", Status: status(a2a.StateCompleted, "")}
	switch id {
	case "done":
	case "asking":
		t.Status = status(a2a.StateInputRequired, "Which one?")
	case "working":
		t.Status = status(a2a.StateWorking, "")
	default:
		return nil, a2a.ErrTaskNotFound.With("task %.40q not found", id)
	}
	return t, nil
}

func (f *fake) GetTask(_ context.Context, r *a2a.GetRequest) (*a2a.Task, error) {
	t, err := f.task(r.ID)
	if err != nil {
		return nil, err
	}
	for i := range 3 {
		if r.HistoryLength == nil || i >= 3-*r.HistoryLength {
			t.History = append(t.History, a2a.Message{ID: fmt.Sprint("msg-", i), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("hello")}})
		}
	}
	return t, nil
}

// ListTasks answers with what it was asked, as metadata of its one task.
func (f *fake) ListTasks(_ context.Context, r *a2a.ListRequest) (*a2a.TaskList, error) {
	t, _ := f.task("done")
	asked, err := json.Marshal(map[string]any{
		"contextId": r.ContextID, "state": r.State, "pageSize": r.PageSize, "pageToken": r.PageToken,
		"historyLength": r.HistoryLength, "statusAfter": r.StatusAfter, "includeArtifacts": r.IncludeArtifacts,
	})
	if err != nil {
		return nil, err
	}
	t.Metadata = a2a.Metadata{"asked": asked}
	return &a2a.TaskList{Tasks: []*a2a.Task{t}, PageSize: r.PageSize, TotalSize: 1}, nil
}

func (f *fake) CancelTask(_ context.Context, r *a2a.CancelRequest) (*a2a.Task, error) {
	t, err := f.task(r.ID)
	if err != nil {
		return nil, err
	}
	if t.Status.State.Terminal() {
		return nil, a2a.ErrTaskNotCancelable
	}
	t.Status = status(a2a.StateCanceled, "")
	return t, nil
}

func (f *fake) SubscribeTask(_ context.Context, r *a2a.SubscribeRequest) (a2a.Stream, error) {
	if f.open != nil {
		return f.open(), nil
	}
	t, err := f.task(r.ID)
	if err != nil {
		return nil, err
	}
	if t.Status.State.Terminal() {
		return nil, a2a.ErrUnsupportedOperation.With("task %s has ended", r.ID)
	}
	return &scripted{events: []*a2a.Event{{Task: t}, update(a2a.StateInputRequired), update(a2a.StateWorking), update(a2a.StateCompleted)}}, nil
}

func (f *fake) CallTool(_ context.Context, r *a2a.ToolRequest) (*a2a.ToolReply, error) {
	f.mu.Lock()
	f.called = append(f.called, r)
	f.mu.Unlock()
	switch r.Name {
	case "acme.echo":
		return &a2a.ToolReply{Status: 200, Envelope: fmt.Appendf(nil, `{"type":"output","data":%s}`, r.Arguments), TaskID: "task-1"}, nil
	case "acme.busy":
		return &a2a.ToolReply{Status: 429, Envelope: []byte(`{"type":"error","error_text":"busy"}`), RetryAfter: 3}, nil
	case "acme.panic":
		panic("the tool has a bug")
	case "acme.drain":
		return nil, a2a.ErrUnavailable
	}
	return &a2a.ToolReply{Status: 404, Envelope: []byte(`{"type":"error","error_text":"no such tool"}`)}, nil
}

func (f *fake) Card() *a2a.Card      { return f.card }
func (f *fake) Tools() *a2a.Document { return f.tools }

func (f *fake) Ready() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ready
}

func (f *fake) setReady(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ready = err
}

// scripted is a stream of events that are all there.
type scripted struct {
	events []*a2a.Event
	done   bool
}

func (s *scripted) Next(context.Context) ([]*a2a.Event, error) {
	if s.done {
		return nil, io.EOF
	}
	s.done = true
	return s.events, nil
}

func (s *scripted) Close() {}

// live is a stream whose events the test sends. closed is closed with it.
type live struct {
	events chan []*a2a.Event
	fail   chan error
	closed chan struct{}
	once   sync.Once
}

func newLive() *live {
	return &live{events: make(chan []*a2a.Event), fail: make(chan error, 1), closed: make(chan struct{})}
}

func (l *live) Next(ctx context.Context) ([]*a2a.Event, error) {
	select {
	case e := <-l.events:
		return e, nil
	case err := <-l.fail:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *live) Close() { l.once.Do(func() { close(l.closed) }) }

func big(n int) *a2a.Event { return chunk(strings.Repeat("x", n), true, false) }
