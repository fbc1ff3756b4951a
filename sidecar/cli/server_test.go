package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// agent is a server with an agent that does what the first word of a message
// says: the commands are tested against the real wire.
type agent struct {
	server.Handler // what no command calls
	tasks          *task.Registry
	work           sync.WaitGroup
	ready          atomic.Bool
	tools          *a2a.Document
	looked         chan struct{} // closed once somebody has asked for the status twice
	looks          atomic.Int32
}

// startAgent serves an agent until the test ends, and returns its address.
func startAgent(t testing.TB) string {
	snap, _, err := manifest.Parse("tools.json", []byte(toolList), manifest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{
		tasks:  task.NewRegistry(task.Options{}),
		looked: make(chan struct{}),
		tools:  &a2a.Document{Body: snap.Document(), ETag: `"` + snap.Revision() + `"`},
	}
	a.ready.Store(true)
	server := httptest.NewServer(server.New(server.Options{Handler: a, Health: a.health, Mounts: a.mounted()}))
	t.Cleanup(func() {
		a.tasks.Close()
		server.CloseClientConnections()
		server.Close()
		a.work.Wait()
	})
	return server.URL
}

// startPages serves what is no sidecar: pages for a browser.
func startPages(t testing.TB) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if strings.HasPrefix(r.URL.Path, "/missing") {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, "<html><body><h1>Welcome</h1></body></html>")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

const toolList = `[
  {"name": "acme.echo", "description": "Says it again.\nTwice if you like.", "inputSchema": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}},
  {"name": "acme.time", "description": "Tells the \u202etime.", "inputSchema": {"type": "object"}}
]`

func (a *agent) Card() *a2a.Card {
	return &a2a.Card{Name: "fake\x1b[31m", Version: "1.2.3", Streaming: true}
}
func (a *agent) Tools() *a2a.Document { return a.tools }

func (a *agent) SearchTools(_ context.Context, r *a2a.ToolSearch) ([]a2a.FoundTool, error) {
	switch r.Query {
	case "fail":
		return nil, a2a.ErrInvalidParams.With("query: fail")
	case "echo":
		return []a2a.FoundTool{{Name: "acme.echo", Description: fmt.Sprintf("Says it again, limit\x1b %d.\nTwice.", r.Limit)}}, nil
	}
	return nil, nil
}

func (a *agent) Ready() error {
	if !a.ready.Load() {
		return a2a.ErrUnavailable.With("draining")
	}
	return nil
}

// health is the body of the health endpoints.
func (a *agent) health() []byte { return []byte(`{"status":"ok"}`) }

func (a *agent) SendMessage(ctx context.Context, r *a2a.SendRequest) (*a2a.SendResult, error) {
	t, err := a.deliver(&r.Message, func(*task.Task) {})
	if err != nil {
		return nil, err
	}
	settled := func(s a2a.TaskState) bool { return s.Terminal() || s.Interrupted() }
	if err := t.Wait(ctx, settled); err != nil {
		return nil, err
	}
	if m := t.Reply(); m != nil {
		return &a2a.SendResult{Message: m}, nil
	}
	return &a2a.SendResult{Task: t.Snapshot(nil, true)}, nil
}

func (a *agent) StreamMessage(_ context.Context, r *a2a.SendRequest) (a2a.Stream, error) {
	var stream a2a.Stream
	_, err := a.deliver(&r.Message, func(t *task.Task) { stream = t.Subscribe() })
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(r.Message.Parts[0].Text, "break") {
		return &cutStream{Stream: stream}, nil
	}
	return stream, nil
}

// cutStream breaks off once an artifact was seen.
type cutStream struct {
	a2a.Stream
	cut bool
}

func (s *cutStream) Next(ctx context.Context) ([]*a2a.Event, error) {
	if s.cut {
		return nil, a2a.ErrStalled
	}
	events, err := s.Stream.Next(ctx)
	for _, e := range events {
		s.cut = s.cut || e.Artifact != nil
	}
	return events, err
}

func (a *agent) SubscribeTask(_ context.Context, r *a2a.SubscribeRequest) (a2a.Stream, error) {
	t, err := a.tasks.Get("", r.ID)
	if err != nil {
		return nil, err
	}
	return t.Subscribe(), nil
}

func (a *agent) GetTask(_ context.Context, r *a2a.GetRequest) (*a2a.Task, error) {
	t, err := a.tasks.Get("", r.ID)
	if err != nil {
		return nil, err
	}
	return t.Snapshot(r.HistoryLength, true), nil
}

func (a *agent) ListTasks(ctx context.Context, r *a2a.ListRequest) (*a2a.TaskList, error) {
	return a.tasks.List(ctx, r)
}

func (a *agent) CancelTask(ctx context.Context, r *a2a.CancelRequest) (*a2a.Task, error) {
	t, err := a.tasks.Get("", r.ID)
	if err != nil {
		return nil, err
	}
	t.Cancel(task.ErrCanceled)
	if err := t.Wait(ctx, a2a.TaskState.Terminal); err != nil {
		return nil, err
	}
	return t.Snapshot(nil, true), nil
}

// deliver begins a task, or answers one. begun is called before a new task does
// anything.
func (a *agent) deliver(m *a2a.Message, begun func(*task.Task)) (*task.Task, error) {
	if m.TaskID != "" {
		t, err := a.tasks.Get("", m.TaskID)
		if err != nil {
			return nil, err
		}
		if err := t.Answer(m); err != nil {
			return nil, err
		}
		begun(t)
		return t, nil
	}
	word, rest, _ := strings.Cut(m.Parts[0].Text, " ")
	if word == "busy" {
		return nil, a2a.ErrBusy
	}
	do, found := turns()[word]
	if word == "slow" { // completes once somebody has looked what it does, and shown it
		do, found = func(ctx context.Context, t *task.Task, _ string) error {
			select {
			case <-a.looked:
			case <-ctx.Done():
			}
			if err := say(ctx, t, "at last"); err != nil {
				return err
			}
			return t.Finish(a2a.StateCompleted, nil, nil)
		}, true
	}
	if !found {
		return nil, a2a.ErrInvalidParams.With("no such turn: %s", word)
	}
	if m.ContextID == "" {
		m.ContextID = "ctx"
	}
	t := a.tasks.Create("", m.ContextID, m, nil)
	begun(t)
	a.work.Go(func() {
		ctx := t.Context()
		if err := do(ctx, t, rest); err != nil {
			_ = t.Finish(a2a.StateCanceled, nil, nil) // stopped, or ended by itself
		}
	})
	return t, nil
}

// turn is one thing that the agent can do.
type turn func(ctx context.Context, t *task.Task, rest string) error

func turns() map[string]turn {
	return map[string]turn{
		"echo": func(ctx context.Context, t *task.Task, rest string) error {
			if err := say(ctx, t, rest, " and", " again"); err != nil {
				return err
			}
			return t.Finish(a2a.StateCompleted, nil, nil)
		},
		"break": func(ctx context.Context, t *task.Task, rest string) error {
			if err := say(ctx, t, "first ", "second ", "third"); err != nil {
				return err
			}
			return t.Finish(a2a.StateCompleted, nil, nil)
		},
		"context": func(ctx context.Context, t *task.Task, _ string) error {
			if err := say(ctx, t, t.ContextID()); err != nil {
				return err
			}
			return t.Finish(a2a.StateCompleted, nil, nil)
		},
		"fail": func(ctx context.Context, t *task.Task, rest string) error {
			if err := say(ctx, t, "so far"); err != nil {
				return err
			}
			return t.Finish(a2a.StateFailed, message(rest), nil)
		},
		"reject": func(_ context.Context, t *task.Task, rest string) error {
			return t.Finish(a2a.StateRejected, message(rest), nil)
		},
		"reply": func(_ context.Context, t *task.Task, rest string) error { return t.FinishMessage(message(rest)) },
		"hang": func(ctx context.Context, t *task.Task, _ string) error {
			if err := say(ctx, t, "begun"); err != nil {
				return err
			}
			<-ctx.Done()
			return context.Cause(ctx)
		},
		"ask": ask,
		"brief": func(ctx context.Context, t *task.Task, _ string) error {
			brief, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
			defer cancel()
			_, err := t.Ask(brief, task.Question{Text: "Run it?", Detail: "rm -rf \x1b[31m/tmp/x", Options: []task.Option{{ID: "y", Label: "Yes"}}})
			if !errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("the question ended with %w", err)
			}
			if err := say(ctx, t, "somebody said yes"); err != nil {
				return err
			}
			return t.Finish(a2a.StateCompleted, nil, nil)
		},
		"mix":  mixed,
		"evil": evil,
	}
}

func message(text string) *a2a.Message {
	return &a2a.Message{Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(text)}}
}

// say streams texts into the artifact of the answer.
func say(ctx context.Context, t *task.Task, texts ...string) error {
	if err := t.Status(a2a.StateWorking, message("thinking"), nil); err != nil {
		return err
	}
	for i, text := range texts {
		if err := add(ctx, t, "response", i > 0, a2a.TextPart(text)); err != nil {
			return err
		}
	}
	return nil
}

func add(ctx context.Context, t *task.Task, name string, more bool, parts ...a2a.Part) error {
	return t.Artifact(ctx, a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: name, Name: name, Parts: parts}, Append: more})
}

func ask(ctx context.Context, t *task.Task, _ string) error {
	if err := say(ctx, t, "before\n"); err != nil {
		return err
	}
	answer, err := t.Ask(ctx, task.Question{Text: "Delete it?", Options: []task.Option{{ID: "y", Label: "Yes"}, {ID: "n", Label: "No"}}})
	if err != nil {
		return err
	}
	if err := add(ctx, t, "response", true, a2a.TextPart("you said "+answer.OptionID)); err != nil {
		return err
	}
	return t.Finish(a2a.StateCompleted, nil, nil)
}

func mixed(ctx context.Context, t *task.Task, _ string) error {
	if err := say(ctx, t, "no newline"); err != nil {
		return err
	}
	err := add(ctx, t, "files", false, a2a.DataPart(json.RawMessage(`{"a":1}`)), a2a.Part{Kind: a2a.PartURL, URL: "http://x/y"},
		a2a.Part{Kind: a2a.PartRaw, Raw: []byte("abc"), MediaType: "image/png", Filename: "p.png"})
	if err != nil {
		return err
	}
	if err := add(ctx, t, "stderr", false, a2a.TextPart("a warning\n")); err != nil {
		return err
	}
	return t.Finish(a2a.StateCompleted, nil, nil)
}

func evil(ctx context.Context, t *task.Task, _ string) error {
	if err := say(ctx, t, "\x1b[2J\u202eabc\r\n\x07\u0085"); err != nil {
		return err
	}
	return t.Finish(a2a.StateFailed, message("\x1b]0;owned\x07\nsidecar: all is well"), nil)
}

// permission asks for one.
func permission(ctx context.Context, t *task.Task, _ string) error {
	_, err := t.Ask(ctx, task.Question{Text: "May it run?", State: a2a.StateAuthRequired})
	return err
}

// waiting starts a task and returns its id once it asks something.
func (a *agent) waiting(ctx context.Context, asks func(context.Context, *task.Task, string) error) (string, error) {
	t := a.tasks.Create("", "ctx", message("call"), nil)
	a.work.Go(func() { _ = asks(t.Context(), t, "") })
	return t.ID(), t.Wait(ctx, a2a.TaskState.Interrupted)
}

// CallTool answers with the outcome that the tool's name ends in.
func (a *agent) CallTool(ctx context.Context, r *a2a.ToolRequest) (*a2a.ToolReply, error) {
	_, outcome, _ := strings.Cut(r.Name, ".")
	status := map[string]int{
		"failed": 502, "invalid_arguments": 422, "unknown_tool": 404, "denied": 403, "busy": 429,
		"unavailable": 503, "timed_out": 504, "canceled": 409,
	}[outcome]
	meta := func(outcome string) string {
		return fmt.Sprintf(`{"call_id":"c","tool":%q,"duration_ms":1,"outcome":%q}`, r.Name, outcome)
	}
	switch {
	case status != 0:
		return &a2a.ToolReply{Status: status, Envelope: []byte(`{"type":"error","error_text":"no ` + outcome + `","metadata":` + meta(outcome) + `}`)}, nil
	case outcome == "question" || outcome == "approval":
		asks := ask
		if outcome == "approval" {
			asks = permission
		}
		id, err := a.waiting(ctx, asks)
		if err != nil {
			return nil, err
		}
		return &a2a.ToolReply{Status: 202, TaskID: id, Envelope: []byte(`{"type":"waiting","metadata":` + meta("") + `}`)}, nil
	case outcome == "crash":
		return &a2a.ToolReply{Status: 502, Envelope: []byte(`{"type":"error","error_text":"exit status 3: one\ntwo","data":"so far\n","metadata":` + meta("failed") + `}`)}, nil
	case outcome == "partial":
		return &a2a.ToolReply{Status: 200, Envelope: []byte(`{"type":"output","data":"so far\n","metadata":{"outcome":"partial","reason":"timed_out"}}`)}, nil
	case outcome == "long":
		return &a2a.ToolReply{Status: 200, TaskID: "t-3", Envelope: []byte(`{"type":"output","data":{"head":"all"},"metadata":` +
			`{"outcome":"truncated","truncated":true,"redacted":true,"output_path":"/tmp/x","output_url":"/a2a/outputs/t-3"}}`)}, nil
	case outcome == "cut":
		return &a2a.ToolReply{Status: 200, TaskID: "t-4", Envelope: []byte(`{"type":"output","data":{"head":"all"},"metadata":{"outcome":"truncated","truncated":true}}`)}, nil
	case outcome == "file":
		return &a2a.ToolReply{Status: 200, TaskID: "t-2", Envelope: []byte(`{"type":"output","data":{"artifact_id":"output"},"metadata":` + meta("artifact") + `}`)}, nil
	case outcome == "echo":
		var args struct{ Text string }
		if json.Unmarshal(r.Arguments, &args) == nil && args.Text != "" {
			text, _ := json.Marshal(args.Text)
			return &a2a.ToolReply{Status: 200, Envelope: []byte(`{"type":"output","data":` + string(text) + `,"metadata":` + meta("final") + `}`)}, nil
		}
	}
	return &a2a.ToolReply{Status: 200, Envelope: []byte(`{"type":"output","data":` + string(r.Arguments) + `,"metadata":` + meta("final") + `}`)}, nil
}
