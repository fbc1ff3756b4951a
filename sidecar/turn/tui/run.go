package tui

import (
	"context"
	"fmt"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// run steps the machine until it is done. It is the only place of the driver that
// waits: it owns the context, the timer and the goroutines for what blocks, and shows
// the machine everything that has happened.
type run struct {
	ctx     context.Context
	machine *machine
	console *console.Console
	people  *tty.Arbiter // nil: nobody else can type
	turn    driver.Turn  // nil: the run is not about the answer to a message
	out     driver.Out
	over    <-chan struct{}
	waits   func(what string)

	changed  chan struct{} // closed at the next observation
	seen     uint64        // how many observations there were
	failed   error         // the last keys could not be typed
	holding  *holding      // nil: the terminal was not asked for
	question *question     // nil: the caller is not asked
	size     tty.Size      // of the terminal before it was made smaller
	smaller  tty.Size      // zero: it was not
}

// loop returns how the run has ended.
func (r *run) loop() error {
	defer r.close()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		e := r.look()
		acts, due := r.machine.step(e)
		r.failed = nil
		for _, a := range acts {
			if r.failed = a.do(r); r.failed != nil {
				break
			}
		}
		if r.machine.done {
			return r.machine.err
		}
		if r.failed == nil {
			r.wait(&e, due, timer)
		}
	}
}

// look returns everything that the machine may know now.
func (r *run) look() event {
	e := event{
		view: r.view(), failed: r.failed,
		reports: r.console.Reports(), history: r.console.History, sent: r.console.Sent(), occupied: console.Occupied(r.people), keys: console.Keys(r.people),
		over: ended(r.over), held: r.holding != nil && ended(r.holding.granted),
	}
	if r.changed != e.Changed {
		r.changed, r.seen = e.Changed, r.seen+1
	}
	e.seen = r.seen
	if r.ctx.Err() != nil {
		e.stop = context.Cause(r.ctx)
		e.Screen = r.console.Snapshot() // what was drawn last
	}
	if r.question != nil && ended(r.question.ended) {
		e.answer, r.question = &r.question.answer, nil
	}
	e.now = r.console.Now()
	return e
}

// view returns what the terminal shows. Any goroutine may call it.
func (r *run) view() view {
	v := view{Observation: r.console.Look()}
	v.mode, v.modeErr = r.console.TTY.Mode()
	return v
}

// ended reports whether a channel is closed. A channel that is nil is not.
func ended(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// wait waits until something has happened since the event, or due has come.
func (r *run) wait(e *event, due time.Time, timer *time.Timer) {
	var late <-chan time.Time
	if !due.IsZero() {
		timer.Reset(max(0, due.Sub(r.console.Now())))
		late = timer.C
	}
	over, stop := r.over, r.ctx.Done()
	if e.over {
		over = nil
	}
	if e.stop != nil {
		stop = nil
	}
	var granted, answered <-chan struct{}
	if r.holding != nil && !e.held {
		granted = r.holding.granted
	}
	if r.question != nil {
		answered = r.question.ended
	}
	select {
	case <-e.Changed:
	case <-late:
	case <-over:
	case <-stop:
	case <-granted:
	case <-answered:
	}
	timer.Stop()
}

// close ends what the run has begun.
func (r *run) close() {
	r.release()
	if r.question != nil {
		r.question.cancel(errVanished)
		<-r.question.ended
	}
}

// holding is a claim to the terminal.
type holding struct {
	granted  chan struct{} // closed when nobody else types
	released chan struct{}
	ended    chan struct{} // closed when others may type again
	cancel   context.CancelFunc
}

// do asks for the terminal.
func (a holdKeys) do(r *run) error {
	ctx, cancel := context.WithCancel(r.ctx)
	h := &holding{granted: make(chan struct{}), released: make(chan struct{}), ended: make(chan struct{}), cancel: cancel}
	r.holding = h
	if r.people == nil {
		close(h.granted)
		close(h.ended)
		return nil
	}
	line := func() (tty.Line, time.Time, <-chan struct{}) {
		v := r.view()
		return a.line(v), v.Screen.Output, v.Changed
	}
	go func() { // release waits for it
		defer close(h.ended)
		_ = console.Alone(ctx, r.people, r.turn, line, func() error { // it only fails if ctx ends
			close(h.granted)
			<-h.released
			return nil
		})
	}()
	return nil
}

func (releaseKeys) do(r *run) error {
	r.release()
	return nil
}

// release gives the terminal back.
func (r *run) release() {
	if h := r.holding; h != nil {
		r.holding = nil
		close(h.released)
		h.cancel()
		<-h.ended
	}
}

// question is a question to the caller.
type question struct {
	answer answered
	ended  chan struct{} // closed when answer is set
	cancel context.CancelCauseFunc
}

func (a putQuestion) do(r *run) error {
	ctx, cancel := context.WithCancelCause(r.ctx)
	q := &question{ended: make(chan struct{}), cancel: cancel}
	r.question = q
	go func() { // close waits for it
		defer close(q.ended)
		defer cancel(nil)
		q.answer.Answer, q.answer.err = r.turn.Task().Ask(ctx, a.Question)
	}()
	return nil
}

func (withdraw) do(r *run) error {
	if r.question != nil {
		r.question.cancel(errVanished)
	}
	return nil
}

// do types bytes.
func (a typeKeys) do(r *run) error {
	_, err := r.console.TTY.WriteContext(r.ctx, []byte(a))
	if err == nil {
		r.console.Typed(string(a))
		return nil
	}
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	return fmt.Errorf("the terminal takes no more input: %w", err)
}

func (a dropKeys) do(r *run) error {
	if r.people != nil {
		r.people.DropStale(time.Duration(a), r.console.Dropped)
	}
	return nil
}

// do makes the terminal a little smaller.
func (shrink) do(r *run) error {
	size, err := r.console.TTY.Size()
	if err == nil {
		r.size, r.smaller = size, size
		r.smaller.Cols, r.smaller.Rows = max(size.Cols-1, 1), max(size.Rows-1, 1)
		err = r.console.TTY.Resize(r.smaller)
	}
	r.warn(err)
	return nil
}

// do gives the terminal its size again. If somebody has resized it meanwhile, that size
// stays.
func (restore) do(r *run) error {
	if now, err := r.console.TTY.Size(); err != nil || now != r.smaller {
		r.warn(err)
		return nil
	}
	r.warn(r.console.TTY.Resize(r.size))
	return nil
}

// warn logs that the terminal's size cannot be changed. The turn goes on.
func (r *run) warn(err error) {
	if err != nil {
		r.console.Log.Warn("the terminal's size cannot be changed", "error", err)
	}
}

func (a submitted) do(r *run) error   { r.console.Submitted(string(a)); return nil }
func (a writeText) do(r *run) error   { r.out.Write([]byte(a)); return nil }
func (a replaceText) do(r *run) error { r.out.Replace([]byte(a)); return nil }
func (a say) do(r *run) error         { r.turn.Say(string(a)); return nil }
func (a waitFor) do(r *run) error     { r.waits(string(a)); return nil }

func (a note) do(r *run) error {
	switch {
	case a.text != "":
		r.turn.Note(a.key, a.text)
	case a.count != 0:
		r.turn.Note(a.key, a.count)
	default:
		r.turn.Note(a.key, true)
	}
	return nil
}

func (a tellState) do(r *run) error {
	r.turn.Task().SetMetadata("agentState", driver.JSON(console.AgentState(a)))
	return nil
}

func (a info) do(r *run) error {
	if a.key == "" {
		r.console.Log.Info(a.text)
		return nil
	}
	r.console.Log.Info(a.text, a.key, a.value)
	return nil
}
