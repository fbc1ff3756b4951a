package task

// finishedTasks are the finished ones in the order they finished.
type finishedTasks struct {
	queue []finishedTask
	bytes int64
}

type finishedTask struct {
	id    string
	bytes int64
}

// finished takes note of a task that ends, forgets the oldest ones beyond the
// limits, but never the newest, and returns how many. It happens before anybody
// is told of the end: who lists the tasks then finds them within the limits.
// t.mu is held.
func (r *Registry) finished(t *Task, bytes int64) (forgotten int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parked.remove(t)
	r.index.ends(t.owner)
	r.done.queue = append(r.done.queue, finishedTask{t.id, bytes})
	r.done.bytes += bytes
	for len(r.done.queue)-forgotten > 1 &&
		(len(r.done.queue)-forgotten > r.opts.KeepTasks || r.done.bytes > r.opts.KeepBytes) {
		old := r.done.queue[forgotten]
		if old, ok := r.tasks[old.id]; ok {
			delete(r.tasks, old.id)
			r.index.forgets(old.contextID)
		}
		r.done.bytes -= old.bytes
		forgotten++
	}
	r.done.queue = r.done.queue[forgotten:] // append moves it when its array is used up
	return forgotten
}
