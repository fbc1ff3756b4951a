package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// agent is the other end of a driver: the test says what it does.
type agent struct {
	start   func(ctx context.Context) error
	open    func(ctx context.Context, c peer.Conversation) (string, error)
	prompts chan *prompt
	cancels chan string   // the conversations that were to be stopped
	spoke   chan struct{} // gets a value for each word of an agent that chatters
	closed  chan struct{}
	output  strings.Builder

	mu     sync.Mutex
	opened []peer.Conversation
}

// prompt is a prompt that has not returned.
type prompt struct {
	conversation string
	message      peer.Message
	on           peer.Events
	end          chan result
	returned     chan struct{}
}

var _ peer.Peer = (*agent)(nil)

func newAgent() *agent {
	return &agent{prompts: make(chan *prompt), cancels: make(chan string, 100), spoke: make(chan struct{}, 100), closed: make(chan struct{})}
}

func (a *agent) Output(chunk []byte) { a.output.Write(chunk) }

func (a *agent) Start(ctx context.Context) error {
	if a.start == nil {
		return nil
	}
	return a.start(ctx)
}

func (a *agent) About() peer.About { return peer.About{Name: "fake"} }

// Open resumes every conversation, and calls new ones c1, c2, ….
func (a *agent) Open(ctx context.Context, c peer.Conversation) (string, error) {
	a.mu.Lock()
	a.opened = append(a.opened, c)
	n := len(a.opened)
	a.mu.Unlock()
	switch {
	case a.open != nil:
		return a.open(ctx, c)
	case c.ID != "":
		return c.ID, nil
	}
	return fmt.Sprintf("c%d", n), nil
}

func (a *agent) Prompt(ctx context.Context, conversation string, m peer.Message, on peer.Events) (peer.Ending, error) {
	p := &prompt{conversation: conversation, message: m, on: on, end: make(chan result, 1), returned: make(chan struct{})}
	defer close(p.returned)
	select {
	case a.prompts <- p:
	case <-ctx.Done():
		return peer.Ending{}, peer.ErrClosed
	}
	select {
	case r := <-p.end:
		return r.Ending, r.err
	case <-ctx.Done():
		return peer.Ending{}, peer.ErrClosed
	case <-a.closed:
		return peer.Ending{}, peer.ErrClosed
	}
}

// Cancel returns when the test has room for it.
func (a *agent) Cancel(conversation string) { a.cancels <- conversation }

func (a *agent) Close() { close(a.closed) }

// rig is a driver with its agent.
type rig struct {
	t     testing.TB
	agent *agent
	d     *Driver
	known *Conversations
	tasks *task.Registry
}

// speaking runs a test with an agent and the driver that speaks to it, under a clock of its own.
func speaking(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		known, err := OpenConversations("", "fake")
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(t, newAgent(), known)
		test(t, r)
	})
}

// newRig starts a driver, which the test's end closes.
func newRig(t testing.TB, a *agent, known *Conversations) *rig {
	r := &rig{t: t, agent: a, known: known, tasks: task.NewRegistry(task.Options{Window: 64 << 20})}
	r.d = New(Options{Peer: a, Conversations: known, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(r.tasks.Close)
	t.Cleanup(r.d.Close)
	return r
}

// fakeTurn is a message or a call for the driver.
type fakeTurn struct {
	driver.Turn // nil: the driver asks for nothing else
	text        string
	message     *a2a.Message
	call        *driver.Call
	task        *task.Task
	out         *said
	over        context.Context
	done        context.CancelFunc
	permit      func(ctx context.Context, a peer.Action) (peer.Answer, error)
	ask         func(ctx context.Context, q channel.Question) (channel.Answer, error)
	notes       map[string]any
	stream      a2a.Stream
	seen        []a2a.Metadata // the updates that were read
	read        int            // how often they were read

	ctx     context.Context
	cancel  context.CancelCauseFunc
	outcome chan driver.Outcome
	result  chan called
}

// called is the result of a call.
type called struct {
	driver.CallResult
	err error
}

func (u *fakeTurn) Task() *task.Task           { return u.task }
func (u *fakeTurn) Message() *a2a.Message      { return u.message }
func (u *fakeTurn) Text() string               { return u.text }
func (u *fakeTurn) Files() map[int]string      { return map[int]string{1: "/tmp/file"} }
func (u *fakeTurn) Call() *driver.Call         { return u.call }
func (u *fakeTurn) Out() driver.Out            { return u.out }
func (u *fakeTurn) Over() context.Context      { return u.over }
func (u *fakeTurn) Note(key string, value any) { u.notes[key] = value }
func (u *fakeTurn) Judge() driver.Judge        { return judge{Judge: driver.NoJudge(u.task), u: u} }

func (u *fakeTurn) Ask(ctx context.Context, q channel.Question) (channel.Answer, error) {
	return u.ask(ctx, q)
}

// judge has the test decide.
type judge struct {
	driver.Judge
	u *fakeTurn
}

func (j judge) Permit(ctx context.Context, a peer.Action) (peer.Answer, error) {
	return j.u.permit(ctx, a)
}

func (j judge) ReadFile(_ context.Context, path string, _, _ int) (string, error) {
	return "content of " + path, nil
}

// said is what the agent has said.
type said struct {
	driver.Capture
	parts []a2a.Part
}

func (s *said) Part(p a2a.Part) { s.parts = append(s.parts, p) }

// turn makes a turn of a context.
func (r *rig) turn(contextID, text string) *fakeTurn { return r.turnOf("someone", contextID, text) }

// turnOf makes a turn of a caller.
func (r *rig) turnOf(caller, contextID, text string) *fakeTurn {
	m := &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(text)}}
	u := &fakeTurn{
		text: text, message: m, out: &said{}, task: r.tasks.Create(caller, contextID, m, nil), notes: map[string]any{},
		outcome: make(chan driver.Outcome, 1), result: make(chan called, 1),
	}
	if err := u.task.Status(a2a.StateWorking, nil, nil); err != nil {
		r.t.Fatal(err)
	}
	u.stream = u.task.SubscribeAfter(1)
	u.over, u.done = context.WithCancel(r.t.Context())
	u.ctx, u.cancel = context.WithCancelCause(r.t.Context())
	return u
}

// deliver begins to deliver a message, which the agent gets.
func (r *rig) deliver(contextID, text string) (*fakeTurn, *prompt) {
	r.t.Helper()
	u := r.turn(contextID, text)
	go func() { u.outcome <- r.d.Deliver(u.ctx, u) }()
	p := <-r.agent.prompts
	if p.message.Text != text {
		r.t.Errorf("the agent got %q, want %q", p.message.Text, text)
	}
	return u, p
}

// release forgets the turn, before the test's end does.
func (u *fakeTurn) release() {
	u.stream.Close()
	u.done()
	u.cancel(nil)
}

// ends ends the agent's turn.
func (p *prompt) ends(e peer.Ending) { p.end <- result{Ending: e} }

// ok ends the agent's turn well.
func (p *prompt) ok() { p.ends(peer.Ending{OK: true}) }

// answers waits for the end of a message and checks its answer.
func (u *fakeTurn) answers(t testing.TB, want string) driver.Outcome {
	t.Helper()
	o := <-u.outcome
	if o.State != a2a.StateCompleted || string(u.out.Kept) != want {
		t.Errorf("%s (%q) with %q, want %q", o.State, o.Text, u.out.Kept, want)
	}
	return o
}

// fails waits for a message to fail.
func (u *fakeTurn) fails(t testing.TB, why string) driver.Outcome {
	t.Helper()
	o := <-u.outcome
	if o.State != a2a.StateFailed || !strings.Contains(o.Text, why) {
		t.Errorf("%s (%q), want %q", o.State, o.Text, why)
	}
	return o
}

var errStop = errors.New("stop")

// reports returns the values of a metadata key in the task's updates, in their order.
func (u *fakeTurn) reports(t testing.TB, key string) (all []string) {
	t.Helper()
	for _, m := range u.updates(t) {
		if v, ok := m[key]; ok {
			all = append(all, string(v))
		}
	}
	return all
}

// updates returns the metadata of the task's updates so far, in their order.
func (u *fakeTurn) updates(t testing.TB) []a2a.Metadata {
	t.Helper()
	u.read++
	mark := strconv.Itoa(u.read)
	if err := u.task.Report(a2a.Metadata{"mark": []byte(mark)}); err != nil {
		t.Fatal(err)
	}
	for {
		events, err := u.stream.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			switch {
			case e.Status == nil:
				t.Fatalf("%+v", e)
			case string(e.Status.Metadata["mark"]) == mark:
				return u.seen
			case len(e.Status.Metadata) > 0:
				u.seen = append(u.seen, e.Status.Metadata)
			}
		}
	}
}

// has reports whether a JSON text has a piece.
func has(text, piece string) bool { return strings.Contains(text, piece) }
