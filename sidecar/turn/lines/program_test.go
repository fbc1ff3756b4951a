package lines

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// The times of a program's driver, under a clock of its own.
const quiet, settle = 5 * time.Second, 2 * time.Second

// program is the other end of a driver: the test says what it does.
type program struct {
	t       *testing.T
	d       *Driver
	in      *bufio.Reader
	input   *io.PipeReader
	signals atomic.Int32  // how often it was asked to stop
	silent  chan struct{} // closed when it has closed its output
}

// speaking runs a test with a program and the driver that speaks to it.
func speaking(t *testing.T, test func(t *testing.T, p *program)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		p := &program{t: t, in: bufio.NewReader(r), input: r, silent: make(chan struct{})}
		p.d = New(Options{Input: w, Closed: p.silent, Quiet: quiet, Settle: settle, Signal: func() error { p.signals.Add(1); return nil }})
		defer p.d.Close()
		test(t, p)
	})
}

// reads reads the next line of the input.
func (p *program) reads(want string) {
	p.t.Helper()
	if line, err := p.in.ReadString('\n'); err != nil || line != want+"\n" {
		p.t.Errorf("the program read %q, %v, want %q", line, err, want)
	}
}

func (p *program) says(lines string) { p.d.Output([]byte(lines)) }

// fakeTurn is a message or a call for the driver.
type fakeTurn struct {
	driver.Turn // nil: the driver asks for nothing else
	text        string
	call        *driver.Call
	task        *task.Task
	out         driver.Capture
	over        context.Context
	done        context.CancelFunc
	speaks      bool
	inferred    bool

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

func (u *fakeTurn) Task() *task.Task      { return u.task }
func (u *fakeTurn) Text() string          { return u.text }
func (u *fakeTurn) Call() *driver.Call    { return u.call }
func (u *fakeTurn) Out() driver.Out       { return &u.out }
func (u *fakeTurn) Over() context.Context { return u.over }
func (u *fakeTurn) Speaks() bool          { return u.speaks }
func (u *fakeTurn) Note(key string, value any) {
	u.inferred = u.inferred || key == "inferred" && value == true
}

func (p *program) turn() *fakeTurn {
	tasks := task.NewRegistry(task.Options{})
	p.t.Cleanup(tasks.Close)
	u := &fakeTurn{task: tasks.Create("", "", &a2a.Message{Role: a2a.RoleUser}, nil), outcome: make(chan driver.Outcome, 1), result: make(chan called, 1)}
	u.over, u.done = context.WithCancel(p.t.Context())
	u.ctx, u.cancel = context.WithCancelCause(p.t.Context())
	return u
}

// deliver begins to deliver a message, which the program reads.
func (p *program) deliver(text string) *fakeTurn {
	p.t.Helper()
	u := p.turn()
	u.text = text
	go func() { u.outcome <- p.d.Deliver(u.ctx, u) }()
	p.reads(text)
	return u
}

// calls begins a call, which the program reads. output gets what the program says
// before the result.
func (p *program) calls(id string, output func([]byte)) *fakeTurn {
	p.t.Helper()
	u := p.turn()
	u.call = &driver.Call{Task: u.task, ID: id, Tool: "acme.echo", Output: output}
	go func() {
		r, err := p.d.Call(u.ctx, u)
		u.result <- called{r, err}
	}()
	p.reads(`{"toolCall":{"id":"` + id + `","name":"acme.echo","arguments":{}}}`)
	return u
}

// running checks that the turn has not ended.
func (u *fakeTurn) running(t *testing.T) {
	t.Helper()
	synctest.Wait()
	if len(u.outcome)+len(u.result) > 0 {
		t.Error("the turn has ended")
	}
}

// answers waits for the end of a message and checks its answer.
func (u *fakeTurn) answers(t *testing.T, want string) {
	t.Helper()
	if o := <-u.outcome; o.State != a2a.StateCompleted || string(u.out.Kept) != want {
		t.Errorf("%s (%q) with %q, want %q", o.State, o.Text, u.out.Kept, want)
	}
}

// fails waits for a message to fail.
func (u *fakeTurn) fails(t *testing.T, why string) {
	t.Helper()
	if o := <-u.outcome; o.State != a2a.StateFailed || !strings.Contains(o.Text, why) {
		t.Errorf("%s (%q), want %q", o.State, o.Text, why)
	}
}

// returns waits for a call's result.
func (u *fakeTurn) returns(t *testing.T, want string) {
	t.Helper()
	if r := <-u.result; r.err != nil || string(r.Output) != want {
		t.Errorf("%q, %v, want %q", r.Output, r.err, want)
	}
}

var errStop = errors.New("stop")
