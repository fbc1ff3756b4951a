package call

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc/tree"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// parentKey is the key in a task's metadata for the task that it is a part of.
const parentKey = "parentTask"

// nest makes the call a part of what its caller works on.
func (i *Invocation) nest(m *a2a.Message) a2a.Metadata {
	w := i.request.Within
	if w == nil {
		return nil
	}
	i.parent = i.p.running(w)
	m.ReferenceTaskIDs = append(m.ReferenceTaskIDs[:len(m.ReferenceTaskIDs):len(m.ReferenceTaskIDs)], w.ID())
	return a2a.Metadata{parentKey: json.RawMessage(quote(w.ID()))}
}

// PartOf returns the task that a running call is a part of, given the call's own; nil for none.
func (p *Pipeline) PartOf(call *task.Task) *task.Task {
	if inv := p.running(call); inv != nil {
		return inv.request.Within
	}
	return nil
}

// running returns the call whose task this is, nil if none of the calls that run has it.
func (p *Pipeline) running(t *task.Task) *Invocation {
	p.mu.Lock()
	defer p.mu.Unlock()
	for inv := range p.live {
		if inv.task == t {
			return inv
		}
	}
	return nil
}

// Within returns the task of the call whose program is that process, or has started it, or of
// the turn whose agent had us run it; nil for none.
func (p *Pipeline) Within(l tree.Lineage) *task.Task {
	p.mu.Lock()
	live := make([]*Invocation, 0, len(p.live))
	for inv := range p.live {
		live = append(live, inv)
	}
	programs := make([]*program, 0, len(p.programs))
	for own := range p.programs {
		programs = append(programs, own)
	}
	p.mu.Unlock()
	for _, inv := range live {
		if c := inv.child.Load(); c != nil && c.Owns(l) {
			return inv.task
		}
	}
	for _, own := range programs {
		if own.child.Owns(l) {
			return own.n.task
		}
	}
	return nil
}

// run makes a program of an agent's known to Within, until ran.
func (p *Pipeline) run(own *program) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.programs[own] = struct{}{}
}

func (p *Pipeline) ran(own *program) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.programs, own)
}

// asks returns the task in which an approval of the call is asked for: of a call that an
// agent or a program makes while it works for somebody, the task of that work, because its
// client is the one who waits. nil: nobody is known to wait.
func (i *Invocation) asks() *task.Task {
	switch {
	case i.parent != nil:
		return i.parent.asks()
	case i.request.Within != nil:
		return i.request.Within
	case i.request.Agent:
		return nil
	}
	return i.task
}

// outermost returns the call that this one is nested in, and that is not nested itself.
func (i *Invocation) outermost() *Invocation {
	for i.parent != nil {
		i = i.parent
	}
	return i
}

// busyAgent returns the ID of the innermost task that the call is a part of and that the
// agent works on, "" if there is none: the agent waits for the call.
func (i *Invocation) busyAgent() string {
	c := i
	for c.parent != nil && !c.parent.forAgent() {
		c = c.parent
	}
	if w := c.request.Within; w != nil && !w.State().Terminal() {
		return w.ID()
	}
	return ""
}

// follow stops the call when what it is a part of is stopped: the caller's work was
// canceled, has reached its time limit, or a drain stops it. Work that ends by itself
// leaves the call be. The function that it returns ends that.
func (i *Invocation) follow() (forget func() bool) {
	work := i.within()
	return context.AfterFunc(work, func() {
		if cause := context.Cause(work); stops(cause) {
			i.task.Cancel(cause)
		}
	})
}

// stops reports whether err is a cause for which work is stopped.
func stops(err error) bool {
	return errors.Is(err, task.ErrCanceled) || errors.Is(err, task.ErrDeadline) || errors.Is(err, task.ErrDraining)
}

// within returns a context that ends when what the call is a part of has to stop.
func (i *Invocation) within() context.Context {
	switch {
	case i.parent != nil:
		i.p.mu.Lock()
		defer i.p.mu.Unlock()
		if i.parent.stopping != nil {
			return i.parent.stopping
		}
	case i.request.Within != nil:
		return i.request.Within.Context()
	}
	return context.Background()
}
