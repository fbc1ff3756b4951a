package gate

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// State is where the sidecar is in its life.
type State int32

// The states, in the order in which they come.
const (
	Starting State = iota
	Serving
	Draining
)

// String is the state in a word.
func (s State) String() string {
	return [...]string{"starting", "serving", "draining"}[s]
}

// Options is what a Gate asks, and its limits.
type Options struct {
	// StoreErr returns why tasks cannot be stored, nil when they can. A nil func:
	// tasks are in memory, which never fails.
	StoreErr func() error
	// Claims are asked whether a caller may use a context, in order; the first
	// error is the answer (§13.1).
	Claims []func(caller, contextID string) error
	// Unfinished counts the tasks that have not ended: the caller's, and all.
	Unfinished func(caller string) (own, all int)
	// CallerTasks and Tasks limit those counts; 0: no limit.
	CallerTasks, Tasks int
}

// Gate lets new work in or says why not. It starts in the state Starting.
type Gate struct {
	o        Options
	state    atomic.Int32
	started  chan struct{} // closed when starting is over
	creating sync.Mutex    // held while a task is created
}

// New returns a gate that holds all work until Open.
func New(o Options) *Gate { return &Gate{o: o, started: make(chan struct{})} }

// Open ends the start: work that was held goes on. It may be called once.
func (g *Gate) Open() {
	g.state.Store(int32(Serving))
	close(g.started)
}

// Drain refuses new work from now on.
func (g *Gate) Drain() { g.state.Store(int32(Draining)) }

// State is where the sidecar is in its life now.
func (g *Gate) State() State { return State(g.state.Load()) }

// Enter returns nil when new work is taken. While the sidecar starts it waits, for
// as long as the sender would otherwise be told to wait. It returns a2a.ErrUnavailable
// when no work is taken, and ctx's cause when ctx ends first.
func (g *Gate) Enter(ctx context.Context) error {
	if g.State() == Starting {
		timer := time.NewTimer(time.Duration(a2a.ErrUnavailable.RetryAfter) * time.Second)
		defer timer.Stop()
		select {
		case <-g.started:
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return g.Refusal()
}

// Refusal is what the sender of new work is told now, nil when it is taken.
func (g *Gate) Refusal() error {
	switch g.State() {
	case Starting:
		return a2a.ErrUnavailable.With("the sidecar is starting")
	case Draining:
		return a2a.ErrUnavailable.With("the sidecar is shutting down")
	}
	if g.o.StoreErr != nil && g.o.StoreErr() != nil { // the log says why
		return a2a.ErrUnavailable.With("tasks cannot be stored")
	}
	return nil
}
