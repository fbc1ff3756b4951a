package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// choosing is how far the choice of an option has come: typed, or by a marker of which nobody
// knows what moves it. Each key is one write, and the screen shows what it has done before the
// next one.
type choosing struct {
	option profile.Option
	rule   string // of the question
	text   string

	key     int       // which of the keys is tried
	presses int       // how often a key was pressed
	from    int       // where the marker was before the last key
	at      time.Time // when the last key was typed; zero: none was
	waits   bool      // the marker may still be about to move
	spaced  bool      // the key that checks a box was typed
	stood   time.Time // since when the wanted option is the marked one; zero: it is not
	lost    time.Time // since when the options are off the screen; zero: they are on it
	row     string    // the cursor's row before the option was typed
}

// pressesMax bounds how often keys are pressed for one option: a marker that runs in a circle
// past it, or away from it, is given up.
const pressesMax = 3 * optionsShown

// optionsShown is how many options a question has at most.
const optionsShown = 60

// chooses begins to choose the decided option, or the one that rejects if nobody has decided,
// and reports whether it does: a profile may know its keys.
func (m *machine) chooses(e *event) bool {
	shown, ok := m.profile.Question(e.Screen)
	if !ok {
		return false
	}
	wanted, ok := m.wanted(shown)
	if !ok || wanted.Type == "" && shown.Axis == option.Typed {
		return false
	}
	m.choosing = &choosing{option: wanted, rule: shown.Rule, text: shown.Text}
	m.moved = true
	return true
}

// wanted returns the option of the question that was decided, or the safe one.
func (m *machine) wanted(shown *profile.Question) (profile.Option, bool) {
	if m.query.decided.err != nil {
		safe, ok := shown.Safe()
		return safe, ok && len(safe.Keys) == 0
	}
	i := slices.IndexFunc(shown.Options, func(o profile.Option) bool { return o.ID == m.query.decided.OptionID })
	if i < 0 {
		return profile.Option{}, false
	}
	return shown.Options[i], true
}

// choose goes on with the choice.
func (m *machine) choose(e *event) {
	c := m.choosing
	if c.option.Type != "" {
		m.typeOption(e)
		return
	}
	shown, ok := m.profile.Question(e.Screen)
	at := -1
	if ok && shown.Rule == c.rule && shown.Text == c.text {
		at = among(shown.Options, c.option)
	}
	if at < 0 || e.over {
		m.awaitOptions(e)
		return
	}
	c.lost = time.Time{}
	switch {
	case shown.Marked == at:
		m.confirm(e, shown.Options[at])
	case c.waits && shown.Marked == c.from && m.within(c.at, m.timing.MoveLimit):
	default:
		c.stood = time.Time{}
		m.move(e, shown, at)
	}
}

// among returns where an option stands now, -1 if that is not sure: a list that scrolls gives it
// another place, and two may have one label.
func among(options []profile.Option, wanted profile.Option) int {
	at := -1
	for i, o := range options {
		switch {
		case o.Label != wanted.Label:
		case o.ID == wanted.ID:
			return i
		case at >= 0:
			return -1
		default:
			at = i
		}
	}
	return at
}

// awaitOptions waits for options that are off the screen: a program may be drawing them anew.
func (m *machine) awaitOptions(e *event) {
	c := m.choosing
	if c.lost.IsZero() {
		c.lost = m.now
	}
	if e.over || !m.within(c.lost, m.timing.GoneHold) {
		m.chosen()
	}
}

// chosen goes on with the phase, which begins now.
func (m *machine) chosen() { m.choosing, m.entered, m.moved = nil, m.now, true }

// confirm types Enter once the wanted option has been the marked one for a while. If it has a
// check box that is empty, it types the key that checks it before.
func (m *machine) confirm(e *event, now profile.Option) {
	c := m.choosing
	if c.stood.IsZero() {
		c.stood = m.now
	}
	switch {
	case m.within(c.stood, m.timing.MoveHold):
	case now.Box && !now.Checked && !c.spaced:
		c.spaced, c.at = true, m.now
		m.typeKeys(cmp.Or(now.Toggle, " "))
	case now.Box && !now.Checked:
		if !m.within(c.at, m.timing.MoveLimit) {
			m.unchosen("its check box stays empty")
		}
	default:
		m.typeKeys(m.enterKey())
		m.chosen()
	}
}

// move presses the next key that may move the marker towards the wanted option: the last one,
// if it did so, else the next one that is known.
func (m *machine) move(e *event, shown *profile.Question, wanted int) {
	c := m.choosing
	keys := moves(shown.Axis, shown.Marked <= wanted, !e.Screen.CursorShown, e.Screen.Modes.AppCursor)
	if c.waits {
		moved := shown.Marked != c.from && shown.Marked >= 0
		if !moved || c.from >= 0 && away(c.from, shown.Marked, wanted) {
			c.key++
		}
	}
	if c.key >= len(keys) || c.presses >= pressesMax {
		m.unchosen("no key moves the marker to it")
		return
	}
	c.from, c.at, c.waits, c.presses = shown.Marked, m.now, true, c.presses+1
	m.typeKeys(keys[c.key])
}

// away reports whether a marker has moved by one in the wrong direction.
func away(from, to, wanted int) bool {
	return (wanted > from) != (to > from) && max(from-to, to-from) == 1
}

// unchosen tells the caller that the option could not be chosen. The question stays open; if
// nobody decides, it is declined.
func (m *machine) unchosen(why string) {
	err := fmt.Errorf("the option %q could not be chosen: %s", m.choosing.option.Label, why)
	m.choosing = nil
	m.unhold()
	if m.query.decided.err != nil {
		m.decline(err)
		return
	}
	m.do(note{key: "notChosen", text: err.Error()})
	m.askAgain(err.Error() + "; Enter was not typed")
}

// keyOf returns what a person would type for an option, "" if that is no text.
func keyOf(o profile.Option) string {
	if o.Type != "" {
		return o.Type
	}
	if len(o.Keys) != 1 {
		return ""
	}
	key := strings.TrimSuffix(o.Keys[0], "\r")
	if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return ""
	}
	return key
}
