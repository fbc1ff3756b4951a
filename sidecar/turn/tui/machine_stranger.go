package tui

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/learn"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
)

// stranger is what the machine knows of an agent without a profile. The first
// message finds the input, by where its own text appears; its turn shows what moves while
// the agent works, and where a message and its answer stand. What was learnt is the
// agent's profile from the next message on. If that one fails, everything is learnt anew.
type stranger struct {
	learner *learn.Learner   // nil: the agent has a profile
	unknown *profile.Profile // of an agent of which nothing is known
	learnt  bool             // what was learnt is the profile

	before  term.Snapshot // the screen before the message was typed
	spotted bool          // the message is seen on the screen, where it was typed
	since   time.Time     // when the agent was last seen to draw anything in this turn
	still   time.Time     // the value of Moved at that time
	pause   learn.Rhythm
	signed  bool          // its screen has shown a sign of work in this turn
	page    bool          // the agent is a program that has the whole screen
	unsure  bool          // the answer was taken from the screen as it stood there
	guess   state.Verdict // what ended the turn, if only stillness did
}

// learntName is the name of a profile that was learnt in a session.
const learntName = "learnt"

// eraseLine is what empties the input of most programs, and ends none.
const eraseLine = "\x15"

// sourceRest is the source of a state that rests on the stillness of a screen.
const sourceRest = "rest"

// sureRest is the confidence of such a state: it is inferred, as one by silence is.
const sureRest = 0.3

// meet begins to learn.
func (m *machine) meet() {
	p := *m.profile
	p.Submit.Paste = true // as far as it asks for pastes
	m.stranger = stranger{learner: &learn.Learner{}, unknown: &p}
	m.profile = &p
}

// learns reports whether nothing of the agent is known yet.
func (m *machine) learns() bool { return m.learner != nil && !m.learnt }

// streams reports whether a part of an answer may be passed on before its end.
func (m *machine) streams() bool { return m.learner == nil || m.learnt && m.learner.Confirmed() }

// guessed reports whether it is a guess that the agent takes pastes. To a program that lets
// the terminal edit its line, the signs around a paste are text.
func (m *rules) guessed() bool {
	return m.profile.Name == profile.GenericName || m.profile.Name == learntName
}

// forget forgets what was learnt, if it was the profile.
func (m *machine) forget() bool {
	if !m.learnt {
		return false
	}
	m.profile = m.unknown
	m.meet()
	return true
}

// answerFrom says where the answer comes from if that is not certain.
func (m *machine) answerFrom() string {
	if m.learner != nil && m.unsure {
		return profile.SourceScreen
	}
	return ""
}

// meets takes the screen before the message is typed.
func (m *machine) meets(e *event) {
	if m.learner == nil {
		return
	}
	m.before, m.page, m.unsure, m.signed = e.Screen, false, false, false
	m.since, m.pause, m.guess = time.Time{}, learn.Rhythm{}, state.Verdict{}
	m.learner.Before(e.Screen)
}

// seeTyped takes a screen on which the message may stand. It reports whether the input
// was found, or is known: where the message appears is the input.
func (m *machine) seeTyped(e *event) bool {
	m.spotted = m.learner != nil && m.learner.Typed(e.Screen, m.body)
	if !m.spotted {
		return !m.learns()
	}
	if p := m.learner.Profile(learntName); p != nil && m.learns() {
		m.profile = p
	}
	return true
}

// takesKeys reports whether a program that has the whole screen has taken what was typed
// for keys, as a pager does: it has read them and does not show them. An Enter would be one key more.
func (m *machine) takesKeys(e *event) bool {
	switch {
	case !m.learns(), !e.Screen.Alternate, m.spotted, asks(e.Verdict):
		return false
	case m.paste && pastes(e.Screen) > pastes(m.before), shown(e.Screen, m.echo.ending) > shown(m.before, m.echo.ending):
		return false // the message is there, though not where it was looked for
	}
	unread, known := e.untaken()
	return (known && unread == 0 || !known && changedElsewhere(m.before, e.Screen)) && !m.masked(e)
}

// masked reports whether the program shows something else for each character that was typed: nothing
// but the cursor's row has changed, and the cursor has moved on by as much.
func (m *machine) masked(e *event) bool {
	s := e.Screen
	return s.CursorRow == m.before.CursorRow && s.CursorCol-m.before.CursorCol == utf8.RuneCountInString(m.body) && !changedElsewhere(m.before, s)
}

// changedElsewhere reports whether rows other than the cursor's are different.
func changedElsewhere(before, now term.Snapshot) bool {
	for y, line := range now.Lines {
		if y != now.CursorRow && y != before.CursorRow && (y >= len(before.Lines) || before.Lines[y].Text != line.Text) {
			return true
		}
	}
	return false
}

// invisible reports whether the message is nowhere on the screen of an agent without a profile.
// An Enter would then choose whatever stands there.
func (m *machine) invisible(e *event, in entry) bool {
	switch {
	case m.learner == nil, m.spotted, in.ok && strings.Contains(squeeze(in.text), m.echo.ending), m.takesKeys(e):
		return false
	case m.paste && pastes(e.Screen) > pastes(m.before):
		return false // a long paste is shown as one word
	}
	return shown(e.Screen, m.echo.ending) <= shown(m.before, m.echo.ending)
}

// stays reports whether a program that has the whole screen keeps what was typed: an
// editor. Nothing else says that it has the message.
func (m *machine) stays(e *event) bool {
	return m.learns() && e.Screen.Alternate && e.Screen.Output.After(m.sent) && !m.within(e.Screen.Output, m.timing.RestHold)
}

// pastes counts the rows that tell of a paste.
func pastes(s term.Snapshot) (n int) {
	for _, line := range s.Lines {
		if strings.Contains(strings.ToLower(line.Text), "paste") {
			n++
		}
	}
	return n
}

// unrested takes a screen of the turn. It reports whether to wait because the agent looks
// ready and has not been still for long enough. Until its signs are known, only a still screen
// shows that the agent is ready.
func (m *machine) unrested(e *event) bool {
	if m.learner == nil || asks(e.Verdict) || e.over {
		return false
	}
	m.learner.SeeWorking(e.Screen)
	m.signed = m.signed || e.Verdict.State == profile.Working && (e.Verdict.Source == profile.SourceScreen || e.Verdict.Source == profile.SourceTitle)
	if m.since.IsZero() || !e.Moved.Equal(m.still) {
		m.since, m.still = m.now, e.Moved
		m.pause.See(m.now)
	}
	switch {
	case e.Verdict.Confidence >= certain, m.learnt && !e.ready(), m.learnt && m.streams():
		return false
	case e.ready() && e.Verdict.Source == state.SourceKernel: // it waits for nothing but its terminal
		m.worked = true
		return false
	case m.within(later(m.since, m.sent), m.timing.RestHold):
		return true
	}
	moved := m.learner.Moved(e.Screen)
	m.worked = m.worked || moved && m.learns()
	switch {
	case e.Verdict.State == profile.Working && e.Verdict.Source != state.SourceSubmit:
		return false
	case m.within(later(m.since, m.sent), m.stillness(e, moved || m.signed)):
		return true
	case !e.ready():
		m.do(rested{State: string(profile.Ready), Source: sourceRest, Rule: "the screen is still", Confidence: sureRest})
		return true // the console tells when it has taken it
	}
	return false
}

// stillness is how long the screen must be still.
func (m *machine) stillness(e *event, moved bool) time.Duration {
	if m.learns() && m.learner.CanStop(e.Screen) {
		return m.timing.LongSilence
	}
	least := m.timing.StillHold
	if moved || m.page {
		least = m.timing.RestHold
	}
	return min(max(least, m.pause.Longest*time.Duration(m.timing.RestTimes)), m.timing.RestLimit)
}

// finishStranger makes the settled screen below the message's echo the answer, and what
// was learnt the profile. Of a program that has the whole screen, that is the answer.
func (m *machine) finishStranger(e *event) {
	streamed := m.streams() && m.reader.Text() != ""
	switch v := e.Verdict; {
	case v.Source == sourceRest || v.Inferred():
		m.guess = v // what is learnt now makes it look more certain than it was
	case m.learns() && v.State == profile.Ready && v.Confidence < certain && v.Source != state.SourceKernel:
		// A rule for every agent was not enough: the screen had to be still too.
		m.guess = state.Verdict{State: profile.Ready, Source: sourceRest, Rule: "the screen is still", Confidence: sureRest}
	}
	m.learner.SeeResting(e.Screen)
	m.unsure = !m.learner.Confirmed()
	p := m.learner.Profile(learntName)
	if !m.learner.Echoed() {
		p = nil
	}
	if p != nil && !streamed {
		m.reread(e, p)
	}
	text := m.reader.Final(m.history(e))
	switch {
	case m.page || p == nil && m.learns() && e.Screen.Alternate:
		m.page, m.profile, text = true, m.unknown, e.Screen.Text()
	case p != nil:
		m.profile, m.learnt = p, true
		m.do(relearn{p})
	case m.learns():
		m.profile = m.unknown
	}
	if streamed {
		m.replaceUnless(text)
		return
	}
	m.reader.Replace(text)
	m.pass(text)
}

// replaceUnless passes the rest of an answer on whose beginning was passed on.
func (m *machine) replaceUnless(text string) {
	said := m.reader.Text()
	if len(text) >= len(said) && text[:len(said)] == said {
		m.reader.Add(text[len(said):])
		m.pass(text[len(said):])
	} else if text != "" {
		m.replace(text)
	}
}

// reread reads the answer by what was learnt from it.
func (m *machine) reread(e *event, p *profile.Profile) {
	if e.Screen.Alternate { // what has scrolled off is only in the reader
		m.reader.Relearn(p)
		return
	}
	m.reader = transcript.NewReader(p, m.body, e.sent...)
	m.reader.Begin(m.before)
}
