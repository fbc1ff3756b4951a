package turn

import (
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/tree"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Within returns the task of the turn that runs in that process, or in one that has
// started it: the agent's own, or a session's, for as long as a turn is under way. nil:
// there is none.
func (r *Runner) Within(l tree.Lineage) *task.Task {
	for _, h := range r.held() {
		if h.s.child.Owns(l) {
			return h.s.task()
		}
	}
	for t, c := range r.processes() {
		if c.Owns(l) {
			return t.task
		}
	}
	return nil
}

// processes returns the processes that live for one turn.
func (r *Runner) processes() map[*turn]*proc.Child {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make(map[*turn]*proc.Child, len(r.children))
	for t, c := range r.children {
		all[t] = c
	}
	return all
}

// task returns the task of the turn that is under way, nil if there is none.
func (s *session) task() *task.Task {
	t, err := s.turn()
	if err != nil {
		return nil
	}
	return t.task
}

// TaskOf returns the task that a holder of the channel's token works on, nil for none.
func TaskOf(o channel.Owner) *task.Task {
	switch o := o.(type) {
	case *session:
		return o.task()
	case *job.Owner:
		return o.Task()
	}
	return nil
}
