package tui

import (
	"fmt"
	"strings"
)

// leave waits until the message has left the input. It repeats Enter only if the agent
// shows that it took the last one for a part of the text: in any other case, nobody
// knows what another Enter would do. The terminal is held until then: keys of others
// right after the Enter would make it text.
func (m *machine) leave(e *event) {
	m.evidence(e)
	if m.learner != nil {
		m.learner.SeeWorking(e.Screen)
	}
	switch {
	case m.grown(e) && !e.over:
		m.to(regrown)
	case e.over, m.left(e):
		m.depart()
	case m.stays(e):
		m.depart()
	case m.within(m.waited, m.timing.LeaveLimit):
	case !e.Screen.Output.After(m.sent) && m.within(m.sent, m.timing.StallLimit):
		m.waitOn() // the agent may not have read the Enter yet
	case m.worked:
		m.depart()
	case !m.input(e.Screen).ok && m.boxed() && m.within(m.sent, m.timing.StallLimit):
		m.waitOn() // the input that may hold the message may still be drawn again
		m.redraw(e)
	default:
		m.unsent(e)
	}
}

// waitOn gives the message as long again to leave the input.
func (m *machine) waitOn() { m.waited, m.moved = m.now, true }

// depart goes on once the message has left the input.
func (m *machine) depart() {
	m.unhold()
	m.resume()
}

// left reports whether the message has left the input.
func (m *machine) left(e *event) bool {
	in := m.input(e.Screen)
	switch {
	case m.worked: // the agent works on this message, unless the message is still there
		return !in.ok || in.text == "" || in.text != m.stood.text
	case !in.ok:
		return !m.boxed() || asks(e.Verdict) || m.through(e)
	case in.text == m.stood.text:
		return m.stood.text == ""
	}
	// A newline after the message is an Enter that was taken for text.
	return !strings.HasPrefix(in.text, m.stood.text) || m.stood.text == ""
}

// through reports whether the agent itself has said since the Enter that it is
// ready again: it was done before it could be seen at work.
func (m *machine) through(e *event) bool {
	return e.ready() && e.Verdict.Confidence >= certain && e.Verdict.Since.After(m.sent)
}

// grown reports whether the message stands in the input as it did before its Enter,
// with one more row: the agent took the Enter for a part of the text.
func (m *machine) grown(e *event) bool {
	in := m.input(e.Screen)
	return in.ok && in.text != "" && in.text == m.stood.text && m.profile.InputRows(e.Screen) > m.rows && !asks(e.Verdict)
}

// enterAgain types Enter once more if the message has stood in the input with such an
// Enter for a while.
func (m *machine) enterAgain(e *event) {
	switch grown := m.grown(e); {
	case grown && m.lasts(m.timing.EnterGap):
		return
	case grown && m.enters > m.timing.EnterTries:
		m.unsent(e)
		return
	case grown:
		m.rows, m.sent = m.profile.InputRows(e.Screen), m.now
		m.do(info{text: "the agent has taken Enter for a part of the message, and gets another"})
		m.typeKeys(m.enterKey())
	}
	m.enters, m.waited = m.enters+1, m.now
	m.to(entered)
}

// unsent takes back a message that was not sent. It types nothing if the agent has
// drawn nothing since the Enter: the Enter may have emptied the input, where the
// keys for that end some agents.
func (m *machine) unsent(e *event) {
	err := fmt.Errorf("the message could not be submitted: it was typed, and Enter did not send it within %s", m.timing.LeaveLimit)
	if e.Screen.Output.After(m.sent) {
		m.giveBack(err)
		return
	}
	m.to(failing)
	m.end(err)
}
