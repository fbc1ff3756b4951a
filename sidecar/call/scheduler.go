package call

import (
	"context"
	"errors"
	"slices"
	"sync"
)

var errQueueFull = errors.New("the queue of tool calls is full")

// scheduler lets reads run together and writes alone, in the order they came:
// a read behind a waiting write waits too, so that neither kind starves.
type scheduler struct {
	reads int // how many reads may run at once
	queue int // how many calls may wait

	mu      sync.Mutex
	reading int
	writing bool
	placed  int // places kept for calls that wait for an approval
	waiting []*turn
}

// turn is one call's place: first in the queue, then among those that run. Only the
// goroutine that owns the call uses it.
type turn struct {
	s       *scheduler
	caller  string
	write   bool
	granted chan struct{} // closed, under the lock, when the call may run
	left    bool          // guarded by the lock
}

func newScheduler(reads, queue int) *scheduler { return &scheduler{reads: reads, queue: queue} }

// place keeps a place for a call that waits for an approval. The number of such
// places is bounded too, separately from the queue.
func (s *scheduler) place() (release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.placed >= s.reads+s.queue {
		return nil, errQueueFull
	}
	s.placed++
	return func() {
		s.mu.Lock()
		s.placed--
		s.mu.Unlock()
	}, nil
}

// enter takes a turn for a caller, "" if the caller is not known. The turn may be
// granted already. The error says that the queue is full, or that half of it belongs
// to one known caller. placed says that the call has kept a place and is not turned
// away now.
func (s *scheduler) enter(caller string, write, placed bool) (*turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &turn{s: s, caller: caller, write: write, granted: make(chan struct{})}
	s.waiting = append(s.waiting, t)
	s.dispatch()
	if !t.isGranted() && !placed && (len(s.waiting) > s.queue || caller != "" && s.waitingFor(caller) > max(s.queue/2, 1)) {
		s.waiting = s.waiting[:len(s.waiting)-1]
		return nil, errQueueFull
	}
	return t, nil
}

// waitingFor returns how many turns of a caller wait. The lock must be held.
func (s *scheduler) waitingFor(caller string) (n int) {
	for _, t := range s.waiting {
		if t.caller == caller {
			n++
		}
	}
	return n
}

// dispatch grants turns from the head of the queue while they may run.
func (s *scheduler) dispatch() {
	for len(s.waiting) > 0 && s.mayRun(s.waiting[0]) {
		t := s.waiting[0]
		s.waiting = slices.Delete(s.waiting, 0, 1)
		if t.write {
			s.writing = true
		} else {
			s.reading++
		}
		close(t.granted)
	}
}

func (s *scheduler) mayRun(t *turn) bool {
	if t.write {
		return !s.writing && s.reading == 0
	}
	return !s.writing && s.reading < s.reads
}

// isGranted reports whether the call may run.
func (t *turn) isGranted() bool {
	select {
	case <-t.granted:
		return true
	default:
		return false
	}
}

// wait returns nil when the call may run, or the cause that ended ctx. In both cases
// leave must be called.
func (t *turn) wait(ctx context.Context) error {
	select {
	case <-t.granted:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leave gives the place back, whether the call runs or not. Only the first call
// counts.
func (t *turn) leave() {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.left {
		return
	}
	t.left = true
	switch {
	case !t.isGranted():
		t.s.waiting = slices.DeleteFunc(t.s.waiting, func(o *turn) bool { return o == t })
	case t.write:
		t.s.writing = false
	default:
		t.s.reading--
	}
	t.s.dispatch()
}
