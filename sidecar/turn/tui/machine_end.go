package tui

import (
	"errors"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// errUntaken says that the agent waits for a message, and that nothing shows that
// it got this one. What its screen shows is the answer to another message.
var errUntaken = errors.New("the agent did not take the message: it was typed and left the input, and then neither the agent's hooks nor its screen showed anything of it; it may be lost")

// close goes on once the agent is ready, unless that may be from before the message.
func (m *machine) close(e *event) {
	switch {
	case m.unbegun(e), m.untold(e):
	case m.lost(e):
		m.end(errUntaken)
	case e.Verdict.Confidence >= certain:
		m.to(late)
	default:
		m.to(telling)
	}
}

// unbegun reports whether to wait for an agent that looks ready, was not seen at work
// and has answered nothing. An agent that runs a command of its own may have nothing to
// show.
func (m *machine) unbegun(e *event) bool {
	if m.worked || m.commands || e.reports.Any || e.reports.Final || m.reader.Text() != "" || e.Verdict.Confidence >= certain {
		return false
	}
	limit := m.timing.BeginLimit
	if m.learner != nil {
		limit = m.quiet
	}
	return m.within(m.sent, limit) && m.reader.Final(m.history(e)) == ""
}

// silent reports whether only the screen says anything about this turn, though the
// agent's hooks reported an earlier turn from its start to its end. The screen may
// then still show the earlier turn.
func (m *machine) silent(e *event) bool {
	r := e.reports
	return r.Turns && !r.Begun && !r.Any && !r.Final && !m.command && e.Verdict.Confidence < certain
}

// untold reports whether to wait for a silent agent that looks ready.
func (m *machine) untold(e *event) bool {
	ready := later(m.sent, e.Verdict.Since)
	return m.silent(e) && m.within(later(ready, e.Screen.Output), m.timing.UntoldHold) && m.within(ready, m.timing.UntoldLimit)
}

// lost reports whether the agent is silent and its screen does not show the message
// either.
func (m *machine) lost(e *event) bool {
	if !m.silent(e) {
		return false
	}
	m.reader.Final(m.history(e))
	return !m.reader.Found()
}

// awaitAnswer waits until the screen shows a part of an answer, and no longer shows the
// agent at work: on a busy machine, the agent's reports overtake what it draws.
func (m *machine) awaitAnswer(e *event) {
	if m.unanswered(e) && m.lasts(m.timing.LateLimit) {
		return
	}
	m.draw(drawing)
}

// unanswered reports whether an answer may still be drawn.
func (m *machine) unanswered(e *event) bool {
	switch {
	case e.reports.Final || e.over || !e.ready() || e.Verdict.Failed:
		return false
	case m.seenAtWork(e):
		return true
	case m.reader.Text() != "" || m.reader.Final(m.history(e)) != "":
		return false
	}
	_, failed := m.reader.Failure(e.Screen)
	return !failed
}

// quiet is a wait until the screen no longer changes.
type quiet struct {
	seen         uint64    // the last observation
	began, since time.Time // when the wait began, and when that came
}

// draw waits, in a phase, until the screen is quiet.
func (m *machine) draw(p phase) {
	m.drawn = quiet{}
	m.to(p)
}

// draws reports whether the screen still changes.
func (m *machine) draws(e *event) bool {
	q := &m.drawn
	if q.began.IsZero() {
		q.began = m.now
	}
	if q.since.IsZero() || q.seen != e.seen {
		q.seen, q.since = e.seen, m.now
	}
	return !e.reports.Final && m.within(q.since, m.timing.DrawHold) && m.within(q.began, m.timing.DrawLimit)
}

// awaitDrawn waits until the answer is drawn.
func (m *machine) awaitDrawn(e *event) {
	switch {
	case m.draws(e):
	case m.over:
		m.finish(e)
		m.end(nil)
	default:
		m.to(telling)
	}
}

// awaitReport waits for the final report of a hook, if hooks have reported before or
// may report for the first time. If the agent is then not ready, it had only paused.
func (m *machine) awaitReport(e *event) {
	if e.reports.Known || m.hooked && m.missed < m.timing.MissedTurns {
		switch {
		case e.reports.Final:
			m.missed = 0
		case !e.ready():
		case m.lasts(m.timing.ReportLimit):
			return
		default:
			m.missed++ // the screen's text is the answer
		}
	}
	if !e.ready() && !e.reports.Final && !e.over {
		m.resume()
		return
	}
	m.finish(e)
	m.judge(e)
	if m.shared(e) && e.Verdict.Rule == idleRule && !e.reports.Final {
		m.do(note{key: "interrupted"})
	}
	m.end(nil)
}

// judge notes whether the turn failed: the agent says so, or its screen shows it
// and nothing surer tells how the turn ended.
func (m *machine) judge(e *event) {
	shown, ok := m.reader.Failure(e.Screen)
	if !e.Verdict.Failed && (!ok || e.Verdict.Confidence >= certain || e.reports.Final) {
		return
	}
	m.failed = true
	for _, why := range []string{e.Verdict.Message, shown, "the agent says that the turn failed"} {
		if m.why = console.PlainText(why); m.why != "" {
			break
		}
	}
}

// finish makes what was passed on the whole answer: the exact text of a hook if there
// is one, else the screen's text. A turn that has to stop keeps the part that it has.
func (m *machine) finish(e *event) {
	if m.learner != nil && !e.reports.Any {
		m.finishStranger(e)
		return
	}
	said := m.reader.Text()
	if !e.reports.Any {
		text := m.reader.Final(m.history(e))
		rest, goesOn := strings.CutPrefix(text, said)
		switch {
		case goesOn:
			m.reader.Add(rest)
			m.pass(rest)
		case text != "":
			m.replace(text)
		}
		if m.reader.Missed() && m.reader.Text() != "" {
			m.do(note{key: "truncated"})
		}
		return
	}
	if e.stop != nil && !e.reports.Final {
		return
	}
	tail, replace := transcript.Reconcile(said, e.reports.Text)
	if replace {
		m.replace(tail)
		return
	}
	m.reader.Add(tail)
	m.pass(tail)
}
