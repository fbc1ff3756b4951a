package tui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

var (
	// errVanished withdraws a question that is no longer on the screen: somebody at the
	// terminal has answered it, or the agent has withdrawn it.
	errVanished = errors.New("the question is not on the agent's screen any more")
	// errNobody says that nobody is there to decide.
	errNobody = errors.New("nobody can answer: the sidecar runs with --headless")
)

// query is what the agent asks.
type query struct {
	*profile.Question
	verdict state.Verdict // what showed that it asks
	asked   time.Time     // when the question was seen
	lost    time.Time     // since when it is off the screen; zero: it is on it
	free    bool          // a line of text answers it
	put     bool          // the caller was asked

	decided answered // the answer; its error says that the safe answer is given
	row     uint64   // the cursor's row before the answer
	asks    int      // how often it was put to the caller
	remark  string   // what was added to its text when it was put again
}

// question handles what the agent asks.
func (m *machine) question(e *event) {
	if m.dismiss(e, dismissing) {
		return
	}
	if q, ok := m.profile.Question(e.Screen); ok {
		m.put(e, query{Question: q})
		return
	}
	m.to(unread)
}

// awaitReadable handles a question that cannot be read: a hook reported it before it was
// drawn, or its form is unknown. A person at the terminal may answer it. The caller
// can only cancel it, because what looks like a no may be a yes in that form, or
// press the selected button. Only if a line of text is awaited may the caller type
// one.
func (m *machine) awaitReadable(e *event) {
	switch {
	case !asks(e.Verdict) || e.over:
		m.resume()
		return
	case e.answeredSecret():
		return
	case !awaitsLine(e.Verdict): // a question that awaits a line is already drawn
		if _, ok := m.profile.Question(e.Screen); ok {
			m.resume()
			return
		}
		if m.lasts(m.timing.TakenLimit) {
			return
		}
	}
	unknown := &profile.Question{Kind: e.Verdict.Kind, Text: e.Verdict.Message}
	switch {
	case unknown.Text != "":
	case e.Verdict.Source == state.SourceKernel && !console.FullScreen(e.Verdict):
		unknown.Text = "the program waits for a line, and has not said what for"
	default:
		unknown.Text = "the agent asks something on its screen:\n" + e.Screen.Text()
	}
	if console.FullScreen(e.Verdict) {
		unknown.Text += "\n(A full-screen program has the terminal: what is answered here is typed there, with Enter.)"
	}
	free := m.takesReply(e)
	if !free {
		unknown.Text += "\n(What the agent asks cannot be read from its screen: it can be cancelled here, or answered at its terminal.)"
		unknown.Options = []profile.Option{{ID: "cancel", Label: "Cancel", Kind: profile.RejectOnce, Keys: m.interruptKeys()}}
	}
	m.put(e, query{Question: unknown, free: free})
}

// awaitsLine reports whether the terminal itself shows that a line is awaited.
func awaitsLine(v state.Verdict) bool {
	return v.Source == state.SourceReadline || v.Source == state.SourceQuiet || v.Source == state.SourceKernel
}

// takesReply reports whether a line of text answers what the agent asks: if the
// terminal awaits a line, and for some questions of a program that reads lines.
func (m *machine) takesReply(e *event) bool {
	lines := m.goal == toAsk && e.modeErr == nil && (e.mode.Canonical || e.Verdict.Kind == profile.KindQuestion)
	return awaitsLine(e.Verdict) || lines
}

// same reports whether the question is still on the screen.
func (q query) same(p *profile.Profile, v view) bool {
	now, ok := p.Question(v.Screen)
	if q.ID != "" {
		return ok && now.ID == q.ID
	}
	return !ok && asks(v.Verdict) && (v.Verdict.Message == q.verdict.Message || v.continues(q.verdict)) && !v.answeredSecret()
}

// continues reports whether the agent still asks what it asked, followed on its row by what was typed
// there.
func (v *view) continues(asked state.Verdict) bool {
	rest, ok := strings.CutPrefix(v.Verdict.Message, asked.Message)
	if !ok || asked.Source != state.SourceKernel || v.Verdict.Source != state.SourceKernel {
		return false
	}
	row := v.Screen.CursorRow
	return !strings.Contains(rest, "\n") || row > 0 && row < len(v.Screen.Lines) && v.Screen.Lines[row-1].Wrapped
}

// answeredSecret reports whether the echo is back since the agent was seen to await a line
// without one. The next observation will say what it does now.
func (v *view) answeredSecret() bool {
	return secret(v.Verdict) && v.modeErr == nil && (v.mode.Echo || !v.mode.Canonical)
}

// stands reports whether the question is still on the screen.
func (m *machine) stands(e *event) bool { return m.query.same(m.profile, e.view) }

// put asks the task's client. If nobody can answer, a person at the terminal may, or
// the safe answer is given.
func (m *machine) put(e *event, q query) {
	q.asked, q.verdict, q.put, q.asks = m.now, e.Verdict, !m.headless, 1
	m.query = q
	switch {
	case q.put:
		m.do(putQuestion{asked(q.Question, q.verdict, m.ask)})
	case !e.occupied && q.verdict.Rule != state.RuleChildAsks: // that one may be at work all the same
		m.decide(e, answered{err: errNobody})
		return
	}
	m.to(asking)
}

// asked returns a question in the form that the task's client gets.
func asked(q *profile.Question, v state.Verdict, timeout time.Duration) task.Question {
	state, kind := a2a.StateInputRequired, q.Kind
	if kind == "" || v.Kind == profile.KindAuth {
		kind = v.Kind
	}
	if kind == profile.KindPermission || kind == profile.KindAuth {
		state = a2a.StateAuthRequired
	}
	options := make([]task.Option, len(q.Options))
	for i, o := range q.Options {
		options[i] = task.Option{ID: o.ID, Label: console.PlainText(o.Label), Kind: o.Kind, Key: keyOf(o)}
	}
	return task.Question{Text: console.PlainText(q.Text), Detail: console.PlainText(q.Detail), Options: options, State: state, Timeout: timeout, Secret: secret(v)}
}

// gone reports whether the question has been off the screen for a while, or the turn is
// over.
func (m *machine) gone(e *event) bool {
	q := &m.query
	switch {
	case e.over:
		return true
	case m.stands(e):
		q.lost = time.Time{}
		return false
	case q.lost.IsZero():
		q.lost = m.now
	}
	return !m.within(q.lost, m.timing.GoneHold)
}

// awaitDecision waits for the caller's answer, and withdraws the question if it
// disappears from the screen.
func (m *machine) awaitDecision(e *event) {
	switch {
	case e.answer != nil:
		m.decide(e, *e.answer)
	case !m.gone(e):
		if m.undecidable(e) {
			m.decide(e, answered{err: errNobody})
		}
	case m.query.put:
		m.do(withdraw{})
		m.to(withdrawn)
	default:
		m.resume() // the person at the terminal has answered
	}
}

// undecidable reports whether nobody can answer a question that only a program's stillness shows, and
// that has stood for long.
func (m *machine) undecidable(e *event) bool {
	return !m.query.put && !e.occupied && m.query.verdict.Rule == state.RuleChildAsks && !m.within(m.query.asked, m.timing.LongSilence)
}

// awaitWithdrawn waits until the caller can no longer answer.
func (m *machine) awaitWithdrawn(e *event) {
	if e.answer != nil {
		m.decide(e, *e.answer)
	}
}

// decide types an answer. If nobody has decided, it is the safe one.
func (m *machine) decide(e *event, a answered) {
	if errors.Is(a.err, errVanished) {
		m.resume()
		return
	}
	m.query.decided, m.query.lost = a, time.Time{}
	switch {
	case a.err != nil:
		m.do(note{key: "undecided", text: a.err.Error()})
		m.query.free = false
	case m.query.free:
		if err := m.checkReply(); err != nil {
			m.decline(err)
			return
		}
		m.hold(m.inputLine())
		m.to(answering)
		return
	}
	m.hold(m.questionLine())
	m.to(answering)
}

// questionLine is the hold for an answer by keys: no line can be in the way, but a
// person's key may be, which the question is about to take.
func (m *machine) questionLine() holdKeys {
	p, q := m.profile, m.query
	return holdKeys{func(v view) tty.Line {
		if q.same(p, v) {
			return tty.LineNone
		}
		return tty.LineUnknown // it is gone, or back in a moment
	}}
}

// claimAnswer waits until the machine has the terminal. Of two answers only one counts:
// this one does not if somebody else's answer comes first.
func (m *machine) claimAnswer(e *event) {
	switch {
	case e.held:
		m.to(reading)
	case m.gone(e):
		m.beaten(e)
	}
}

// beaten tells the caller that its answer came too late.
func (m *machine) beaten(e *event) {
	m.unhold()
	if m.query.decided.err == nil && !e.over {
		m.do(note{key: "answeredAtTerminal"})
		m.do(say("the answer was not typed: the question was answered at the agent's terminal before"))
	}
	m.resume()
}

// read waits until the question has been on the screen for a while, and answers it.
func (m *machine) read(e *event) {
	switch {
	case !m.stands(e):
		m.beaten(e)
	case m.within(m.query.asked, m.timing.ReadHold):
	case m.query.free:
		m.reply(e)
	default:
		m.query.row = cursorAt(e.Screen)
		m.to(confirming)
		if !m.chooses(e) {
			m.pressWhile(m.choice(e), m.timing.AnswerGap, m.stands)
		}
	}
}

// choice returns the keys of the answer to the question as it is on the screen now: a
// person may have moved its marker.
func (m *machine) choice(e *event) []string {
	now := m.query.Question
	if shown, ok := m.profile.Question(e.Screen); ok && now.ID != "" {
		now = shown
	}
	if m.query.decided.err == nil {
		for _, o := range now.Options {
			if o.ID == m.query.decided.OptionID {
				return o.Keys
			}
		}
	}
	return m.safely(now) // nobody has decided, or the question was read differently
}

// safely returns the keys that decline.
func (m *machine) safely(q *profile.Question) []string {
	switch safe, ok := q.Safe(); {
	case ok && len(safe.Keys) > 0:
		return safe.Keys
	case ok && safe.Type != "":
		return []string{safe.Type, m.enterKey()}
	case len(q.Cancel) > 0:
		return q.Cancel
	}
	return m.interruptKeys()
}

// awaitTaken waits until the question has left the screen. People's keys for it are
// dropped then.
func (m *machine) awaitTaken(e *event) {
	switch {
	case !m.stands(e) || e.over || m.asksNext(e):
		m.do(dropKeys(m.timing.ReactTime))
		m.depart()
	case m.lasts(m.timing.TakenLimit):
	case m.query.decided.err != nil || m.query.asks >= asksMost:
		m.decline(fmt.Errorf("the agent did not take the answer to its question within %s", m.timing.TakenLimit))
	default:
		m.do(note{key: "notTaken"})
		m.askAgain(fmt.Sprintf("the answer was typed, and the question still stands %s later: it may be another one", m.timing.TakenLimit))
	}
}

// asksMost is how often one question is put to the caller.
const asksMost = 3

// asksNext reports whether the cursor of a program that prints lines has left the row of the answered
// question while the same question can still be read: it is asked once more.
func (m *machine) asksNext(e *event) bool {
	return m.goal == toAsk && m.query.Axis == option.Typed && cursorAt(e.Screen) > m.query.row && !m.lasts(m.timing.GoneHold)
}

// askAgain puts the question to the caller once more, with a remark.
func (m *machine) askAgain(remark string) {
	m.unhold()
	q := m.query
	again := *q.Question
	again.Text = strings.TrimSuffix(strings.TrimSuffix(again.Text, q.remark), "\n")
	q.remark = "\n(" + console.PlainText(remark) + ".)"
	again.Text += q.remark
	q.Question, q.asked, q.lost, q.decided, q.put, q.asks = &again, m.now, time.Time{}, answered{}, true, q.asks+1
	m.query = q
	m.do(putQuestion{asked(&again, q.verdict, m.ask)})
	m.to(asking)
}

// decline declines a question that cannot be answered, and ends the turn with err: the
// agent would wait forever.
func (m *machine) decline(err error) {
	m.err = err
	m.to(declining)
	m.pressWhile(m.safely(m.query.Question), m.timing.AnswerGap, m.stands)
}
