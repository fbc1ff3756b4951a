package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// rig is a pipeline with all that it needs.
type rig struct {
	t     testing.TB
	p     *call.Pipeline
	tasks *task.Registry
	log   *await.Log
}

// newRig serves tools from a manifest and a registry, either may be empty.
func newRig(t testing.TB, tools string, reg *manifest.Registry, tweak ...func(*call.Options)) *rig {
	t.Helper()
	snap := parse(t, tools, reg)
	r := &rig{t: t, tasks: task.NewRegistry(task.Options{}), log: &await.Log{}}
	o := call.Options{
		Surface: func(*call.Request) *manifest.Snapshot { return snap }, Tasks: r.tasks, Env: os.Environ(),
		MaxConcurrency: 4, Queue: 16, CancelGrace: 200 * time.Millisecond, AskTimeout: 10 * time.Minute, MaxOutput: 200_000,
		Log: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelInfo})),
	}
	for _, f := range tweak {
		f(&o)
	}
	p, err := call.New(o)
	if err != nil {
		t.Fatal(err)
	}
	r.p = p
	t.Cleanup(r.tasks.Close)
	t.Cleanup(func() { r.p.Close() })
	return r
}

func withHost(t testing.TB) func(*call.Options) {
	h := proc.NewHost(proc.HostOptions{})
	t.Cleanup(h.Close)
	return func(o *call.Options) { o.Host = h }
}

func parse(t testing.TB, tools string, reg *manifest.Registry) *manifest.Snapshot {
	t.Helper()
	snap, _, err := manifest.Parse("tools.json", []byte("["+tools+"]"), manifest.Options{Registry: reg})
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// tool is a definition that takes any object.
func tool(name, sidecar string) string {
	return `{"name":"` + name + `","description":"a test tool","inputSchema":{"type":"object"},"x-sidecar":` + sidecar + `}`
}

// execTool runs the test binary; extra are more members of x-sidecar.
func execTool(name, extra string, args ...string) string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	argv, _ := json.Marshal(append([]string{self}, args...))
	return tool(name, `{"bridge":{"exec":{"command":`+string(argv)+`}}`+extra+`}`)
}

func handler(t testing.TB, reg *manifest.Registry, name string, effects manifest.Effects, h manifest.Handler) {
	t.Helper()
	err := reg.Register(manifest.Definition{
		Name: name, Description: "a test tool", InputSchema: json.RawMessage(`{"type":"object"}`), Effects: effects,
	}, h)
	if err != nil {
		t.Fatal(err)
	}
}

// ended waits for the call's end.
func (r *rig) ended(inv *call.Invocation) ended {
	r.t.Helper()
	await.One(r.t, inv.Done(), "the call's end")
	e := ended{t: r.t, inv: inv, task: inv.Task().Snapshot(nil, true)}
	if err := json.Unmarshal(inv.Envelope(), &e.env); err != nil {
		r.t.Fatalf("envelope %s: %v", inv.Envelope(), err)
	}
	return e
}

func (r *rig) run(name, args string) ended {
	r.t.Helper()
	return r.ended(r.p.Start(call.Request{Tool: name, Arguments: json.RawMessage(args)}))
}

// until waits for the task to enter a state.
func (r *rig) until(inv *call.Invocation, state a2a.TaskState) {
	r.t.Helper()
	ctx := await.Context(r.t)
	if err := inv.Task().Wait(ctx, func(s a2a.TaskState) bool { return s == state }); err != nil {
		r.t.Fatalf("waiting for %s, task is %s: %v", state, inv.Task().State(), err)
	}
	if inv.Task().State().Terminal() && !state.Terminal() {
		r.t.Fatalf("waiting for %s, task is %s: %s", state, inv.Task().State(), inv.Envelope())
	}
}

// follow subscribes before the call starts.
func (r *rig) follow(q call.Request) (*call.Invocation, *follower) {
	inv := r.p.Admit(q)
	f := &follower{t: r.t, stream: inv.Task().Subscribe()}
	r.t.Cleanup(f.stream.Close)
	inv.Start()
	return inv, f
}

// follower reads a task's events.
type follower struct {
	t      testing.TB
	stream a2a.Stream
	seen   []*a2a.Event
}

// next reads on until an event is wanted, or the stream ends: then nil.
func (f *follower) next(want func(*a2a.Event) bool) *a2a.Event {
	f.t.Helper()
	ctx := await.Context(f.t)
	for {
		events, err := f.stream.Next(ctx)
		f.seen = append(f.seen, events...)
		for _, e := range events {
			if want(e) {
				return e
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			f.t.Fatal(err)
		}
	}
}

// all reads to the end.
func (f *follower) all() []*a2a.Event {
	f.t.Helper()
	f.next(func(*a2a.Event) bool { return false })
	return f.seen
}

// update is the toolCall object of a status update, nil when it has none.
type update struct {
	ID     string          `json:"tool_call_id"`
	Status string          `json:"status"`
	Tool   string          `json:"tool_name"`
	Input  json.RawMessage `json:"input_parameters"`
	Live   string          `json:"live_content"`
}

func toolCall(t testing.TB, e *a2a.Event) *update {
	t.Helper()
	if e.Status == nil || e.Status.Metadata[call.ExtensionURI] == nil {
		return nil
	}
	var u update
	if err := json.Unmarshal(e.Status.Metadata[call.ExtensionURI], &u); err != nil {
		t.Fatalf("toolCall object: %v in %s", err, e.Status.Metadata[call.ExtensionURI])
	}
	return &u
}

func status(t testing.TB, want string) func(*a2a.Event) bool {
	return func(e *a2a.Event) bool {
		u := toolCall(t, e)
		return u != nil && u.Status == want
	}
}

// ended is a call that has ended, with what a client sees of it.
type ended struct {
	t    testing.TB
	inv  *call.Invocation
	task *a2a.Task
	env  struct {
		Type      string          `json:"type"`
		Data      json.RawMessage `json:"data"`
		ErrorText *string         `json:"error_text"`
		Metadata  struct {
			CallID     string `json:"call_id"`
			Tool       string `json:"tool"`
			DurationMS *int64 `json:"duration_ms"`
			Outcome    string `json:"outcome"`
			Reason     string `json:"reason"`
			Truncated  bool   `json:"truncated"`
			Redacted   bool   `json:"redacted"`
			OutputPath string `json:"output_path"`
			OutputURL  string `json:"output_url"`
		} `json:"metadata"`
	}
}

func (e ended) text() string {
	if e.env.ErrorText == nil {
		return ""
	}
	return *e.env.ErrorText
}

// is checks a row of the outcome table everywhere that a client can see it.
func (e ended) is(outcome string, state a2a.TaskState, status int) ended {
	e.t.Helper()
	o := e.inv.Outcome()
	if o.String() != outcome || o.State() != state || o.HTTPStatus() != status {
		e.t.Errorf("outcome %s, %s, HTTP %d; want %s, %s, %d: %s", o, o.State(), o.HTTPStatus(), outcome, state, status, e.inv.Envelope())
	}
	if e.task.Status.State != state {
		e.t.Errorf("task is %s, want %s", e.task.Status.State, state)
	}
	if reply := e.inv.Reply(); reply.Status != status || string(reply.Envelope) != string(e.inv.Envelope()) || reply.TaskID != e.task.ID {
		e.t.Errorf("reply %d %s of task %s", reply.Status, reply.Envelope, reply.TaskID)
	}
	m := e.env.Metadata
	if m.Outcome != outcome || m.DurationMS == nil || m.CallID != e.inv.ID() {
		e.t.Errorf("envelope metadata: %s", e.inv.Envelope())
	}
	switch {
	case status == 200 && (e.env.Type != "output" || e.env.ErrorText != nil || e.env.Data == nil):
		e.t.Errorf("an output envelope: %s", e.inv.Envelope())
	case status != 200 && (e.env.Type != "error" || e.text() == ""):
		e.t.Errorf("an error envelope: %s", e.inv.Envelope())
	}
	if got := e.artifact("result"); string(got.Data) != string(e.inv.Envelope()) {
		e.t.Errorf("artifact result is %s, the envelope %s", got.Data, e.inv.Envelope())
	}
	return e
}

// artifact is the first part of one of the task's artifacts.
func (e ended) artifact(id string) a2a.Part {
	e.t.Helper()
	for _, a := range e.task.Artifacts {
		if a.ID == id && len(a.Parts) > 0 {
			return a.Parts[0]
		}
	}
	e.t.Errorf("task has no artifact %q", id)
	return a2a.Part{}
}

func (e ended) data(want string) ended {
	e.t.Helper()
	if string(e.env.Data) != want {
		e.t.Errorf("data %s, want %s", e.env.Data, want)
	}
	return e
}

func (e ended) says(words ...string) ended {
	e.t.Helper()
	for _, w := range words {
		if !strings.Contains(e.text(), w) {
			e.t.Errorf("error text %q does not say %q", e.text(), w)
		}
	}
	return e
}

type deciderFunc func(policy.Request) policy.Decision

func (f deciderFunc) Decide(_ context.Context, r policy.Request) policy.Decision { return f(r) }

func deciding(v policy.Verdict) func(*call.Options) {
	return func(o *call.Options) {
		o.Decider = deciderFunc(func(policy.Request) policy.Decision {
			return policy.Decision{Verdict: v, Rule: "test", Reason: "the test says so"}
		})
	}
}

// agentFunc is a wrapped agent.
type agentFunc func(ctx context.Context, c driver.Call) (driver.CallResult, error)

func (f agentFunc) Call(ctx context.Context, c driver.Call) (driver.CallResult, error) {
	return f(ctx, c)
}

func withAgent(f agentFunc) func(*call.Options) { return func(o *call.Options) { o.Agent = f } }

func answer(t testing.TB, inv *call.Invocation, text string) {
	t.Helper()
	m := &a2a.Message{ID: a2a.NewID(), TaskID: inv.Task().ID(), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(text)}}
	if err := inv.Task().Answer(m); err != nil {
		t.Fatal(err)
	}
}
