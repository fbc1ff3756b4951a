package tui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

var (
	errStillThere  = errors.New("the agent began to work while the message was being typed, and it was not submitted: it still stands in the input")
	errAccompanied = errors.New("other text came into the agent's input while the message was being typed, and it was not submitted: the input cannot be cleared")
)

// inputLine is the hold for a message: a person's line in the input has to end first.
func (m *machine) inputLine() holdKeys {
	p := m.profile
	return holdKeys{func(v view) tty.Line { return console.InputLine(p, v.Observation) }}
}

// claim waits until the machine has the terminal.
func (m *machine) claim(e *event) {
	switch {
	case !e.held:
	case !m.takesText(e):
		m.retry() // the agent has become busy meanwhile
	default:
		m.empties = 0
		m.empty()
		m.to(emptying)
	}
}

// retry waits anew until the agent takes the message.
func (m *machine) retry() {
	m.unhold()
	if m.tries++; m.tries >= m.timing.TypeTries {
		m.end(fmt.Errorf("the agent began to work, or other text came into its input, %d times while the message was being typed, and it was not submitted", m.tries))
		return
	}
	m.wait = patience{began: m.now, told: m.wait.told}
	m.to(waiting)
}

// typeMessage types the message without its Enter, and begins to read the answer.
func (m *machine) typeMessage(e *event) {
	keys, err := m.spell(m.body, e)
	if err != nil {
		m.end(err)
		return
	}
	text := keys[len(keys)-1]
	if strings.Contains(m.body, "\t") && (m.profile.Submit.TabsToBlanks || !strings.Contains(text, "\t")) {
		m.do(note{key: "changed", text: spec.ChangedBlanks})
	}
	m.paste = strings.HasPrefix(text, pasteBegin)
	m.squeezed = squeeze(m.body)
	m.echo = echo{
		pending: true, typed: m.now, row: cursorRow(e.Screen),
		ending: ending(m.squeezed), before: m.input(e.Screen), generation: e.Screen.Generation,
	}
	m.meets(e)
	m.reader = transcript.NewReader(m.profile, m.body, e.sent...)
	m.reader.Begin(e.Screen)
	m.to(typed)
	m.pressKeys(keys)
}

// echo is what the screen has shown of a message that was typed.
type echo struct {
	pending bool      // the message was typed and not sent, and may not be in the input yet
	typed   time.Time // when it was typed
	came    time.Time // when the input first showed something of it; zero: it has not
	row     string    // the cursor's row
	moved   time.Time // when that last changed

	ending     string // the end of the message, as it may show on the screen
	before     entry  // the input before any of the message was typed
	generation uint64 // of the screen at that time
}

// shown reports whether to wait until the message stands in the input and the cursor's
// row no longer changes: some agents take an Enter that comes too soon for a part of
// the paste. It fails if the message does not appear, or if a dialog does.
func (m *machine) shown(e *event) (waits bool, err error) {
	switch e.Verdict.State {
	case profile.Asking, profile.Dialogue:
		return false, fmt.Errorf("a dialog came up while the message was being typed, and it was not submitted: %s", firstLine(e.Verdict.Message))
	}
	seen := m.seeTyped(e)
	x, in, settle := &m.echo, m.input(e.Screen), m.profile.Submit.Settle()
	if x.came.IsZero() && m.echoed(e, in) {
		x.came, x.moved = m.now, m.now
	}
	if row := cursorRow(e.Screen); row != x.row {
		x.row, x.moved = row, m.now
	}
	switch {
	case x.came.IsZero() && m.within(x.typed, m.timing.ShowLimit):
		return true, nil
	case x.came.IsZero():
		return false, fmt.Errorf("the message did not appear in the agent's input within %s, and was not submitted", m.timing.ShowLimit)
	case m.invisible(e, in):
		if m.within(x.typed, m.timing.ShowLimit) {
			return true, nil
		}
		return false, fmt.Errorf("the message did not appear on the agent's screen within %s, and was not submitted", m.timing.ShowLimit)
	case seen && m.complete(in):
		return m.within(x.moved, settle) && m.within(x.came, m.timing.SettleLimit), nil
	}
	return m.within(x.moved, max(m.timing.PartHold, settle)) && m.within(x.typed, m.timing.ShowLimit), nil
}

// echoed reports whether the input shows a part of the message, or what the agent
// shows in its place.
func (m *machine) echoed(e *event, in entry) bool {
	switch {
	case in.ok:
		return in.text != m.echo.before.text
	case m.echo.before.ok: // the input has grown beyond the screen
		return shows(e.Screen, m.echo.ending)
	}
	return e.Screen.Generation != m.echo.generation
}

// complete reports whether the whole message stands in the input, as far as that
// can be seen.
func (m *machine) complete(in entry) bool {
	_, pasted := m.profile.WithoutPastes(in.text)
	return !in.ok || pasted || strings.Contains(squeeze(in.text), m.echo.ending)
}

// awaitEcho types Enter as soon as the message stands in the input. If the agent has
// meanwhile begun to work on something else, and would lose the message or mix it in,
// the message is taken back.
func (m *machine) awaitEcho(e *event) {
	waits, err := m.shown(e)
	switch in := m.input(e.Screen); {
	case waits:
	case err != nil:
		m.giveBack(err)
	case m.accompanied(in):
		m.takeOut(errAccompanied)
	case e.Verdict.State == profile.Working && m.profile.Busy == profile.BusyRefuse && len(m.profile.Clear) > 0:
		m.takeOut(errStillThere)
	case m.takesKeys(e):
		m.echo.pending = false
		m.sent, m.page = m.now, true
		m.do(submitted(m.body))
		m.depart()
	default:
		m.stood, m.rows = in, m.profile.InputRows(e.Screen)
		m.echo.pending = false
		m.sent, m.waited, m.enters = m.now, m.now, 1
		m.do(submitted(m.body))
		m.typeKeys(m.enterKey())
		m.to(entered)
	}
}

// giveBack takes a message that was not sent out of the input, and ends the turn.
func (m *machine) giveBack(err error) {
	m.err = err
	m.empty()
	if m.learner != nil && len(m.profile.Clear) == 0 {
		m.pressKeys([]string{eraseLine}) // nobody knows its keys, and the next message would be appended to this one
	}
	m.to(failing)
}

// fail ends the turn with err.
func (m *machine) fail(*event) { m.end(m.err) }

// takeOut takes the message out of the input so that it can be typed once more. The
// turn ends with otherwise if the input cannot be emptied.
func (m *machine) takeOut(otherwise error) {
	m.err = otherwise
	m.empty()
	m.to(takenBack)
}

// takeBack goes on once the input was emptied.
func (m *machine) takeBack(e *event) {
	if m.holds(e) {
		m.end(m.err)
		return
	}
	m.err = nil
	m.retry()
}
