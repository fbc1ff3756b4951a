package tui

import (
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// secret reports whether a line is awaited without echo.
func secret(v state.Verdict) bool {
	return v.Kind == profile.KindAuth && v.Source == state.SourceReadline
}

// replyText returns a free answer as it is typed, in one line.
func (m *machine) replyText() (text string, stripped int) {
	text, stripped = console.TypedText(m.query.decided.Text)
	return strings.ReplaceAll(text, "\n", " "), stripped
}

// checkReply refuses text that the program would run as a command. A secret may be
// such a text.
func (m *machine) checkReply() error {
	text, stripped := m.replyText()
	if stripped > 0 {
		m.do(note{key: "stripped", count: stripped})
	}
	if m.query.verdict.Kind == profile.KindAuth || m.commands {
		return nil
	}
	return console.CheckCommands(m.agent, m.profile.CommandChars, []string{text})
}

// reply types a free answer. In the terminal's own line mode, it types the text and
// Enter at once.
func (m *machine) reply(e *event) {
	text, _ := m.replyText()
	m.query.row = cursorAt(e.Screen)
	switch {
	case e.modeErr != nil:
		m.end(e.modeErr)
	case !e.mode.Canonical:
		m.typeKeys(text)
		m.draw(replied)
	default:
		if err := console.CheckLength([]string{text}); err != nil {
			m.decline(err)
			return
		}
		m.do(replying{})
		m.typeKeys(text + m.enterKey())
		m.awaitReply()
	}
}

// awaitReplied types Enter once the text is drawn.
func (m *machine) awaitReplied(e *event) {
	switch {
	case m.draws(e), e.Unlooked:
	case !m.stands(e):
		m.depart()
	default:
		m.do(replying{})
		m.typeKeys(m.enterKey())
		m.awaitReply()
	}
}

// awaitReply waits for what a free answer changes.
func (m *machine) awaitReply() {
	switch {
	case secret(m.query.verdict):
		m.to(swallowing)
	case console.FullScreen(m.query.verdict):
		m.draw(settling) // the screen may stay, and then is asked about again
	default:
		m.to(confirming)
	}
}

// awaitSettled waits until what the answer made of the screen is drawn.
func (m *machine) awaitSettled(e *event) {
	if !m.draws(e) {
		m.depart()
	}
}

// awaitSwallowed waits until the program has read a secret: the echo is back, or the
// cursor is on another row than before. What the program then does with the secret,
// and for how long, is a part of its turn. The same question on another row is a
// new one. The echo alone is not enough: until the agent is no longer seen to ask, it
// would be asked about again.
func (m *machine) awaitSwallowed(e *event) {
	switch {
	case e.over, cursorAt(e.Screen) != m.query.row, !m.stands(e) && !e.answeredSecret():
		m.depart()
	case !m.lasts(m.timing.SecretLimit):
		m.decline(fmt.Errorf("the agent did not take the secret within %s: its terminal still awaits a line without echo", m.timing.SecretLimit))
	}
}
