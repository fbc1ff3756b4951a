package turn

import (
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/profile"
)

// SessionStatus is a session at one moment. What it says of the agent comes from
// the agent, and is for the session's caller only.
type SessionStatus struct {
	PID     int
	Started time.Time
	// Context and Owner are whose conversation it is, "" while it is nobody's;
	// where one session serves all contexts, Context is the one of the turn that
	// runs, else the session's own.
	Context, Owner string
	// Task is the task that runs, "" for none; Turns is how many have begun.
	Task  string
	Turns int
	// Verdict is what the agent is doing, and who says so.
	Verdict profile.Verdict
}

// Status is every session, in the order they were started; none in oneshot.
func (r *Runner) Status() []SessionStatus {
	switch s := r.sessions.(type) {
	case *solo:
		return s.status()
	case *pool:
		return s.status()
	}
	return nil
}

func (o *solo) status() []SessionStatus {
	o.mu.Lock()
	s := o.cur
	o.mu.Unlock()
	if s == nil {
		return nil
	}
	owner := o.r.belongs.whose()
	st := s.status()
	if st.Context == "" {
		st.Context = o.r.o.SessionContext
	}
	st.Owner = owner
	return []SessionStatus{st}
}

// whose is who the session belongs to, "" for nobody.
func (b *belonging) whose() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held == 0 {
		return ""
	}
	return b.owner
}

func (p *pool) status() []SessionStatus {
	type served struct {
		s           *session
		name, owner string
	}
	p.mu.Lock()
	all := make([]served, 0, len(p.members))
	for _, m := range p.members {
		if m.s != nil {
			context, owner, _ := strings.Cut(m.context, "\x00")
			all = append(all, served{m.s, context, owner})
		}
	}
	p.mu.Unlock()
	list := make([]SessionStatus, len(all))
	for i, m := range all {
		list[i] = m.s.status()
		list[i].Context, list[i].Owner = m.name, m.owner
	}
	return list
}

func (s *session) status() SessionStatus {
	st := SessionStatus{PID: s.child.PID(), Started: s.started, Verdict: s.console.look().verdict}
	s.mu.Lock()
	defer s.mu.Unlock()
	st.Turns = s.turns
	if s.cur != nil {
		st.Task, st.Context = s.cur.task.ID(), s.cur.task.ContextID()
	}
	return st
}
