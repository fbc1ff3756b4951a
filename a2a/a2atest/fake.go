package a2atest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Fake is an agent in memory. The text of a message says what it does; its ids
// and times never change, so that transcripts compare.
type Fake struct {
	AgentCard *a2a.Card
	// extended is made when it is first asked for.
	extended *a2a.Card
	ToolList *a2a.Document

	mu     sync.Mutex
	ready  error
	sent   []*a2a.SendRequest
	Called []*a2a.ToolRequest

	Pushed   []*a2a.CreatePushRequest
	Unpushed []string // task and config

	// open, when set, is what StreamMessage and SubscribeTask return.
	Open func() a2a.Stream
}

const (
	Extension = "urn:test:extension:v1"
	ToolsJSON = `[{"name":"acme.echo","description":"says it again","inputSchema":{"type":"object"}}]`
)

// NewFake returns an agent that streams and takes most media types.
func NewFake() *Fake {
	return &Fake{
		AgentCard: &a2a.Card{Name: "fake", Description: "an agent in memory", Version: "1", Streaming: true,
			InputModes: []string{"text/*", "application/json", "application/octet-stream", "application/pdf", "image/*"}},
		ToolList: &a2a.Document{Body: []byte(ToolsJSON), ETag: `"sha256:00"`},
	}
}

func at() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC) }

// Sends are the requests to send a message that came so far.
func (f *Fake) Sends() []*a2a.SendRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent
}

// accept takes a message and returns the task it makes, in its last state.
func (f *Fake) accept(r *a2a.SendRequest) (*a2a.Task, error) {
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
	t := &a2a.Task{ID: "task-1", ContextID: m.ContextID, Status: Status(a2a.StateCompleted, ""), History: []a2a.Message{m}}
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
		t.Status = Status(a2a.StateInputRequired, "Which one?")
	case text == "approve":
		t.Status = Status(a2a.StateAuthRequired, "May I?")
	case r.ReturnImmediately:
		t.Status = Status(a2a.StateSubmitted, "")
	default:
		t.Artifacts = []a2a.Artifact{{ID: "response", Parts: []a2a.Part{a2a.TextPart("echo: " + text)}}}
	}
	if r.HistoryLength != nil && *r.HistoryLength == 0 {
		t.History = nil
	}
	return t, nil
}

// Status is a status at the one time of the Fake, with a message if there is a text.
func Status(s a2a.TaskState, text string) a2a.Status {
	st := a2a.Status{State: s, Timestamp: at()}
	if text != "" {
		st.Message = &a2a.Message{ID: "msg-agent", ContextID: "ctx-1", TaskID: "task-1", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(text)}}
	}
	return st
}

func (f *Fake) SendMessage(_ context.Context, r *a2a.SendRequest) (*a2a.SendResult, error) {
	if r.Message.Parts[0].Text == "message" {
		return &a2a.SendResult{Message: &a2a.Message{ID: "msg-agent", ContextID: "ctx-1", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("bare")}}}, nil
	}
	t, err := f.accept(r)
	if err != nil {
		return nil, err
	}
	return &a2a.SendResult{Task: t}, nil
}

func (f *Fake) StreamMessage(ctx context.Context, r *a2a.SendRequest) (a2a.Stream, error) {
	if r.Message.Parts[0].Text == "message" {
		res, err := f.SendMessage(ctx, r)
		if err != nil {
			return nil, err
		}
		return &Scripted{Events: []*a2a.Event{{Message: res.Message}, Update(a2a.StateWorking)}}, nil
	}
	t, err := f.accept(r)
	if err != nil {
		return nil, err
	}
	if f.Open != nil {
		return f.Open(), nil
	}
	begin := *t
	begin.Status, begin.Artifacts = Status(a2a.StateSubmitted, ""), nil
	events := []*a2a.Event{{Task: &begin}, Update(a2a.StateWorking)}
	if len(t.Artifacts) > 0 {
		events = append(events, Chunk("echo: ", false, false), Chunk(r.Message.Parts[0].Text, true, true))
	}
	last := Update(t.Status.State)
	last.Status.Status = t.Status
	// Nobody on a send stream may see what comes after its end.
	return &Scripted{Events: append(events, last, Update(a2a.StateWorking), Update(a2a.StateCompleted))}, nil
}

// Update is an event of a changed state.
func Update(s a2a.TaskState) *a2a.Event {
	return &a2a.Event{Status: &a2a.StatusUpdate{TaskID: "task-1", ContextID: "ctx-1", Status: Status(s, "")}}
}

// Chunk is an event of a piece of text.
func Chunk(text string, more, last bool) *a2a.Event {
	return &a2a.Event{Artifact: &a2a.ArtifactUpdate{
		TaskID: "task-1", ContextID: "ctx-1", Append: more, LastChunk: last,
		Artifact: a2a.Artifact{ID: "response", Parts: []a2a.Part{a2a.TextPart(text)}},
	}}
}

// task returns the tasks that always exist: done, asking and working.
func (f *Fake) task(id string) (*a2a.Task, error) {
	t := &a2a.Task{ID: id, ContextID: "ctx-1", Status: Status(a2a.StateCompleted, "")}
	switch id {
	case "done":
	case "asking":
		t.Status = Status(a2a.StateInputRequired, "Which one?")
	case "working":
		t.Status = Status(a2a.StateWorking, "")
	default:
		return nil, a2a.ErrTaskNotFound.With("task %.40q not found", id)
	}
	return t, nil
}

func (f *Fake) GetTask(_ context.Context, r *a2a.GetRequest) (*a2a.Task, error) {
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
func (f *Fake) ListTasks(_ context.Context, r *a2a.ListRequest) (*a2a.TaskList, error) {
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

func (f *Fake) CancelTask(_ context.Context, r *a2a.CancelRequest) (*a2a.Task, error) {
	t, err := f.task(r.ID)
	if err != nil {
		return nil, err
	}
	if t.Status.State.Terminal() {
		return nil, a2a.ErrTaskNotCancelable
	}
	t.Status = Status(a2a.StateCanceled, "")
	return t, nil
}

func (f *Fake) SubscribeTask(_ context.Context, r *a2a.SubscribeRequest) (a2a.Stream, error) {
	if f.Open != nil {
		return f.Open(), nil
	}
	t, err := f.task(r.ID)
	if err != nil {
		return nil, err
	}
	if t.Status.State.Terminal() {
		return nil, a2a.ErrUnsupportedOperation.With("task %s has ended", r.ID)
	}
	return &Scripted{Events: []*a2a.Event{{Task: t}, Update(a2a.StateInputRequired), Update(a2a.StateWorking), Update(a2a.StateCompleted)}}, nil
}

func (f *Fake) CallTool(_ context.Context, r *a2a.ToolRequest) (*a2a.ToolReply, error) {
	f.mu.Lock()
	f.Called = append(f.Called, r)
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

func (f *Fake) Card() *a2a.Card      { return f.AgentCard }
func (f *Fake) Tools() *a2a.Document { return f.ToolList }

// SearchTools finds "acme.echo" by a query that is a part of its name. The query "fail" is an
// error.
func (f *Fake) SearchTools(_ context.Context, r *a2a.ToolSearch) ([]a2a.FoundTool, error) {
	switch {
	case r.Query == "fail":
		return nil, a2a.ErrInvalidParams.With("query: fail").At("query")
	case !strings.Contains("acme.echo", r.Query):
		return nil, nil
	}
	return []a2a.FoundTool{{Name: "acme.echo", Description: fmt.Sprintf("says it again, limit %d", r.Limit)}}, nil
}

func (f *Fake) Ready() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ready
}

// SetReady sets what Ready returns.
func (f *Fake) SetReady(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ready = err
}

// ExtendedCard is the card with one more skill.
func (f *Fake) ExtendedCard(context.Context, *a2a.Params) (*a2a.Card, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.extended == nil {
		card := *f.AgentCard
		card.Skills = append(card.Skills, a2a.Skill{ID: "extended", Name: "extended", Tags: []string{"more"}})
		f.extended = &card
	}
	return f.extended, nil
}
