package learn

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// restMax is how many screens at rest are kept.
const restMax = 9

// Learner is shown the screen in the moments of a turn, and learns from it: Before, then
// Typed until it has seen the message, Works while the agent may be at work, Rests. A
// turn may end at any of them, and another begin.
type Learner struct {
	message string
	known   map[string]bool // the rows that stood there before the message was sent
	before  screen
	typed   screen

	in      input
	works   work
	answers []answer
	rests   []*screen // screens at which the agent was at rest
	keys    []string  // the keys that were seen to empty the input
	failed  []string  // and those that did not
	left    bool      // a message was seen to leave the input
	rhythm  Rhythm
	pause   time.Duration // the longest of all turns
	paste   bool
	screen  bool // it has the alternate screen
	cols    int
	unsaid  int // turns that were seen without an echo
	sure    bool
	// chromeRows stand right above the input whatever is said.
	chromeRows []string
	lines      bool // a message of several lines was seen
	leadRE     pattern
	written    struct { // the last profile, and the file that says it
		file    string
		profile *profile.Profile
	}
}

// Before takes the screen before a message is typed, with nothing in its input.
func (l *Learner) Before(s term.Snapshot) {
	v := see(s)
	l.before, l.typed, l.known, l.message = v, screen{}, v.set(), ""
	l.works.last = ""
	l.rhythm = Rhythm{}
	l.rest(&v)
}

// Typed takes a screen on which a message was typed and not yet sent. It reports whether
// the message is seen there: where it stands is the input.
func (l *Learner) Typed(s term.Snapshot, message string) bool {
	v := see(s)
	in, ok := learnInput(&l.before, &v, message)
	if !ok {
		return false
	}
	if l.in.found && l.in.lead == in.lead && l.in.tail == in.tail {
		for _, text := range l.in.empty {
			in.notice(strings.Replace(in.lead, "\u00a0", " ", 1) + text)
			if !slices.Contains(in.empty, text) && len(in.empty) < emptyMax {
				in.empty = append(in.empty, text)
			}
		}
		in.foot = max(in.foot, l.in.foot)
		if in.below != l.in.below && !(in.fixed && l.in.fixed) {
			in.below, in.fixed = "", false // what follows the input changes
		}
		in.above = in.above && l.in.above
	}
	l.in, l.typed, l.message = in, v, message
	l.paste, l.screen, l.cols = v.paste, v.alternate, v.cols
	for _, row := range v.rows {
		l.known[row] = true
	}
	l.rest(&v)
	return true
}

// rest keeps a screen on which the agent was at rest.
func (l *Learner) rest(v *screen) {
	l.rests = append(l.rests, v)
	if len(l.rests) > restMax {
		l.rests = slices.Delete(l.rests, 1, 2) // the first shows the agent as it was started
	}
}

// Works takes a screen after the message was sent and before the agent rests.
func (l *Learner) Works(s term.Snapshot) {
	v := see(s)
	l.works.see(&v, l.known)
	l.rhythm.See(s.Output)
}

// Rests takes the screen that shows the answer.
func (l *Learner) Rests(s term.Snapshot) {
	l.take(see(s))
	l.sure = l.confirmed()
}

func (l *Learner) take(v screen) {
	l.rest(&v)
	l.pause = max(l.pause, l.rhythm.Longest)
	l.left = l.left || l.in.found && len(l.in.holds(&v, l.message)) == 0
	if len(l.answers) == 0 {
		l.chromeRows = l.in.sameAbove(&l.before, &v)
	}
	a := learnAnswer(&l.before, &v, l.message, &l.in, l.chromeRows, l.spins())
	if !a.echoed || v.alternate && !a.fresh && len(l.answers) == 0 { // an editor's text is no answer
		l.unsaid++
		return
	}
	l.unsaid = 0
	l.lines = l.lines || strings.Contains(strings.TrimSpace(l.message), "\n")
	if a.said && a.mark == 0 {
		a.bullet(l.works.became(a.rows[0]))
	}
	if len(l.answers) == restMax {
		l.answers = slices.Delete(l.answers, 0, 1)
	}
	l.answers = append(l.answers, a)
	l.in.notice(v.at(l.in.line(&v)))
	l.in.foot = max(l.in.foot, len(v.rows)-1-l.in.line(&v))
}

// line returns the row of the input on a screen at rest, -1 if it is not there.
func (in *input) line(v *screen) int {
	at := in.begins(v)
	if in.above {
		at++
	}
	if at >= len(v.rows) {
		return -1
	}
	return at
}

// holds returns where the message still stands in the input.
func (in *input) holds(v *screen, message string) []place {
	end := in.begins(v)
	return slices.DeleteFunc(find(v, firstLine(message)), func(p place) bool { return p.row < end })
}

// Cleared takes the screen after a key was typed at a message in the input. It reports
// whether the key has emptied the input.
func (l *Learner) Cleared(s term.Snapshot, key string) bool {
	v := see(s)
	if len(find(&v, firstLine(l.message))) > len(find(&l.before, firstLine(l.message))) {
		l.failed = append(l.failed, key)
		return false
	}
	if !slices.Contains(l.keys, key) {
		l.keys = append(l.keys, key)
	}
	l.in.notice(v.at(l.in.line(&v)))
	return true
}

// Found reports whether the input is known.
func (l *Learner) Found() bool { return l.in.found }

// Echoed reports whether the last message was seen to leave the input and to stand in
// what was said.
func (l *Learner) Echoed() bool { return l.in.found && l.left && l.unsaid == 0 && len(l.answers) > 0 }

// Sure reports whether two turns have shown the same, and the agent has a sign of work.
func (l *Learner) Sure() bool { return l.sure }

func (l *Learner) confirmed() bool {
	n := len(l.answers)
	return l.Echoed() && n > 1 && l.answers[n-1].lead == l.answers[n-2].lead && len(l.signs()) > 0
}

// Moved reports whether something moved in this turn that is not on this screen any more.
func (l *Learner) Moved(s term.Snapshot) bool {
	v := see(s)
	signs := l.works.signs(append(slices.Clone(l.rests), &v)...)
	return len(signs) > 0 && signs[0].covers > 1
}

func (l *Learner) signs() []sign { return l.works.signs(l.rests...) }

// spins returns what tells a row that only stands there while the agent works, or one that
// begins as such rows do.
func (l *Learner) spins() func(string) bool {
	signs := l.signs()
	return func(row string) bool {
		return text.Spins(row) || slices.ContainsFunc(signs, func(s sign) bool {
			return s.fits(row) || len(s.glyphs) > 0 && slices.Contains(s.glyphs, glyph(row))
		})
	}
}

// Rhythm is the agent's own: how long it pauses in a turn.
type Rhythm struct {
	last    time.Time
	Longest time.Duration
}

// See takes the time of the last output.
func (r *Rhythm) See(output time.Time) {
	if !r.last.IsZero() && output.After(r.last) {
		r.Longest = max(r.Longest, output.Sub(r.last))
	}
	r.last = output
}

// expression returns a pattern of ours, which is compiled when it is first asked for.
func expression(source string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
}

// pattern is a pattern that was learnt, kept compiled until another takes its place.
type pattern struct {
	source string
	re     *regexp.Regexp
}

// of returns the pattern of that source, which fits nothing if it is none.
func (p *pattern) of(source string) *regexp.Regexp {
	if p.re == nil || p.source != source {
		re, err := regexp.Compile(source)
		if err != nil {
			re = nothing()
		}
		p.source, p.re = source, re
	}
	return p.re
}

// nothing fits nothing.
var nothing = expression(`[^\x{0}-\x{10ffff}]`)
