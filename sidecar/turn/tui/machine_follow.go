package tui

import (
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

const (
	// idleRule is the rule of an agent that says that it waits, and not that it is
	// done: somebody has stopped it.
	idleRule = "state=idle"
	// certain is the confidence of a verdict that the agent itself has given.
	certain = 0.9
)

// asks reports whether the agent waits for somebody in the middle of a turn, or in
// a dialog of its own.
func asks(v state.Verdict) bool { return v.State == profile.Asking || v.State == profile.Dialogue }

// evidence notes whether the agent is seen at work on the message.
func (m *machine) evidence(e *event) {
	v := e.Verdict
	if v.Source != state.SourceSubmit && (v.State == profile.Working || v.State == profile.Asking) {
		m.worked = true
	}
}

// resume goes on with the turn.
func (m *machine) resume() {
	switch {
	case m.goal == toAsk:
		m.end(nil)
	case m.reader == nil: // the agent asked before it took the message
		m.wait = patience{began: m.now}
		m.to(waiting)
	case m.worked:
		m.to(working)
	default:
		m.to(taken)
	}
}

// shared reports whether people have typed since the turn began.
func (m *machine) shared(e *event) bool { return e.keys != m.keys }

// follow passes the agent's answer on until the agent is ready again, asks, or says that
// the turn is done.
func (m *machine) follow(e *event) {
	if m.evidence(e); m.worked {
		m.phase = working
	}
	m.tell(e)
	if !m.silent(e) {
		m.readAnswer(e)
	}
	if m.unrested(e) {
		return
	}
	switch {
	case e.over:
		m.over = true
		m.draw(drawing)
	case m.shared(e) && e.reports.Any && e.reports.Final:
		// A turn that a person has typed meanwhile may start at once; it is not ours.
		m.finish(e)
		m.end(nil)
	case e.ready():
		m.close(e)
	case asks(e.Verdict):
		m.question(e)
	default:
		m.redraw(e)
	}
}

// readAnswer passes on the new part of the answer that will not change any more.
func (m *machine) readAnswer(e *event) {
	switch {
	case !e.reports.Any && !m.exact:
		before := len(m.reader.Text())
		if more := m.reader.Read(m.history(e))[before:]; m.streams() {
			m.pass(more)
		}
	case e.reports.Any && (!m.exact || e.reports.Text != m.heard):
		m.exact, m.heard = true, e.reports.Text
		if tail, replace := transcript.Reconcile(m.reader.Text(), m.heard); !replace {
			m.reader.Add(tail)
			m.pass(tail)
		}
	}
}

// history returns the rows that the reader has not seen, and the screen below them.
func (m *machine) history(e *event) ([]term.Line, uint64, term.Snapshot) {
	s := e.Screen
	rows, first := e.history(m.reader.Next())
	if end := first + uint64(len(rows)); end > s.Scrolled { // scrolled after s
		rows = rows[:max(0, len(rows)-int(end-s.Scrolled))]
	}
	return rows, first, s
}

// pass passes a further part of the answer on.
func (m *machine) pass(text string) {
	if text != "" {
		m.do(writeText(text))
	}
}

// replace passes on that the whole answer is this text.
func (m *machine) replace(text string) {
	m.reader.Replace(text)
	m.do(replaceText(text))
}

// tell keeps the agent's state in the task's metadata while the turn runs.
func (m *machine) tell(e *event) {
	if now := console.StateOf(e.Verdict); now.State != m.told.State || now.Source != m.told.Source || now.Rule != m.told.Rule {
		m.told = now
		m.do(tellState(now))
	}
}
