package call

import "time"

// Observer is told of the end of every call, by the goroutine that owned it. It
// must not block.
type Observer interface {
	// CallEnded says which case the call was, a word of the outcome table, and
	// how long it executed, or took in all when it never came to that.
	CallEnded(outcome string, took time.Duration)
}

// nobody observes.
type nobody struct{}

var _ Observer = nobody{}

func (nobody) CallEnded(string, time.Duration) {}

// Load is how many calls run now, and how many wait for their turn or an
// approval.
func (p *Pipeline) Load() (running, waiting int) { return p.sched.load() }

func (s *scheduler) load() (running, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writing {
		running++
	}
	return running + s.reading, s.placed + len(s.waiting)
}
