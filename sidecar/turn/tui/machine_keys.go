package tui

import "time"

// pressing is a queue of keys, each a write of its own: some programs take several keys
// in one write for text. The screen gets time to show each key before the next one. A
// key too soon after an Esc would make another key of both.
type pressing struct {
	keys  []string
	gap   time.Duration     // how long the screen may take to show a key
	there func(*event) bool // what the keys belong to is on the screen; nil: they belong to nothing

	typed int       // how many keys were typed
	at    time.Time // when the last of them was
	seen  uint64    // the observation before it
	lost  time.Time // since when there is false; zero: it is not
}

// pressKeys types keys before the phase goes on.
func (m *machine) pressKeys(keys []string) { m.pressWhile(keys, m.timing.KeyGap, nil) }

// pressWhile types keys that belong to something on the screen: no key is typed once
// that has gone. A redraw may hide it for a moment.
func (m *machine) pressWhile(keys []string, gap time.Duration, there func(*event) bool) {
	m.pressing, m.moved = &pressing{keys: keys, gap: gap, there: there}, true
}

// press types the next key if it is time to.
func (m *machine) press(e *event) {
	p := m.pressing
	switch {
	case p.typed == len(p.keys):
		m.pressed()
		return
	case p.typed > 0 && m.unseen(e):
		return
	case p.there != nil && !p.there(e):
		if p.lost.IsZero() {
			p.lost = m.now
		}
		if p.typed == 0 || !m.within(p.lost, m.timing.GoneHold) {
			m.pressed()
		}
		return
	}
	m.typeKeys(p.keys[p.typed])
	p.typed, p.at, p.seen, p.lost = p.typed+1, m.now, e.seen, time.Time{}
}

// unseen reports whether the screen may still be about to show the last key.
func (m *machine) unseen(e *event) bool {
	p := m.pressing
	if p.keys[p.typed-1] == "\x1b" {
		return m.within(p.at, m.timing.KeyGap)
	}
	return e.seen == p.seen && m.within(p.at, p.gap)
}

// pressed goes on with the phase, which begins now.
func (m *machine) pressed() { m.pressing, m.entered, m.moved = nil, m.now, true }

// typeKeys types bytes in one write.
func (m *machine) typeKeys(s string) {
	m.do(typeKeys(s))
	m.fresh = true
}

// enterKey returns what sends a message.
func (m *machine) enterKey() string {
	if m.profile.Submit.Enter == "" {
		return "\r"
	}
	return m.profile.Submit.Enter
}

// interruptKeys returns the keys that stop the agent's turn.
func (m *machine) interruptKeys() []string {
	if m.learner != nil {
		if keys := m.learner.Interrupt(); len(keys) > 0 {
			return keys
		}
	}
	if len(m.profile.Interrupt) == 0 {
		return []string{"\x03"}
	}
	return m.profile.Interrupt
}
