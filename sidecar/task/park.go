package task

import (
	"context"
	"errors"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// abandoned is the last message of a task that waited for its next turn while too
// many newer tasks came to wait.
const abandoned = "nobody went on with this task, and too many newer ones wait"

// parkedTasks holds the tasks that wait for their next turn. Nobody runs them, and
// perhaps nobody ever continues them. The caller that takes a task out decides what
// becomes of it.
type parkedTasks struct {
	tasks map[*Task]parkedTask
	bytes int64
}

type parkedTask struct {
	since uint64 // the place of its status among those of all tasks
	bytes int64
}

// park records that t waits. Beyond KeepTasks and KeepBytes it takes out the tasks
// that have waited longest, but never t itself; the caller abandons them. t.mu is
// held.
func (r *Registry) park(t *Task) (crowded []*Task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := parkedTask{since: t.seq, bytes: t.bytes()}
	r.parked.tasks[t] = p
	r.parked.bytes += p.bytes
	for len(r.parked.tasks) > 1 && (len(r.parked.tasks) > r.opts.KeepTasks || r.parked.bytes > r.opts.KeepBytes) {
		oldest := r.parked.oldest()
		r.parked.remove(oldest)
		crowded = append(crowded, oldest)
	}
	return crowded
}

// unpark takes t out and reports whether t was waiting.
func (r *Registry) unpark(t *Task) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.parked.remove(t)
}

func (p *parkedTasks) oldest() (oldest *Task) {
	for t, parked := range p.tasks {
		if oldest == nil || parked.since < p.tasks[oldest].since {
			oldest = t
		}
	}
	return oldest
}

func (p *parkedTasks) remove(t *Task) bool {
	parked, ok := p.tasks[t]
	p.bytes -= parked.bytes
	delete(p.tasks, t)
	return ok
}

// abandon ends a task that was taken out to make room for newer ones. It is then
// forgotten like any finished task.
func (t *Task) abandon() {
	// The only error is ErrFinished: the task has ended by itself.
	_ = t.Finish(a2a.StateFailed, &a2a.Message{Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(abandoned)}}, nil)
}

// dismiss ends a task that was asked to stop while it waits for its next turn.
func (t *Task) dismiss() {
	if !t.reg.unpark(t) {
		return
	}
	state := a2a.StateFailed
	if errors.Is(context.Cause(t.ctx), ErrCanceled) {
		state = a2a.StateCanceled
	}
	// The only error is ErrFinished: the task has ended by itself.
	_ = t.Finish(state, nil, nil)
}
