package task

import "github.com/a2a-sidecar/sidecar/a2a"

// Discard forgets a task whose work was refused before it began. For clients the
// task never existed, and it counts towards no limit. A subscriber that follows it
// already sees it rejected.
func (r *Registry) Discard(t *Task) {
	r.mu.Lock()
	if t.entry.done { // the task has ended by itself
		r.mu.Unlock()
		return
	}
	delete(r.entries, t.id)
	delete(r.live, t.entry)
	gone := r.index.forgets(t.contextID)
	r.mu.Unlock()
	defer r.tellContexts(gone)
	t.begin(nil)
	defer t.end()
	t.discarded = true
	// The only error is ErrFinished: the task has ended by itself meanwhile.
	_ = t.setStatus(transition{state: a2a.StateRejected, also: func() {
		r.mu.Lock()
		r.index.ends(t.owner)
		r.mu.Unlock()
	}})
	t.cancel(ErrFinished)
	t.mu.Lock()
	t.log.thin()
	t.mu.Unlock()
	if r.opts.Store != nil {
		r.opts.Store.Forget(t.id)
	}
}
