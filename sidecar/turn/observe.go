package turn

import (
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Observer is told of the end of every turn that ran, by the goroutine that
// owned it. It must not block.
type Observer interface {
	// TurnEnded says which state the turn left its task in, and how long it
	// took from when it left the queue.
	TurnEnded(state a2a.TaskState, took time.Duration)
	// NativeUsed says that a governed agent has used a tool of its own.
	NativeUsed()
}

// nobody is an Observer that does nothing.
type nobody struct{}

var _ Observer = nobody{}

func (nobody) TurnEnded(a2a.TaskState, time.Duration) {}

func (nobody) NativeUsed() {}

// Load returns how many turns and calls run now, and how many wait in the queue.
func (r *Runner) Load() (running, waiting int) { return r.queue.load() }
