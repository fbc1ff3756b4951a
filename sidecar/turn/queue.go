package turn

import (
	"slices"
	"sync"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// queue decides who may run: in one lane one at a time, in the order they
// came; over all lanes at most limit. It starts nothing itself: a place that
// may go is told so. All methods may be called from many goroutines.
type queue struct {
	limit int // places that may run
	bound int // places that may wait
	shut  chan struct{}

	mu      sync.Mutex
	closed  bool
	busy    map[string]bool // lanes with a running place
	running int
	waiting []*place      // in the order they came
	idle    chan struct{} // closed while nobody is in the queue
}

// place is one turn's place in the queue, from enter to leave.
type place struct {
	lane string
	// turn is closed when the place may run.
	turn    chan struct{}
	running bool
}

func newQueue(limit, bound int) *queue {
	q := &queue{limit: limit, bound: bound, shut: make(chan struct{}), busy: map[string]bool{}, idle: make(chan struct{})}
	close(q.idle)
	return q
}

// enter takes a place at the end of a lane. It fails with a2a.ErrBusy when the
// place would have to wait and too many do, and with a2a.ErrUnavailable once
// the queue was closed.
func (q *queue) enter(lane string) (*place, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, a2a.ErrUnavailable
	}
	p := &place{lane: lane, turn: make(chan struct{})}
	if q.running == 0 && len(q.waiting) == 0 {
		q.idle = make(chan struct{})
	}
	q.waiting = append(q.waiting, p)
	q.dispatch()
	if !p.running && len(q.waiting) > q.bound {
		q.waiting = q.waiting[:len(q.waiting)-1] // p came last
		return nil, a2a.ErrBusy
	}
	return p, nil
}

// leave gives the place up, whether it ran or only waited.
func (q *queue) leave(p *place) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if p.running {
		q.running--
		delete(q.busy, p.lane)
	} else {
		q.waiting = slices.DeleteFunc(q.waiting, func(w *place) bool { return w == p })
	}
	q.dispatch()
	if q.running == 0 && len(q.waiting) == 0 {
		close(q.idle)
	}
}

// dispatch lets go whoever may, the longest waiting first. The lock is held.
func (q *queue) dispatch() {
	if q.closed {
		return
	}
	rest := q.waiting[:0]
	for _, p := range q.waiting {
		if q.running >= q.limit || q.busy[p.lane] {
			rest = append(rest, p)
			continue
		}
		q.running++
		q.busy[p.lane], p.running = true, true
		close(p.turn)
	}
	clear(q.waiting[len(rest):])
	q.waiting = rest
}

// load is how many places run and how many wait.
func (q *queue) load() (running, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running, len(q.waiting)
}

// close lets nobody in or go any more; those that wait see shut closed.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.shut)
	}
}

// empty is closed when nobody is in the queue. After close it stays so.
func (q *queue) empty() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.idle
}
