package task

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Store keeps tasks after the process ends. Its methods may be called from many
// goroutines.
//
// What is appended becomes durable in the order of the calls: at the latest 50 ms
// later, and at once if somebody waits for it. All changes that have come together
// until then are written together. While more waits to be written than the store may
// hold, Append waits too.
//
// A store that cannot write keeps what it was given, within that bound, and tries
// again. Meanwhile Err returns why, and Wait returns the same error.
type Store interface {
	// Append adds a change of one task. The change belongs to the store now.
	Append(ctx context.Context, c *Change) Commit
	// Heads returns what is kept of every task, the oldest status first.
	Heads() ([]Head, error)
	// Load returns what is kept of a task. The record has its newest messages: about
	// history bytes of them, and at least one if there is one. The events are passed
	// to each one by one, in order, until it returns false; if each is nil, no
	// events are read. Changes that are not durable yet are not part of the result.
	// If the task is not kept, the error is a2a.ErrTaskNotFound.
	Load(id string, history int64, each func(*Stored) bool) (*Record, error)
	// Events returns the events of a task that come after the ID after, in order: up
	// to about limit bytes of them, and at least one if there is one.
	Events(id string, after uint64, limit int) ([]*a2a.Event, error)
	// Forget drops tasks. They are gone at the latest with the next commit.
	Forget(ids ...string)
	// Err returns why the store cannot write now, or nil if it can.
	Err() error
}

// Commit is a change that is being written to the disk.
type Commit interface {
	// Wait returns nil once the change and all changes before it are durable. It
	// returns the store's fault while the store cannot write, or the cause of ctx's
	// end.
	Wait(ctx context.Context) error
	// Done reports whether the change is already durable.
	Done() bool
}

// Change is one step in a task's life. The fields that are set become durable
// together.
type Change struct {
	TaskID string
	// Head replaces the task's head. It is set in the first change of a task.
	Head *Head
	// Messages are added to the history.
	Messages []*a2a.Message
	// Event is the next of the task's events: a status or an artifact update with
	// its ID set.
	Event *Stored
}

// Stored is an event as it is kept. Cont means that the first part of an artifact
// update continues the last stored part.
type Stored struct {
	*a2a.Event
	Cont bool
}

// Head is what is kept of a task besides its history and its events. It is enough to
// list the task.
type Head struct {
	ID        string
	Owner     string
	ContextID string
	Status    a2a.Status
	Metadata  a2a.Metadata
	Reply     *a2a.Message // the bare message that it answered with; nil if none
	Turn      int
	Seq       uint64 // the place of its newest status among those of all tasks
	LastEvent uint64 // the ID of its newest event
	Push      []Push
	// Bytes is about how many bytes the task takes in the store. The store counts
	// them.
	Bytes int64
}

// Push is a configured receiver of a task's events, and how far delivery to it has
// got.
type Push struct {
	Config a2a.PushConfig
	// Delivered is the ID of the last event that the receiver took.
	Delivered uint64
}

// Record is a task as it is kept.
type Record struct {
	Head
	History []a2a.Message
	Dropped int // how many older messages were dropped
}
