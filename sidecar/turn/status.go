package turn

import (
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// SessionStatus is the state of a session at one moment. What it says of the agent
// comes from the agent, and is for the session's caller only.
type SessionStatus struct {
	PID     int
	Started time.Time
	// Context and Owner say whose conversation the session holds; they are "" while
	// it is nobody's. If one session serves all contexts, Context is the context of
	// the running turn, else the session's own.
	// If the process holds a conversation for each context, Many is set, and they are those of the
	// running turn.
	Context, Owner string
	Many           bool
	// Task is the running task, "" if none runs. Turns is how many turns have
	// begun.
	Task  string
	Turns int
	// Verdict says what the agent is doing, and who reported it.
	Verdict state.Verdict
}

// Status returns every session, in the order in which they were started; none in
// oneshot mode.
func (r *Runner) Status() []SessionStatus {
	held := r.held()
	all := make([]SessionStatus, len(held))
	for i, h := range held {
		all[i] = h.s.status()
		if all[i].Owner == "" {
			all[i].Owner = h.owner
		}
		if all[i].Context == "" {
			all[i].Context = h.context
		}
		all[i].Many = !r.shared() && !r.pooled()
	}
	return all
}

// whose returns the caller to whom the session belongs, "" if to nobody.
func (b *ownership) whose() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held == 0 {
		return ""
	}
	return b.owner
}

func (s *session) status() SessionStatus {
	st := SessionStatus{PID: s.child.PID(), Started: s.started, Verdict: s.body.verdict()}
	s.mu.Lock()
	defer s.mu.Unlock()
	st.Turns = s.turns
	if s.cur != nil {
		st.Task, st.Context, st.Owner = s.cur.task.ID(), s.cur.task.ContextID(), s.cur.task.Owner()
	}
	return st
}
