package task

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Task is one task of a Registry. Its readers' methods may be called by
// anybody; its writers' methods are meant for the one owner that runs it, and
// are safe for the several goroutines that an owner may have: they take turns.
type Task struct {
	id        string
	owner     string
	contextID string
	reg       *Registry

	ctx    context.Context
	cancel context.CancelCauseFunc
	call   atomic.Bool // it is a tool call's

	// turn at writing: whoever has put a value in may change the task. Held
	// while waiting for room in the window, so it is not a mutex.
	writer chan struct{}

	// mu guards everything below, for no longer than a copy of slice headers.
	// Fields other than the log's readers and the waiters change only while
	// their writer also has the turn, and so may be read with the turn alone;
	// but for what eviction drops of a finished task.
	mu        sync.Mutex
	created   time.Time // never changed
	trace     string    // W3C traceparent of the newest turn's request, "" for none
	log       eventLog
	status    a2a.Status
	last      uint64 // the ID of the newest event
	seq       uint64 // order of the newest status among all tasks
	turn      int
	finished  bool
	metadata  a2a.Metadata // replaced, never changed
	history   history
	artifacts artifactStore
	message   *a2a.Message // newest from the client
	reply     *a2a.Message
	question  *question
	push      []Push // replaced, never changed
	waiters   map[*waiter]struct{}

	version uint64                // counts changes
	shared  weak.Pointer[opening] // the newest

	seen      Commit // of the newest change that must be durable before it is seen
	newest    Commit // of the newest change
	size      int64  // bytes in the store, about
	bare      bool   // memory has but the state of it; never changed
	discarded bool   // it is not kept
	evicted   bool   // its content is in the store only
	entry     *entry // of the registry; never changed
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

// Message is the message of the present turn. It must not be changed.
func (t *Task) Message() *a2a.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.message
}

// Reply is the bare message that FinishMessage answered with, else nil.
func (t *Task) Reply() *a2a.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reply
}

// Context ends when somebody wants the task stopped, or when it has finished.
// context.Cause tells why: what was given to Cancel, or ErrFinished.
func (t *Task) Context() context.Context { return t.ctx }

// Cancel asks for the task to be stopped: ErrCanceled, ErrDeadline or
// ErrDraining. The first cause stays. A task that waits for its next turn is
// run by nobody who could settle it, and has ended when Cancel returns.
func (t *Task) Cancel(cause error) {
	t.cancel(cause)
	t.dismiss()
}

// waiter is one Wait.
type waiter struct {
	until func(a2a.TaskState) bool
	met   chan struct{}
}

// Wait returns nil as soon as the task has entered a state that until accepts,
// however short it stayed there, or with the cause of ctx's end. A terminal
// state ends it in any case. until is called with the task locked: it must not
// block, nor use the task.
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

// tell ends the waits that the present state satisfies. mu is held.
func (t *Task) tell() {
	for w := range t.waiters {
		if t.finished || w.until(t.status.State) {
			close(w.met)
			delete(t.waiters, w)
		}
	}
}
