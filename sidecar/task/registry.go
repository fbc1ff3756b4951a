package task

import (
	"context"
	"maps"
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

	replay atomic.Int64  // bytes of memory for the events that all tasks keep
	loads  chan struct{} // turns at reading from the store
	outage outage

	mu      sync.Mutex
	entries map[string]*entry
	live    map[*entry]struct{} // those that have not finished
	done    finishedTasks
	parked  parkedTasks
	index   index
	expiry  *time.Timer // for the oldest finished task; nil if not set
	expires time.Time   // when expiry fires
	sweeps  sync.WaitGroup
}

// NewRegistry returns an empty registry that keeps tasks in memory only.
func NewRegistry(o Options) *Registry {
	o.Store = nil
	return newRegistry(o)
}

func newRegistry(o Options) *Registry {
	r := &Registry{
		opts: o.withDefaults(), loads: make(chan struct{}, loads),
		entries: make(map[string]*entry), live: make(map[*entry]struct{}), index: newIndex(),
		parked: parkedTasks{tasks: make(map[*Task]parkedTask)},
	}
	r.ctx, r.close = context.WithCancelCause(context.Background())
	return r
}

// Create makes a task in state submitted with m as its first message. It fills in
// m's task and context, and its id and role if they are missing; m must not be
// changed any more. meta is the task's metadata, nil for none. An empty ctxID makes
// a new context. Only the owner sees the task; owner is a caller's name, "" where
// callers are not known.
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
	t.log.init(r.opts.Window, &r.replay)
	t.fill(m, a2a.RoleUser)
	t.history.add(*m)
	t.seq = r.seq.Add(1)
	t.entry = &entry{id: t.id, owner: owner, contextID: ctxID, task: t}
	if r.opts.Store != nil {
		t.changed(t.keep(&Change{Head: t.head(), Messages: []*a2a.Message{m}}, taskOverhead+messageCost(m)+metadataCost(meta)))
	}
	r.mu.Lock()
	r.entries[t.id] = t.entry
	r.live[t.entry] = struct{}{}
	r.index.begins(owner, ctxID)
	r.mu.Unlock()
	r.opts.Observer.TaskCreated()
	return t
}

// Running returns the tasks that have not finished, in no particular order.
func (r *Registry) Running() []*Task {
	r.mu.Lock()
	defer r.mu.Unlock()
	tasks := make([]*Task, 0, len(r.live))
	for e := range r.live {
		tasks = append(tasks, e.task)
	}
	return tasks
}

// Close cancels, with ErrDraining, every task that has not finished. Their owners
// settle them. Tasks can still be read and written, but they no longer expire.
func (r *Registry) Close() {
	r.close(ErrDraining)
	r.mu.Lock()
	r.stopExpiry()
	r.mu.Unlock()
	r.sweeps.Wait()
}
