package task

import (
	"time"
	"weak"
)

// finishedTasks holds the finished tasks in the order in which they finished. The
// registry's mu guards it.
type finishedTasks struct {
	queue   []*entry
	stored  int   // how many of the oldest are in the store only
	trimmed int   // how many of the oldest keep no events for clients that come back
	memory  int64 // bytes
	size    int64 // bytes in the store
}

// pop removes the oldest task and returns it.
func (f *finishedTasks) pop() *entry {
	e := f.queue[0]
	f.queue[0] = nil
	f.queue = f.queue[1:] // append moves it when its array is used up
	f.stored, f.trimmed = max(f.stored-1, 0), max(f.trimmed-1, 0)
	f.memory -= e.memory
	f.size -= e.size
	return e
}

// departed holds the tasks that were evicted from memory or forgotten. depart
// completes that without holding the registry's lock.
type departed struct {
	evicted   []*Task
	forgotten []*entry
	contexts  []goneContext // of those that were forgotten
}

// finished records that a task ends, and evicts or forgets the oldest tasks beyond
// the limits. It runs before anybody is told of the end, so that a caller who then
// lists the tasks finds them within the limits. t.mu is held.
func (r *Registry) finished(t *Task, memory int64) departed {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parked.remove(t)
	r.index.ends(t.owner)
	if r.entries[t.id] == nil { // it was discarded meanwhile
		return departed{}
	}
	delete(r.live, t.entry)
	t.entry.end(t, memory)
	r.keepDone(t.entry)
	return r.crowdOut()
}

// keepDone adds a finished task. mu is held.
func (r *Registry) keepDone(e *entry) {
	r.done.queue = append(r.done.queue, e)
	r.done.memory += e.memory
	r.done.size += e.size
}

// crowdOut removes the oldest finished tasks beyond the limits, but never the newest
// one. Without a store it forgets them; with a store it evicts them from memory
// first. mu is held.
func (r *Registry) crowdOut() (gone departed) {
	f, o := &r.done, &r.opts
	if o.Store == nil {
		for len(f.queue) > 1 && (len(f.queue) > o.KeepTasks || f.memory > o.KeepBytes) {
			r.forget(f.pop(), &gone)
		}
		return gone
	}
	now := time.Now()
	for len(f.queue) > 1 && (len(f.queue) > o.RetainTasks || f.size > o.RetainBytes || r.expired(f.queue[0], now)) {
		r.forget(f.pop(), &gone)
	}
	for len(f.queue)-f.stored > 1 && (len(f.queue)-f.stored > o.KeepTasks || f.memory > o.KeepBytes) {
		e := f.queue[f.stored]
		if e.commit != nil && !e.commit.Done() {
			break // the store does not have it yet
		}
		gone.evicted = append(gone.evicted, e.task)
		e.loaded, e.task, e.commit = weak.Make(e.task), nil, nil
		f.memory -= e.memory
		e.memory = 0
		f.stored++
	}
	r.awaitExpiry(now)
	return gone
}

// forget removes a task from the registry. mu is held.
func (r *Registry) forget(e *entry, gone *departed) {
	delete(r.entries, e.id)
	gone.contexts = append(gone.contexts, r.index.forgets(e.contextID)...)
	gone.forgotten = append(gone.forgotten, e)
}

// depart completes what crowdOut began. It drops the content of evicted tasks, so
// that a caller that still holds one holds little. A forgotten task keeps its
// content for such callers: nobody else has it, and they may not know of its end
// yet.
func (r *Registry) depart(gone departed) {
	for _, t := range gone.evicted {
		t.mu.Lock()
		t.log.thin()
		t.evicted = true
		t.history, t.artifacts = history{limit: t.history.limit}, artifactStore{limit: t.artifacts.limit}
		t.version++
		t.mu.Unlock()
		r.tellGone(t.id)
	}
	if len(gone.forgotten) == 0 {
		return
	}
	ids := make([]string, len(gone.forgotten))
	for i, e := range gone.forgotten {
		ids[i] = e.id
		if t := e.task; t != nil {
			t.mu.Lock()
			t.log.thin()
			t.mu.Unlock()
		}
	}
	r.tellGone(ids...)
	r.tellContexts(gone.contexts)
	if r.opts.Store != nil {
		r.opts.Store.Forget(ids...)
	}
	r.opts.Log.Debug("finished tasks forgotten", "tasks", len(ids))
}

func (r *Registry) tellGone(ids ...string) {
	if r.opts.Gone != nil {
		r.opts.Gone(ids...)
	}
}

func (r *Registry) tellContexts(gone []goneContext) {
	if r.opts.ContextGone == nil {
		return
	}
	for _, c := range gone {
		r.opts.ContextGone(c.owner, c.id)
	}
}

// trim keeps the events that all tasks hold for clients that come back within
// ReplayBytes. The oldest finished tasks drop theirs first, then t, which has just
// grown.
func (r *Registry) trim(t *Task) {
	for over := r.replay.Load() - r.opts.ReplayBytes; over > 0; over = r.replay.Load() - r.opts.ReplayBytes {
		oldest := r.untrimmed()
		if oldest == nil {
			t.mu.Lock()
			t.log.shed(over)
			t.mu.Unlock()
			return
		}
		oldest.mu.Lock()
		oldest.log.thin()
		oldest.mu.Unlock()
	}
}

// untrimmed returns the oldest finished task that may still keep events, and counts
// it as trimmed. It returns nil if there is none.
func (r *Registry) untrimmed() *Task {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := &r.done
	for f.trimmed < len(f.queue) {
		f.trimmed++
		if t := f.queue[f.trimmed-1].task; t != nil {
			return t
		}
	}
	return nil
}

// expired reports whether a finished task has been kept for RetainFor.
func (r *Registry) expired(e *entry, now time.Time) bool {
	return r.opts.RetainFor > 0 && !now.Before(e.status.Timestamp.Add(r.opts.RetainFor))
}

// awaitExpiry sets the timer for the oldest finished task. mu is held.
func (r *Registry) awaitExpiry(now time.Time) {
	if r.opts.RetainFor <= 0 || len(r.done.queue) < 2 || r.ctx.Err() != nil {
		return
	}
	at := r.done.queue[0].status.Timestamp.Add(r.opts.RetainFor)
	if r.expiry != nil && at.Equal(r.expires) {
		return
	}
	r.stopExpiry()
	r.expires = at
	r.sweeps.Add(1)
	var timer *time.Timer
	timer = time.AfterFunc(at.Sub(now), func() {
		defer r.sweeps.Done()
		r.mu.Lock()
		if r.expiry == timer {
			r.expiry = nil
		}
		gone := r.crowdOut()
		r.mu.Unlock()
		r.depart(gone)
	})
	r.expiry = timer
}

// stopExpiry stops the timer, if it is set. mu is held.
func (r *Registry) stopExpiry() {
	if r.expiry != nil && r.expiry.Stop() {
		r.sweeps.Done()
	}
	r.expiry = nil
}
