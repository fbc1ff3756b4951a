package task

import "github.com/a2a-sidecar/sidecar/a2a"

// Discard forgets a task whose work was refused before it began: as far as
// clients can tell it was never made, and it counts towards no limit. Who
// follows it already sees it rejected.
func (r *Registry) Discard(t *Task) {
	r.mu.Lock()
	if _, ok := r.tasks[t.id]; ok {
		delete(r.tasks, t.id)
		r.index.forgets(t.contextID)
	}
	r.mu.Unlock()
	t.begin(nil)
	defer t.end()
	// The error is ErrFinished: then it has ended by itself.
	_ = t.setStatus(a2a.StateRejected, nil, nil, func() {
		r.mu.Lock()
		r.index.ends(t.owner)
		r.mu.Unlock()
	})
	t.cancel(ErrFinished)
}
