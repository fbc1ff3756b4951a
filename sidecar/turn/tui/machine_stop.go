package tui

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// awaitLeft waits for a message to leave the input before the keys that stop its turn
// are typed: an Enter that the agent has not read yet would send it after them.
func (m *machine) awaitLeft(e *event) {
	switch {
	case e.ready():
		m.to(idling)
	case !m.left(e) && m.lasts(m.timing.StopDelay):
	default:
		m.halt(e)
	}
}

// halt types the keys that stop the agent's turn. If the agent asks something, it first
// types the keys that decline it, which end the turn of most agents.
func (m *machine) halt(e *event) {
	if m.open = m.asksNow(e); m.open != nil {
		m.to(declined)
		m.cancel()
		return
	}
	m.interrupt()
}

// interrupt types the keys that stop the agent's turn.
func (m *machine) interrupt() {
	m.to(idling)
	m.pressKeys(m.interruptKeys())
}

// cancel types the keys that decline a question while it is on the screen: the keys
// that decline whatever is asked, because an option that says no may let the turn go
// on.
func (m *machine) cancel() {
	keys := m.open.Cancel
	if len(keys) == 0 {
		keys = m.interruptKeys()
	}
	m.pressWhile(keys, m.timing.AnswerGap, m.openStands)
}

// asksNow returns the question that the agent asks now, nil if there is none that can
// be read.
func (m *machine) asksNow(e *event) *profile.Question {
	if q, ok := m.profile.Question(e.Screen); ok && asks(e.Verdict) {
		return q
	}
	return nil
}

// openStands reports whether the agent still asks the open question.
func (m *machine) openStands(e *event) bool {
	now := m.asksNow(e)
	return now != nil && now.ID == m.open.ID
}

// awaitDeclined waits until the turn whose question was declined has ended.
func (m *machine) awaitDeclined(e *event) {
	switch {
	case e.ready():
		m.to(idling)
	case !m.lasts(m.timing.DeclinedLimit):
		m.interrupt()
	}
}

// awaitIdle waits until the agent is ready. If the agent still asks something though
// its turn is over, the question is declined: some agents lose keys that come while a
// question appears, and nobody would ever answer it.
func (m *machine) awaitIdle(e *event) {
	m.open = m.asksNow(e)
	switch {
	case m.open != nil:
		m.to(doubting)
	case e.ready() && m.goal == toIdle:
		m.end(nil)
	case e.ready():
		m.was, m.changed = m.input(e.Screen), m.now
		m.to(back)
	case m.lasts(m.timing.StopAgain):
	case m.stops < m.timing.StopTries && m.seenAtWork(e) && !e.occupied:
		m.stops++
		m.interrupt()
	default:
		m.to(idling)
	}
}

// doubt declines the open question unless it goes by itself.
func (m *machine) doubt(e *event) {
	if m.openStands(e) && m.lasts(m.timing.DeclineDelay) {
		return
	}
	m.to(idling)
	m.cancel()
}

// awaitBack waits until the input has not changed for a while after an interrupt, and
// clears the message if the agent has put it back there. A person's own text stays.
func (m *machine) awaitBack(e *event) {
	in := m.input(e.Screen)
	if in != m.was {
		m.was, m.changed = in, m.now
	}
	switch {
	case m.within(m.changed, m.timing.BackHold) && m.lasts(m.timing.BackLimit):
	case !in.ok || in.text == "" || e.occupied && !strings.Contains(squeeze(in.text), m.echo.ending):
		m.end(nil)
	default:
		m.empty()
		m.to(cleaning)
	}
}
