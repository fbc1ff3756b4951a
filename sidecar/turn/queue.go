package turn

import (
	"slices"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// queue decides which turns may run: one at a time in each lane, in the order in
// which they came, and at most limit in all lanes together. Among several callers,
// the caller with the fewest running turns goes first, and no caller has more than
// half of the places that may wait: a caller that sends much does not shut the
// others out. The queue starts nothing itself: it closes the turn of a place that
// may go. All methods may be called from many goroutines.
type queue struct {
	limit int // places that may run
	bound int // places that may wait
	shut  chan struct{}

	mu      sync.Mutex
	closed  bool
	busy    map[string]bool // lanes with a running place
	running int
	parts   int            // running places that are part of another
	runs    map[string]int // running places by caller
	waiting []*place       // in the order they came
	idle    chan struct{}  // closed while the queue is empty
}

// place is one turn's place in the queue, from enter to leave.
type place struct {
	lane, caller string
	within       bool // it is part of a place that runs, and takes none of its own
	entered      time.Time
	// turn is closed when the place may run.
	turn    chan struct{}
	running bool
}

func newQueue(limit, bound int) *queue {
	q := &queue{limit: limit, bound: bound, shut: make(chan struct{}), busy: map[string]bool{}, runs: map[string]int{}, idle: make(chan struct{})}
	close(q.idle)
	return q
}

// enter takes a place at the end of a lane for a caller, "" if callers are not
// known. It fails with a2a.ErrBusy if the place would have to wait and too many
// places wait already, and with a2a.ErrUnavailable after the queue was closed.
func (q *queue) enter(lane, caller string) (*place, error) {
	return q.add(&place{lane: lane, caller: caller})
}

// enterWithin is enter for what a running turn waits for, the one of that task. It waits
// for nothing but others of the same kind.
func (q *queue) enterWithin(task, caller string) (*place, error) {
	return q.add(&place{lane: "within\x00" + task, caller: caller, within: true})
}

func (q *queue) add(p *place) (*place, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, a2a.ErrUnavailable
	}
	p.entered, p.turn = time.Now(), make(chan struct{})
	if q.running+q.parts == 0 && len(q.waiting) == 0 {
		q.idle = make(chan struct{})
	}
	q.waiting = append(q.waiting, p)
	q.dispatch()
	if !p.running && (len(q.waiting) > q.bound || p.caller != "" && q.waitingFor(p.caller) > max(q.bound/2, 1)) {
		q.waiting = q.waiting[:len(q.waiting)-1] // p came last
		return nil, a2a.ErrBusy
	}
	return p, nil
}

// waitingFor returns how many places of a caller wait. The lock is held.
func (q *queue) waitingFor(caller string) (n int) {
	for _, p := range q.waiting {
		if p.caller == caller {
			n++
		}
	}
	return n
}

// leave gives the place up, whether it ran or only waited.
func (q *queue) leave(p *place) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case p.running && p.within:
		q.parts--
		delete(q.busy, p.lane)
	case p.running:
		q.running--
		delete(q.busy, p.lane)
		if q.runs[p.caller]--; q.runs[p.caller] == 0 {
			delete(q.runs, p.caller)
		}
	default:
		q.waiting = slices.DeleteFunc(q.waiting, func(w *place) bool { return w == p })
	}
	q.dispatch()
	if q.running+q.parts == 0 && len(q.waiting) == 0 {
		close(q.idle)
	}
}

// dispatch starts every place that may run now. The lock is held.
func (q *queue) dispatch() {
	for !q.closed {
		next := q.next()
		if next < 0 {
			return
		}
		p := q.waiting[next]
		q.waiting = slices.Delete(q.waiting, next, next+1)
		if p.within {
			q.parts++
		} else {
			q.running++
			q.runs[p.caller]++
		}
		q.busy[p.lane], p.running = true, true
		close(p.turn)
	}
}

// next returns the index of the place that runs next, -1 if there is none: among
// the places whose lane is free, one that is part of a running place, or else the first one
// of the caller with the fewest running turns, if fewer than the limit run. The lock is
// held.
func (q *queue) next() int {
	next := -1
	for i, p := range q.waiting {
		if p.within && !q.busy[p.lane] {
			return i
		}
		if q.running < q.limit && !q.busy[p.lane] && (next < 0 || q.runs[p.caller] < q.runs[q.waiting[next].caller]) {
			next = i
		}
	}
	return next
}

// load returns how many places run and how many wait.
func (q *queue) load() (running, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running + q.parts, len(q.waiting)
}

// look returns the state of a place: whether it runs, whether its lane is busy with
// another place, and how many places run in all.
func (q *queue) look(p *place) (running, busy bool, taken int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if p.running {
		return true, false, q.running
	}
	return false, q.busy[p.lane] || q.earlier(p), q.running
}

// earlier reports whether another place of the lane waits before p. The lock is
// held.
func (q *queue) earlier(p *place) bool {
	for _, w := range q.waiting {
		switch {
		case w == p:
			return false
		case w.lane == p.lane:
			return true
		}
	}
	return false
}

// Close stops the queue: nobody can enter, and no waiting place can run. Those that
// wait see shut closed.
func (q *queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.shut)
	}
}

// empty returns a channel that is closed when nobody is in the queue. After Close
// it stays closed.
func (q *queue) empty() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.idle
}
