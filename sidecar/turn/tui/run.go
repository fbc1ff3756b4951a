package tui

import (
	"context"
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
		untaken: r.untaken,
		over:    ended(r.over), held: r.holding != nil && ended(r.holding.granted),
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

// untaken returns how many bytes the agent has not read of what was typed.
func (r *run) untaken() (n int, ok bool) {
	if t, tells := r.console.TTY.(interface{ Untaken() (int, bool) }); tells {
		return t.Untaken()
	}
	return 0, false
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
