package tui

import (
	"errors"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// machine decides what is typed to an agent that draws its screen, when, and what of
// the screen is the answer. It is pure: it has no goroutine, no timer, no context and
// no I/O. It lives as long as the agent. One run at a time steps it.
type machine struct {
	rules
	memory
	round

	goal    goal
	phase   phase
	begun   bool // the run has made its first step
	done    bool // the run has ended, with err
	err     error
	now     time.Time // of this step
	entered time.Time // when the phase began
	due     time.Time // when the next step is due if nothing happens; zero: never
	moved   bool      // something else comes first now
	fresh   bool      // an action changes what the next step sees
	acts    []action

	// These come before the phase, which goes on when they are done.
	nudged   time.Time // when the terminal was made smaller; zero: it has its size
	pressing *pressing // keys that are typed one after the other
	clearing *clearing // the input is being emptied
	choosing *choosing // an option is chosen
}

// rules say how the agent and its turns are treated. Only the profile of an agent that
// nobody has described changes, when something was learnt of it.
type rules struct {
	profile   *profile.Profile
	timing    profile.Timing
	agent     string        // the agent's name, for messages to clients
	untypable string        // why nothing can be typed, "" if it can
	hooked    bool          // the agent was started so that it reports
	commands  bool          // the agent's command characters are allowed
	ready     time.Duration // how long to wait until the agent takes a message
	quiet     time.Duration // silence that ends the answer of an unknown agent
	ask       time.Duration // how long a question may wait for its answer
	headless  bool          // nobody can answer
}

// memory is what the machine keeps from turn to turn.
type memory struct {
	wait    patience
	echo    echo      // of the last message that was typed
	cut     bool      // a paste was begun, and its end was not typed
	cleared time.Time // when the keys that empty the input were last typed
	redrawn time.Time // when the agent was last made to draw its screen anew
	missed  int       // turns in a row whose exact text no hook reported
	stranger
}

// begin sets what the next run is for.
func (m *machine) begin(g goal, r round) {
	m.goal, m.round = g, r
	m.again(g)
}

// again is begin for a run that is about the same message as the last one.
func (m *machine) again(g goal) {
	m.goal, m.begun, m.done, m.err = g, false, false, nil
	m.held, m.pressing, m.clearing, m.choosing, m.stops = false, nil, nil, nil, 0
}

// step takes what has happened and returns what to do now. It has to be called again
// when anything happens, and at the latest when due has come, unless due is zero.
func (m *machine) step(e event) (acts []action, due time.Time) {
	m.now, m.acts, m.fresh = e.now, nil, false
	for m.moved = true; m.moved && !m.fresh && !m.done; {
		m.moved, m.due = false, time.Time{}
		m.advance(&e)
	}
	if m.fresh {
		m.due = m.now
	}
	return m.acts, m.due
}

// advance goes on with what comes first now.
func (m *machine) advance(e *event) {
	m.cut = m.cut || e.failed != nil && m.phase == typed && m.paste
	switch {
	case !m.nudged.IsZero():
		m.unnudge(e)
	case e.stop != nil:
		m.stop(e)
	case e.failed != nil:
		m.end(errors.Join(m.err, e.failed))
	case m.pressing != nil:
		m.press(e)
	case m.clearing != nil:
		m.clear(e)
	case m.choosing != nil:
		m.choose(e)
	case !m.begun:
		m.begun = true
		m.start(e)
	default:
		handlers[m.phase](m, e)
	}
}

// start enters the first phase of a run.
func (m *machine) start(e *event) {
	switch m.goal {
	case toReady, toDeliver:
		if m.goal == toReady || m.wait.began.IsZero() {
			m.wait = patience{began: m.now}
		}
		m.to(waiting)
	case toAsk:
		m.to(taken)
		m.question(e)
	case toIdle:
		m.to(idling)
	case toStop:
		switch {
		case m.reader == nil: // nothing was typed
			m.end(nil)
		case m.phase.typing():
			m.empty()
			m.to(failing)
		case m.phase.sent():
			m.to(stopping)
		default:
			m.end(nil)
		}
	}
}

// stop ends the run because its context has ended. What was drawn before that is a
// part of the answer.
func (m *machine) stop(e *event) {
	if m.goal == toDeliver && m.phase.sent() && m.reader != nil {
		m.finish(e)
	}
	if m.phase == confirming {
		m.do(dropKeys(m.timing.ReactTime))
	}
	m.end(e.stop)
}

// to enters a phase.
func (m *machine) to(p phase) { m.phase, m.entered, m.moved = p, m.now, true }

// end ends the run. The phase stays: it says how far the message has come.
func (m *machine) end(err error) {
	m.unhold()
	m.tellWait("")
	if m.goal == toDeliver {
		m.wait = patience{}
	}
	m.done, m.err = true, err
}

// do adds an action.
func (m *machine) do(a action) { m.acts = append(m.acts, a) }

// within reports whether less than d has passed since t. If so, the machine is stepped
// again when it has.
func (m *machine) within(t time.Time, d time.Duration) bool {
	end := t.Add(d)
	if !end.After(m.now) {
		return false
	}
	if m.due.IsZero() || end.Before(m.due) {
		m.due = end
	}
	return true
}

// lasts reports whether the phase began less than d ago.
func (m *machine) lasts(d time.Duration) bool { return m.within(m.entered, d) }

// hold asks for the terminal.
func (m *machine) hold(h holdKeys) {
	m.held, m.fresh = true, true
	m.do(h)
}

// unhold gives the terminal back, or no longer waits for it.
func (m *machine) unhold() {
	if m.held {
		m.held = false
		m.do(releaseKeys{})
	}
}
