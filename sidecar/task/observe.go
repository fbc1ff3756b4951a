package task

import (
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Observer is told when tasks are created and finish, and when subscribers are cut
// off. It is called by the goroutine that did it, without a lock held. It must not
// block, and must not write to the task.
type Observer interface {
	TaskCreated()
	// TaskFinished is called once for every task that ends, after its last status
	// was published. It is not called for a discarded task.
	TaskFinished(t *Task, f Finished)
	// SubscribersCut tells how many subscribers were dropped because they read too
	// slowly.
	SubscribersCut(n int)
}

// Finished tells how a task ended.
type Finished struct {
	State    a2a.TaskState
	Duration time.Duration // since it was created
	Bytes    int64         // content of the answer: artifacts, kept or not, and the last message
	Message  *a2a.Message  // of the last status; nil for none; it must not be changed
	Metadata a2a.Metadata  // of the last event; it must not be changed
}

// answered returns the bytes of content in a task's artifacts and last message.
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

// nobody is the Observer that does nothing.
type nobody struct{}

var _ Observer = nobody{}

func (nobody) TaskCreated()                 {}
func (nobody) TaskFinished(*Task, Finished) {}
func (nobody) SubscribersCut(int)           {}

// TraceParent is the W3C trace context of the request that began the present turn,
// "" for none. It is lost at a restart.
func (t *Task) TraceParent() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.trace
}

// SetTraceParent sets the trace context. The caller that gives the task its work
// calls it before the work begins.
func (t *Task) SetTraceParent(trace string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trace = trace
}

// Extensions returns the extensions that the request activated which began the present turn.
// They are lost at a restart, and must not be changed.
func (t *Task) Extensions() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.active
}

// SetExtensions sets the active extensions. The caller that gives the task its work calls
// it before the work begins.
func (t *Task) SetExtensions(uris []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.active = uris
}

// IsCall reports whether the task belongs to a tool call. What the agent says of a
// task does not make it one. It is lost at a restart.
func (t *Task) IsCall() bool { return t.call.Load() }

// SetCall marks the task as a tool call's. The caller that makes the task calls it
// before the work begins.
func (t *Task) SetCall() { t.call.Store(true) }
