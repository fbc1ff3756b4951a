package task

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Store keeps tasks beyond the life of the process. Its methods may be called
// from many goroutines.
//
// What is appended becomes durable in the order of the calls, at the latest
// 50 ms later, and at once when somebody waits for it: what has come together
// until then is written together. While more waits to be written than the store
// may hold, Append waits too.
//
// A store that cannot write keeps what it was given, within that bound, and
// tries again. Meanwhile Err says why, and Wait returns the same.
type Store interface {
	// Append adds a change of one task. The change belongs to the store now.
	Append(ctx context.Context, c *Change) Commit
	// Heads returns what is kept of every task, the oldest status first.
	Heads() ([]Head, error)
	// Load returns what is kept of a task: its newest messages, about history
	// bytes of them and at least one if there is one; the events go to each one
	// by one, in order, until it returns false; nil wants none. Changes that are not durable yet
	// are not part of it. The error of a task that is not kept is
	// a2a.ErrTaskNotFound.
	Load(id string, history int64, each func(*Stored) bool) (*Record, error)
	// Events returns the events of a task that come after a place, in order,
	// up to about limit bytes of them and at least one if there is one.
	Events(id string, after uint64, limit int) ([]*a2a.Event, error)
	// Forget drops tasks, at the latest with the next commit.
	Forget(ids ...string)
	// Err says why the store cannot write now, nil when it can.
	Err() error
}

// Commit is a change on its way to the disk.
type Commit interface {
	// Wait returns nil once the change, and all before it, are durable; the
	// store's fault while it cannot write; or the cause of ctx's end.
	Wait(ctx context.Context) error
	// Done reports whether the change is durable already.
	Done() bool
}

// Change is one step in a task's life. The members that are set become durable
// together.
type Change struct {
	TaskID string
	// Head replaces the task's head. It is set in the first change of a task.
	Head *Head
	// Messages join the history.
	Messages []*a2a.Message
	// Event is the next of the task's events, a status or an artifact update
	// with its ID set.
	Event *Stored
}

// Stored is an event as it is kept. Cont says that the first part of an
// artifact update goes on with the last one stored.
type Stored struct {
	*a2a.Event
	Cont bool
}

// Head is what is kept of a task beside its history and its events: enough to
// list it.
type Head struct {
	ID        string
	Owner     string
	ContextID string
	Status    a2a.Status
	Metadata  a2a.Metadata
	Reply     *a2a.Message // the bare message that it answered with, else nil
	Turn      int
	Seq       uint64 // the place of its newest status among all tasks'
	LastEvent uint64 // the ID of its newest event
	Push      []Push
	// Bytes is what the task takes in the store, about. The store counts it.
	Bytes int64
}

// Push is a configured receiver of a task's events and how far it has got.
type Push struct {
	Config a2a.PushConfig
	// Delivered is the ID of the last event that it took.
	Delivered uint64
}

// Record is a task as it is kept.
type Record struct {
	Head
	History []a2a.Message
	Dropped int // older messages than those
}
