package tui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// patience is a wait until the agent takes a message. It lasts over all runs that wait
// for the same turn.
type patience struct {
	began  time.Time // start of the limit; zero: nobody waits
	person time.Time // since when a person is in the way; zero: nobody is
	told   string    // what the task says that the turn waits for
}

// tellWait says what only a person can end, "" for nothing.
func (m *machine) tellWait(what string) {
	if m.wait.told != what {
		m.wait.told = what
		m.do(waitFor(what))
	}
}

// takesText reports whether a message can be typed now.
func (m *machine) takesText(e *event) bool {
	if !e.ready() {
		return false
	}
	in := m.input(e.Screen)
	switch {
	case m.showsWork(e):
		return false
	case m.profile.Submit.Paste && !m.learns() && !e.Screen.Modes.BracketedPaste && m.within(e.Verdict.Since, m.timing.PasteMode):
		return false
	case !in.ok:
		return !m.boxed()
	}
	return in.text == "" || !e.occupied // else it is somebody's draft
}

// showsWork reports whether the screen still shows a turn that the agent says is
// over. Text that is typed at that time may be lost, or its Enter may become a part
// of it.
func (m *machine) showsWork(e *event) bool {
	return m.seenAtWork(e) && m.within(e.Verdict.Since, m.timing.StaleWork)
}

// seenAtWork reports whether the agent's screen shows it at work.
func (m *machine) seenAtWork(e *event) bool {
	sign, ok := m.profile.Match(e.Screen)
	return ok && sign.State == profile.Working
}

// awaitReady waits until the agent takes a message and nothing is in the way. It waits
// for a person at the terminal without a limit.
func (m *machine) awaitReady(e *event) {
	switch {
	case m.untypable != "":
		m.end(errors.New(m.untypable + "; nothing was typed"))
	case m.takesText(e) && m.goal == toReady:
		m.spare(m.timing.BusyAgain)
		m.end(nil)
	case e.over:
		m.end(nil)
	case m.takesText(e):
		m.tellWait("")
		m.hold(m.inputLine())
		m.to(claiming)
	case m.asksFirst(e):
		m.tellWait("")
		m.question(e)
	default:
		m.awaitPerson(e)
		switch {
		case !m.within(m.wait.began, m.ready):
			m.end(m.notReady(e))
		case !m.dismiss(e, closing):
			m.redraw(e)
		}
	}
}

// asksFirst reports whether an unknown agent asks something that can be read before it takes the
// message, such as whether it may trust a folder. The caller answers that, unless a person is at the terminal.
func (m *machine) asksFirst(e *event) bool {
	if m.goal != toDeliver || m.learner == nil || m.reader != nil || m.headless || e.occupied || !asks(e.Verdict) {
		return false
	}
	_, ok := m.profile.Question(e.Screen)
	return ok
}

// spare leaves at least d of the limit, as far as there is so much.
func (m *machine) spare(d time.Duration) {
	m.wait.began = later(m.wait.began, m.now.Add(min(d, m.ready)-m.ready))
}

// awaitPerson puts the limit off while a person is in the way. If that takes long, the
// task says so.
func (m *machine) awaitPerson(e *event) {
	what := m.person(e)
	if what == "" {
		m.wait.person = time.Time{}
		m.tellWait("")
		return
	}
	if m.wait.person.IsZero() {
		m.wait.person = m.now
	}
	m.wait.began = m.now
	if !m.within(m.wait.person, console.TellTime) {
		m.tellWait(what)
	}
}

// person returns what a person at the agent's terminal uses it for, "" if nothing.
func (m *machine) person(e *event) string {
	in := m.input(e.Screen)
	switch {
	case !e.occupied:
		return ""
	case e.ready() && in.text != "":
		return console.LineOfPerson
	case e.Verdict.State == profile.Working && e.Verdict.Source != state.SourceSubmit:
		return console.TurnOfPerson
	}
	return ""
}

// notReady returns an error that says what is in the way.
func (m *machine) notReady(e *event) error {
	why := ""
	switch e.Verdict.State {
	case profile.Dialogue, profile.Asking:
		why = "a dialog is open"
		if e.Verdict.Message != "" {
			why += ": " + firstLine(e.Verdict.Message)
		} else if e.Verdict.Rule != "" {
			why += ": " + e.Verdict.Rule
		}
		if sign, ok := m.profile.Match(e.Screen); ok && sign.Hint != "" {
			why += " (" + sign.Hint + ")"
		}
	case profile.Working:
		why = "it is at work"
	case profile.Ready:
		why = "its input holds text already"
		if !m.input(e.Screen).ok {
			why = "its input is not on the screen"
		}
	default:
		why = "nothing on its screen says that it waits for a message"
		if last := console.LastRow(e.Screen); last != "" {
			why += "; the last row is " + fmt.Sprintf("%.80q", last)
		}
	}
	return fmt.Errorf("the agent's terminal was not ready to be typed to within %s: %s; nothing was typed", m.ready, why)
}

// firstLine returns the first line of what an agent said, as plain text.
func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return console.PlainText(s)
}

// dismiss closes a dialog whose answer nobody has to decide, in a phase of its own, and
// reports whether it does. If a person is at the terminal, the choice is left to that
// person.
func (m *machine) dismiss(e *event, p phase) bool {
	sign, ok := m.profile.Match(e.Screen)
	if !ok || sign.State != profile.Dialogue || len(sign.Dismiss) == 0 || e.occupied {
		return false
	}
	m.dialog = sign.Rule
	m.do(info{"a dialog of the agent's own is closed", "rule", sign.Rule})
	m.to(p)
	m.pressWhile(sign.Dismiss, m.timing.AnswerGap, m.dialogStands)
	return true
}

// dialogStands reports whether the dialog that is closed is still there.
func (m *machine) dialogStands(e *event) bool {
	sign, ok := m.profile.Match(e.Screen)
	return ok && sign.State == profile.Dialogue && sign.Rule == m.dialog
}

// awaitDismissed waits until the dialog has gone.
func (m *machine) awaitDismissed(e *event) {
	switch {
	case m.dialogStands(e) && m.lasts(m.timing.DismissLimit):
	case m.phase == closing:
		m.to(waiting)
	default:
		m.resume()
	}
}

// redraw makes an agent redraw its screen if its input should be there and is not:
// some agents leave stray rows behind.
func (m *machine) redraw(e *event) {
	since, hold, hidden := m.hidden(e)
	if m.learner != nil || !hidden || m.within(since, hold) || m.within(m.redrawn, m.timing.RedrawGap) {
		return
	}
	m.do(info{"the agent's input is not on its screen, which it is made to draw anew", "state", string(e.Verdict.State)})
	m.do(shrink{})
	m.nudged, m.fresh = m.now, true
}

// hidden reports whether the input should be on the screen and is not, since when, and
// how long this has to last.
func (m *machine) hidden(e *event) (since time.Time, hold time.Duration, hidden bool) {
	if m.input(e.Screen).ok || !m.boxed() {
		return since, 0, false
	}
	switch _, known := m.profile.Match(e.Screen); {
	case e.ready():
		return e.Verdict.Since, m.timing.HiddenHold, true
	case e.Verdict.State != profile.Starting && !known:
		return later(e.Verdict.Since, e.Screen.Output), m.timing.BlankHold, true
	}
	return since, 0, false
}

// unnudge gives the terminal its size again once the other one has lasted. Nothing else
// happens before.
func (m *machine) unnudge(e *event) {
	if e.stop == nil && m.within(m.nudged, m.timing.ResizeHold) {
		return
	}
	m.do(restore{})
	m.nudged, m.redrawn, m.fresh = time.Time{}, m.now, true
}
