package task

import (
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Observer is told what becomes of tasks, by the goroutine that did it and
// without a lock held. It must not block, nor write to the task.
type Observer interface {
	TaskCreated()
	// TaskFinished comes once for every task that ends, after its last status
	// was published. A discarded task never does.
	TaskFinished(t *Task, f Finished)
	// SubscribersCut says that so many were dropped because they read too
	// slowly.
	SubscribersCut(n int)
}

// Finished is how a task ended.
type Finished struct {
	State    a2a.TaskState
	Duration time.Duration // since it was created
	Bytes    int64         // content that it answered with: in artifacts, kept or not, and in the message at its end
	Message  *a2a.Message  // of its last status, nil for none; it must not be changed
	Metadata a2a.Metadata  // of its last event, likewise
}

// answered counts the content of a task's artifacts and last message.
func answered(all []*artifact, m *a2a.Message) (n int64) {
	for _, a := range all {
		n += a.total
	}
	if m != nil {
		for i := range m.Parts {
			n += contentBytes(&m.Parts[i])
		}
	}
	return n
}

// nobody observes.
type nobody struct{}

var _ Observer = nobody{}

func (nobody) TaskCreated()                 {}
func (nobody) TaskFinished(*Task, Finished) {}
func (nobody) SubscribersCut(int)           {}

// TraceParent is the W3C trace context of the request that began the present
// turn, "" for none. It is not kept over a restart.
func (t *Task) TraceParent() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.trace
}

// SetTraceParent is for whoever hands the task its work, before that begins.
func (t *Task) SetTraceParent(trace string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trace = trace
}

// IsCall reports whether the task is a tool call's: what the agent says of a task
// does not make it one. It is not kept over a restart.
func (t *Task) IsCall() bool { return t.call.Load() }

// SetCall is for whoever makes the task for a tool call, before that begins.
func (t *Task) SetCall() { t.call.Store(true) }
