package learn

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

const (
	// restsMax is how many screens at rest are kept: the first one, which shows the agent as it
	// was started, and the latest ones.
	restsMax = 9
	// answersMax is how many answers are kept, the latest ones.
	answersMax = 9
	// sureAnswers is how many answers in a row must look the same to confirm what was learnt.
	sureAnswers = 2
)

// Learner receives the screen at each stage of a turn and learns from it. The stages are
// Before, Typed until it has seen the message, SeeWorking while the agent may be at work, and
// SeeResting. A turn may end after any of them; Before begins the next one. The zero value has
// learnt nothing.
type Learner struct {
	message string
	known   map[string]bool // the rows that stood on the screen before the message was sent
	before  screen
	typed   *screen // the last screen with the message in the input; nil until Typed has seen it

	in      input
	answers []answer
	rests   []*screen
	keys    []string // the keys that were seen to empty the input
	stop    []string // the key that the agent names for stopping a turn
	titles  titles

	left      bool // a message was seen to leave the input
	paste     bool
	lines     bool // a message of several lines was seen
	confirmed bool
	cols      int
	unechoed  int // the number of turns since the last echo

	chromeRows []string // the rows right above the input that do not depend on the conversation
	barRE      pattern
	remarks    bool // rows below a branch were seen to be remarks about work

	watch   watch
	turn    work // the frames of this turn
	session work // frames of the turns before
	kept    bool // the frames of this turn are in session

	restRev  int // counts the changes of rests
	workRev  int // counts the changes of turn and session
	standing struct {
		at   *standing
		rest int
	}
	found struct { // the signs of work of the session
		signs      []sign
		rest, work int
	}
	moved struct { // the last answer of Moved
		screen     screen
		rest, work int
		is         bool
	}
	looks   int // counts the screens that Moved has looked at
	asked   int // counts the texts that were compared, for tests
	checked checked
}

// Before takes the screen before a message is typed, with an empty input.
func (l *Learner) Before(s term.Snapshot) {
	v := see(s)
	l.rest(&v)
	l.keepTurn() // a turn may have ended without SeeResting
	l.before, l.typed, l.known, l.message = v, nil, v.set(), ""
	l.watch, l.turn, l.kept = watch{}, work{}, false
	l.titles.age()
	l.workRev++
}

// Typed takes a screen on which the message was typed and not yet sent. It reports whether the
// screen shows the message: the message stands in the input.
func (l *Learner) Typed(s term.Snapshot, message string) bool {
	v := see(s)
	again := l.typed != nil && l.message == message
	if again && l.typed.same(&v) {
		return true
	}
	in, ok := learnInput(&l.before, &v, message)
	if !ok {
		return false
	}
	if l.in.found && l.in.lead == in.lead && l.in.tail == in.tail {
		in.merge(&l.in)
	}
	l.in, l.message = in, message
	l.paste, l.cols = v.paste, v.cols
	if l.known == nil {
		l.known = map[string]bool{}
	}
	for _, row := range v.rows {
		l.known[row] = true
	}
	if again { // one screen at rest is enough for one message
		*l.typed = v
		l.restRev++
		return true
	}
	l.typed = &v
	l.rest(&v)
	return true
}

// rest keeps a screen at which the agent was at rest.
func (l *Learner) rest(v *screen) {
	l.rests = append(l.rests, v)
	if len(l.rests) > restsMax {
		l.rests = slices.Delete(l.rests, 1, 2)
	}
	l.restRev++
}

// SeeWorking takes a screen after the message was sent and before the agent rests.
func (l *Learner) SeeWorking(s term.Snapshot) {
	v := see(s)
	f, changed := l.watch.frame(&v, l.known)
	if !changed {
		return
	}
	l.titles.see(v.title)
	if l.stop == nil {
		l.stop = f.stopKey()
	}
	l.turn.sample(f)
	l.workRev++
}

// SeeResting takes the screen that shows the answer.
func (l *Learner) SeeResting(s term.Snapshot) {
	v := see(s)
	l.rest(&v)
	l.keepTurn()
	l.learnFrom(&v)
	l.typed = nil
	l.confirmed = l.confirms()
}

// learnFrom learns what an answer looks like from a screen at rest.
func (l *Learner) learnFrom(v *screen) {
	l.left = l.left || l.in.found && len(l.in.holds(v, l.message)) == 0
	if len(l.answers) == 0 {
		l.chromeRows = l.in.sameAbove(&l.before, v)
	}
	r := answerReader{in: &l.in, chrome: l.chromeRows, isWork: l.isWorkRow(), remarks: l.remarks}
	a := r.read(&l.before, v, l.message)
	if !a.echoed || v.alternate && !a.fresh && len(l.answers) == 0 { // the text of an editor is not an answer
		l.unechoed++
		return
	}
	l.unechoed = 0
	l.lines = l.lines || strings.Contains(strings.TrimSpace(l.message), "\n")
	l.remarks = l.remarks || a.remarks
	if a.said && a.mark == 0 && l.turn.became(a.rows[0]) {
		a.takeMark()
	}
	if len(l.answers) == answersMax {
		l.answers = slices.Delete(l.answers, 0, 1)
	}
	l.answers = append(l.answers, a)
	l.in.notice(v.at(l.in.line(v)))
	l.in.foot = max(l.in.foot, len(v.rows)-1-l.in.line(v))
}

// Cleared takes the screen after a key was typed while the message stood in the input. It
// reports whether the key has emptied the input.
func (l *Learner) Cleared(s term.Snapshot, key string) bool {
	v := see(s)
	if line := firstLine(l.message); len(find(&v, line)) > len(find(&l.before, line)) {
		return false
	}
	if !slices.Contains(l.keys, key) {
		l.keys = append(l.keys, key)
	}
	l.in.notice(v.at(l.in.line(&v)))
	return true
}

// HasInput reports whether the input was found.
func (l *Learner) HasInput() bool { return l.in.found }

// Echoed reports whether the last message was seen to leave the input and to appear in the
// conversation.
func (l *Learner) Echoed() bool {
	return l.in.found && l.left && l.unechoed == 0 && len(l.answers) > 0
}

// Confirmed reports whether two turns have shown the same and the agent has a sign of work.
func (l *Learner) Confirmed() bool { return l.confirmed }

func (l *Learner) confirms() bool {
	n := len(l.answers)
	return l.Echoed() && n >= sureAnswers && l.answers[n-1].lead == l.answers[n-2].lead && len(l.signs()) > 0
}

// Moved reports whether something moved in this turn that is not on this screen any more. It is
// cheap to call it again with the same screen.
func (l *Learner) Moved(s term.Snapshot) bool {
	v := see(s)
	if m := &l.moved; m.rest != l.restRev || m.work != l.workRev || !m.screen.same(&v) {
		l.looks++
		looked := l.search(&l.turn)
		looked.now, looked.nowRev = standingOn(&v), l.looks
		m.is, m.screen, m.rest, m.work = looked.moved(), v, l.restRev, l.workRev
	}
	return l.moved.is
}

// search returns a search among the frames for what is not there at rest.
func (l *Learner) search(w *work) *search {
	if l.standing.at == nil || l.standing.rest != l.restRev {
		l.standing.at, l.standing.rest = standingOn(l.rests...).indexed(), l.restRev
	}
	return &search{work: w, rest: l.standing.at, restRev: l.restRev, asked: &l.asked}
}

// signs returns the signs of work of all turns. The first turn counts while it lasts.
func (l *Learner) signs() []sign {
	if f := &l.found; f.rest != l.restRev || f.work != l.workRev {
		w := &l.session
		if len(w.frames) == 0 {
			w = &l.turn
		}
		f.signs, f.rest, f.work = l.search(w).signs(), l.restRev, l.workRev
	}
	return l.found.signs
}

// keepTurn adds the turn's frames to those of the session, once per turn. Frames that have
// nothing but what is there at rest are left out.
func (l *Learner) keepTurn() {
	if l.kept || len(l.turn.frames) == 0 {
		return
	}
	frames, phrases := l.search(&l.turn).evidence()
	l.session.forget(len(l.session.frames) + len(frames) - framesMax)
	for _, f := range frames {
		l.session.add(f, phrases)
	}
	l.kept = true
	l.workRev++
}

// isWorkRow returns a function that reports whether a row stands on the screen only while the
// agent works, or begins as such rows do.
func (l *Learner) isWorkRow() func(row string) bool {
	signs := l.signs()
	return func(row string) bool {
		return text.Spins(row) || slices.ContainsFunc(signs, func(s sign) bool { return s.fits(spaced(row)) })
	}
}

// Interrupt returns the key that the agent names for stopping a turn, nil if it names none.
func (l *Learner) Interrupt() []string { return slices.Clone(l.stop) }

// Profile returns what was learnt as a profile, and nil if no input was found. It returns the
// same profile until more was learnt.
func (l *Learner) Profile(name string) *profile.Profile {
	if !l.in.found {
		return nil
	}
	l.File(name)
	return l.checked.profile
}
