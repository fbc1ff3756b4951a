package tui

import (
	"errors"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// entry is the text of an input, and whether there is an input.
type entry struct {
	text string
	ok   bool
}

// input returns the text in the input.
func (m *machine) input(s term.Snapshot) entry {
	text, ok := m.profile.Input(s)
	return entry{text: text, ok: ok}
}

// boxed reports whether the profile knows where messages are typed.
func (m *machine) boxed() bool { return m.profile.Prompt.Row != nil || m.profile.Prompt.Cursor }

// holds reports whether text stands in the input. If an agent takes a message and
// shows no input while one is typed, the text has outgrown the screen.
func (m *machine) holds(e *event) bool {
	in := m.input(e.Screen)
	if !in.ok {
		return m.phase.typing() && m.boxed() && e.ready()
	}
	return in.text != ""
}

// errHolds says that the text in the input would be sent with the message.
var errHolds = errors.New("the agent's input holds text already, and it cannot be cleared: nothing was typed")

// clearing empties the input. It types nothing into an empty input, where these keys
// would end some agents and a dialog would take them for an answer. If a message was
// just typed, it waits for its echo: until then the input only looks empty.
type clearing struct {
	stage clearStage
}

type clearStage int

const (
	clearCut  clearStage = iota // the paste that was cut off is ended
	clearEcho                   // the message is shown
	clearKeys                   // the keys may be typed
	clearGone                   // the input becomes empty
)

// empty empties the input before the phase goes on, if the profile knows the keys.
func (m *machine) empty() {
	if len(m.profile.Clear) > 0 {
		m.clearing = &clearing{}
	}
	m.moved = true
}

// clear goes on with clearing.
func (m *machine) clear(e *event) {
	c := m.clearing
	switch c.stage {
	case clearCut:
		c.stage, m.moved = clearEcho, true
		if m.cut {
			m.typeKeys(pasteEnd)
		}
	case clearEcho:
		m.cut = false // its end was typed
		if m.echo.pending {
			if waits, _ := m.shown(e); waits {
				return
			}
			m.echo.pending = false
		}
		c.stage, m.moved = clearKeys, true
	case clearKeys:
		switch {
		case !m.holds(e):
			m.emptyNow()
		case !m.within(m.cleared, m.timing.ClearGap):
			c.stage, m.cleared = clearGone, m.now
			m.pressKeys(m.profile.Clear)
		}
	case clearGone:
		if !m.holds(e) || !m.lasts(m.timing.ClearLimit) {
			m.emptyNow()
		}
	}
}

// emptyNow goes on with the phase, which begins now.
func (m *machine) emptyNow() { m.clearing, m.entered, m.moved = nil, m.now, true }

// emptied goes on once the input was emptied: nothing of another message, or of a
// person who has gone, may be sent with this one.
func (m *machine) emptied(e *event) {
	if m.holds(e) {
		m.end(errHolds)
		return
	}
	m.to(resting)
}

// rest waits until the input has stayed empty, counted from the last output: an agent
// may put text back there late.
func (m *machine) rest(e *event) {
	from := e.Screen.Output
	if from.After(m.entered) {
		from = m.entered
	}
	switch {
	case len(m.profile.Clear) > 0 && m.holds(e):
		if m.empties++; m.empties >= m.timing.EmptyTries {
			m.end(errHolds)
			return
		}
		m.empty()
		m.to(emptying)
	case len(m.profile.Clear) > 0 && m.within(from, m.timing.EmptyHold):
	case !m.takesText(e):
		m.retry() // the agent has become busy meanwhile
	default:
		m.typeMessage(e)
	}
}

// accompanied reports whether other text stands in the input together with the
// message: an agent may put an older message back while this one is typed.
func (m *machine) accompanied(in entry) bool {
	if len(m.profile.Clear) == 0 {
		return false
	}
	shown, message := squeeze(in.text), m.squeezed
	if strings.Contains(message, shown) {
		return false
	}
	if rest, pasted := m.profile.WithoutPastes(in.text); pasted {
		return !strings.HasPrefix(message, squeeze(rest))
	}
	return strings.HasSuffix(shown, message) || strings.HasPrefix(shown, message)
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
