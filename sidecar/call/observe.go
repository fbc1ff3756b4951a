package call

import "time"

// Observer is told of the end of every call by the goroutine that owned the call. It
// must not block.
type Observer interface {
	// CallEnded is told the case of the call, a word of the outcome table, and how
	// long the call executed, or how long it took in all if it was never executed.
	CallEnded(outcome string, took time.Duration)
	// CallDecided is told whether a call was allowed or denied, and what decided that: a
	// word of policy.Verdict and one of policy.Kind. It is not called for a call that ended
	// for another reason before it was executed.
	CallDecided(verdict, kind string)
}

// nobody is the Observer that does nothing.
type nobody struct{}

var _ Observer = nobody{}

func (nobody) CallEnded(string, time.Duration) {}

func (nobody) CallDecided(string, string) {}

// Load returns how many calls run now, and how many wait for their turn or an
// approval.
func (p *Pipeline) Load() (running, waiting int) { return p.sched.Load() }
