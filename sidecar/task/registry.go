package task

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Registry holds the tasks. All methods may be called from many goroutines.
type Registry struct {
	opts  Options
	seq   atomic.Uint64 // orders the statuses of all tasks
	ctx   context.Context
	close context.CancelCauseFunc

	mu     sync.Mutex
	tasks  map[string]*Task
	done   finishedTasks
	parked parkedTasks
	index  index
}

// NewRegistry returns an empty registry that keeps tasks in memory only.
func NewRegistry(o Options) *Registry {
	o.Store = nil
	return newRegistry(o)
}

// OpenRegistry returns a registry of all that Options.Store keeps. Tasks that
// had not finished have failed now, "interrupted by restart", which is durable
// when it returns. The error is the store's, or the cause of ctx's end.
func OpenRegistry(ctx context.Context, o Options) (*Registry, error) {
	return newRegistry(o), nil
}

func newRegistry(o Options) *Registry {
	r := &Registry{
		opts: o.withDefaults(), tasks: make(map[string]*Task), index: newIndex(),
		parked: parkedTasks{tasks: make(map[*Task]parkedTask)},
	}
	r.ctx, r.close = context.WithCancelCause(context.Background())
	return r
}

// Create makes a task in state submitted, its first message being m: m's
// missing ids, its task and its context are filled in, and it must not be
// changed any more. meta is the task's metadata, nil for none. An empty ctxID
// makes a new context. The task is visible to its owner only: a caller's name,
// "" where callers are not known.
func (r *Registry) Create(owner, ctxID string, m *a2a.Message, meta a2a.Metadata) *Task {
	if ctxID == "" {
		ctxID = a2a.NewID()
	}
	t := &Task{
		id: a2a.NewID(), owner: owner, contextID: ctxID, reg: r, turn: 1, message: m,
		writer:    make(chan struct{}, 1),
		status:    a2a.Status{State: a2a.StateSubmitted, Timestamp: now()},
		metadata:  maps.Clone(meta),
		history:   history{limit: r.opts.TaskBytes},
		artifacts: artifactStore{limit: r.opts.TaskBytes},
	}
	t.created = time.Now()
	t.ctx, t.cancel = context.WithCancelCause(r.ctx)
	t.log.init(r.opts.Window)
	t.fill(m, a2a.RoleUser)
	t.history.add(*m)
	t.seq = r.seq.Add(1)
	r.mu.Lock()
	r.tasks[t.id] = t
	r.index.begins(owner, ctxID)
	r.mu.Unlock()
	r.opts.Observer.TaskCreated()
	return t
}

// Get returns a caller's task, or a2a.ErrTaskNotFound: there never was one, it
// has been evicted, or it is somebody else's (§13.1).
func (r *Registry) Get(owner, id string) (*Task, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.tasks[id]
	if !ok || t.owner != owner {
		return nil, a2a.ErrTaskNotFound
	}
	return t, nil
}

// Running returns the tasks that have not finished, in no order.
func (r *Registry) Running() []*Task {
	return slices.DeleteFunc(r.all(), func(t *Task) bool { return t.State().Terminal() })
}

func (r *Registry) all() []*Task {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.tasks))
}

// Close cancels every task that has not finished with ErrDraining. Their
// owners settle them; tasks can still be read and written.
func (r *Registry) Close() { r.close(ErrDraining) }
