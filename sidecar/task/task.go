package task

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Task is one task of a Registry. Anybody may call the methods that read. The
// methods that write are meant for the one owner that runs the task; the owner may
// call them from several goroutines, which take turns.
type Task struct {
	id        string
	owner     string
	contextID string
	reg       *Registry

	ctx    context.Context
	cancel context.CancelCauseFunc
	call   atomic.Bool // the task belongs to a tool call
	beside atomic.Pointer[any]

	// writer is the turn at writing: the goroutine that has put a value in may
	// change the task. The turn is held while the writer waits for room in the
	// window, so it is not a mutex.
	writer chan struct{}

	// mu guards everything below. It is held no longer than it takes to copy slice
	// headers. Fields other than the log's readers and the waiters change only while
	// their writer also has the turn, so a goroutine that has the turn may read them
	// without mu. The exception is what eviction drops of a finished task.
	mu        sync.Mutex
	created   time.Time // never changed
	trace     string    // W3C traceparent of the newest turn's request, "" for none
	active    []string  // the extensions that its request activated; replaced, never changed
	log       eventLog
	status    a2a.Status
	last      uint64 // the ID of the newest event
	seq       uint64 // the place of the newest status among those of all tasks
	turn      int
	finished  bool
	metadata  a2a.Metadata // replaced, never changed
	history   history
	artifacts artifactStore
	message   *a2a.Message // the newest message from the client
	reply     *a2a.Message
	question  *question
	push      []Push // replaced, never changed
	waiters   map[*waiter]struct{}

	version uint64                // counts changes
	shared  weak.Pointer[opening] // the newest opening

	seen      Commit // commit of the newest change that must be durable before it is seen
	newest    Commit // commit of the newest change
	size      int64  // about how many bytes the task takes in the store
	bare      bool   // memory has only the state of the task; never changed
	discarded bool   // the task is not kept
	evicted   bool   // the content is in the store only
	entry     *entry // the registry's entry; never changed
}

// ID is the task's id, made by the registry.
func (t *Task) ID() string { return t.id }

// Owner is the caller that the task belongs to, "" where callers are not known.
func (t *Task) Owner() string { return t.owner }

// ContextID is the conversation that the task belongs to.
func (t *Task) ContextID() string { return t.contextID }

// State is the present state.
func (t *Task) State() a2a.TaskState {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.status.State
}

// Attach keeps a value with the task, in place of an earlier one, for as long as somebody holds the task. It is no part
// of the task for clients and the store, and lost at a restart.
func (t *Task) Attach(v any) { t.beside.Store(&v) }

// Attached returns the value of Attach, nil for none.
func (t *Task) Attached() any {
	if v := t.beside.Load(); v != nil {
		return *v
	}
	return nil
}

// lastEvent is the ID of the newest event.
func (t *Task) lastEvent() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// Turn counts the messages that started work: 1, and one more per Continue.
func (t *Task) Turn() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.turn
}

// Message is the client's message that began the present turn. It must not be
// changed.
func (t *Task) Message() *a2a.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.message
}

// Reply is the bare message that FinishMessage answered with, or nil if there is
// none.
func (t *Task) Reply() *a2a.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reply
}

// Context ends when somebody wants the task stopped, or when the task has finished.
// context.Cause tells why: it is the cause given to Cancel, or ErrFinished.
func (t *Task) Context() context.Context { return t.ctx }

// Cancel asks for the task to be stopped, with the cause ErrCanceled, ErrDeadline or
// ErrDraining. The first cause stays. A task that waits for its next turn has no
// owner that could settle it, so it has ended when Cancel returns.
func (t *Task) Cancel(cause error) {
	t.cancel(cause)
	t.dismiss()
}

// waiter is one call of Wait.
type waiter struct {
	until func(a2a.TaskState) bool
	met   chan struct{}
}

// Wait returns nil as soon as the task has entered a state that until accepts,
// however short it stayed there, or a terminal state. If ctx ends first, Wait
// returns its cause. until is called while the task is locked: it must not block,
// and must not use the task.
func (t *Task) Wait(ctx context.Context, until func(a2a.TaskState) bool) error {
	t.mu.Lock()
	if t.finished || until(t.status.State) {
		t.mu.Unlock()
		return nil
	}
	w := &waiter{until: until, met: make(chan struct{})}
	if t.waiters == nil {
		t.waiters = make(map[*waiter]struct{})
	}
	t.waiters[w] = struct{}{}
	t.mu.Unlock()

	select {
	case <-w.met:
		return nil
	case <-ctx.Done():
		t.mu.Lock()
		delete(t.waiters, w)
		t.mu.Unlock()
		return context.Cause(ctx)
	}
}

// tell ends the waits whose condition the present state satisfies. mu is held.
func (t *Task) tell() {
	for w := range t.waiters {
		if t.finished || w.until(t.status.State) {
			close(w.met)
			delete(t.waiters, w)
		}
	}
}
