package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ErrFull says that no more calls may wait.
var ErrFull = errors.New("the queue of tool calls is full")

// Class says what a call needs of the workspace.
type Class int

// The classes.
const (
	Pass  Class = iota // nothing: the agent does the work
	Read               // others may read meanwhile
	Write              // it must be alone
	Apart              // nothing: it works elsewhere, and only its tool's limit holds it up
)

// Limits are those of a Schedule.
type Limits struct {
	Reads int // how many reads run at once, at least 1
	Queue int // how many calls may wait to run
	Depth int // how many calls may be nested in each other, at least 1
}

// Work is what a call needs in order to run.
type Work struct {
	Class Class
	// Tool and Limit say that at most Limit calls with this Tool run at once. Limit 0:
	// there is no such limit. A Pass has none: the agent's own queue limits it.
	Tool  string
	Limit int
}

// Schedule is the schedule of one workspace. All methods may be called from many
// goroutines.
type Schedule struct {
	limits Limits

	mu       sync.Mutex
	running  []*Place
	waiting  []*Place // in the order in which they are to run
	resuming []*Place // those that run and want back what they gave up
	asking   int
	tools    map[string]int // calls that count against their tool's limit

	came  uint64            // counts the calls that ever waited
	now   uint64            // the round of the newest call that was let run
	round map[string]uint64 // each caller's newest round
}

// New returns a schedule without calls.
func New(l Limits) *Schedule {
	return &Schedule{limits: l, tools: map[string]int{}, round: map[string]uint64{}}
}

// state is where a place is in its life.
type state int

const (
	outside state = iota // it has not asked to run
	queued
	running
	gone
)

// Place is one call in the schedule. Its methods may be called from many goroutines,
// but Enter only once.
type Place struct {
	s      *Schedule
	caller string
	depth  int
	work   Work

	granted chan struct{} // closed, under the lock, when the call may run

	// Guarded by the lock:
	parent      *Place // nil: it is not nested; see above
	state       state
	asks        bool   // it waits for an approval
	round, came uint64 // its order among those that wait

	lock, slot     bool          // what it holds: of the workspace, and of its tool's limit
	noLock, noSlot int           // for how many reasons it has given up either
	back           chan struct{} // closed when it has again what it gave up; nil: it lacks nothing
	lent           []lent        // what others gave up for it
}

// Join makes a place for a caller, "" if the caller is not known. It holds nothing yet.
// parent is the place of the call that this one is nested in, nil for none. The error
// says that too many calls are nested. Leave must be called.
func (s *Schedule) Join(parent *Place, caller string) (*Place, error) {
	p := &Place{s: s, caller: caller, depth: 1, granted: make(chan struct{})}
	if parent == nil {
		return p, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.depth = parent.depth + 1; p.depth > s.limits.Depth {
		return nil, fmt.Errorf("calls are nested %d deep, which is the limit", s.limits.Depth)
	}
	p.parent = parent
	return p, nil
}

// Ask says that the call waits for an approval until Enter or Leave. Its ancestors hold
// nothing meanwhile. The error is ErrFull if too many calls wait for one.
func (p *Place) Ask() error {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if p.asks {
		return nil
	}
	if p.s.asking >= p.s.limits.Reads+p.s.limits.Queue {
		return ErrFull
	}
	p.s.asking++
	p.asks = true
	p.borrow(everything)
	p.s.dispatch()
	return nil
}

// Enter queues the call for its work; it may run at once. A call that has waited for an
// approval is not turned away; otherwise the error is ErrFull if it would have to wait
// and too many wait.
func (p *Place) Enter(w Work) error {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	kept := p.asks
	if w.Class == Pass {
		w.Limit = 0
	}
	p.work = w
	before := p.lent
	p.lent = nil
	p.borrowFor(w)
	giveBack(before)
	p.answered()
	if w.Class == Pass {
		p.s.run(p)
	} else {
		p.s.enqueue(p)
	}
	p.s.dispatch()
	if p.state == queued && !kept && p.s.full(p) {
		p.s.drop(p)
		p.state = outside
		return ErrFull
	}
	return nil
}

// Granted reports whether the call may run.
func (p *Place) Granted() bool {
	select {
	case <-p.granted:
		return true
	default:
		return false
	}
}

// Wait returns nil when the call may run, or the cause that ended ctx.
func (p *Place) Wait(ctx context.Context) error {
	select {
	case <-p.granted:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Park gives up all that the call and its ancestors hold, because somebody is asked for
// whom the call waits. The function that it returns takes that back, and returns when
// the call has what it needs, or when ctx ends.
func (p *Place) Park() (resume func(ctx context.Context)) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	parked := &Place{s: p.s, parent: p}
	parked.borrow(everything)
	p.s.dispatch()
	return func(ctx context.Context) { parked.Leave()(ctx) }
}

// Leave gives up the place, whether the call ran or not. The function that it returns
// waits until the call's parent has back what it gave up for it, or until ctx ends:
// only then may a nested call answer. Only the first Leave counts.
func (p *Place) Leave() (returned func(ctx context.Context)) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	back := p.leave()
	return func(ctx context.Context) {
		if back == nil {
			return
		}
		select {
		case <-back:
		case <-ctx.Done():
		}
	}
}

// leave is Leave with the lock held. It returns what Leave waits for, nil for nothing.
func (p *Place) leave() (back <-chan struct{}) {
	if p.state == gone {
		return nil
	}
	p.answered()
	switch p.state {
	case queued:
		p.s.drop(p)
	case running:
		p.lock = false
		p.dropSlot()
		p.s.running = slices.DeleteFunc(p.s.running, func(o *Place) bool { return o == p })
	}
	p.state = gone
	p.settle()
	p.repay()
	p.s.dispatch()
	return p.owed()
}

// Load returns how many calls run, and how many wait to run or for an approval.
func (s *Schedule) Load() (running, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.running), len(s.waiting) + s.asking
}

// answered ends the wait for an approval.
func (p *Place) answered() {
	if p.asks {
		p.asks = false
		p.s.asking--
	}
}
