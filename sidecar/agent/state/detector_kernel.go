package state

import (
	"strings"
	"time"
	"unicode"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// kernel is what is known of the program that has the terminal by asking the kernel what it
// waits for: a program that neither reads nor polls its terminal is at work, whatever its
// last row looks like, and one that does has said all that it is going to say.
//
// Somebody else looks: the detector says when, and is told what was seen. It wants looks
// when the output has paused, and goes on until the program waits for input. An idle program
// costs nothing, and neither does an agent that draws its screen, which waits for keys all
// the time.
type kernel struct {
	on      bool // somebody looks
	drawn   bool // the driver takes the agent for one that draws its screen
	waiting bool // a look is wanted
	due     time.Time
	gap     time.Duration // between the last two looks
	rest    time.Time     // no look is taken before: the last one has cost too much

	before waits.Look // what was seen before Enter
	seen   waits.Look // what the last look has seen
	since  time.Time  // since when the looks have seen the same
	looked time.Time  // when the last look was, zero if there was none since Enter or output
	output time.Time  // the last output before the last look

	from    uint64   // the cursor's row when something was typed, counted from the start
	prompts []string // what stood before the cursor when the agent was ready; the newest last
}

// maxPrompts is how many prompts are remembered, and maxAsked how many rows a question may
// have above the cursor's.
const maxPrompts, maxAsked = 16, 12

// restMost is how many times LookMost a look may be followed by none, whatever it has cost.
const restMost = 4

// Looks says whether somebody will look at what the agent waits for when Due says so.
func (d *Detector) Looks(on bool) { d.kernel.on = on }

// Drawn says whether the driver takes the agent for one that draws its screen.
func (d *Detector) Drawn(drawn bool) { d.kernel.drawn = drawn }

// Due returns how long to wait before the next look at what the agent waits for; ok is false
// if none is wanted.
func (d *Detector) Due(now time.Time) (wait time.Duration, ok bool) {
	k := &d.kernel
	if !d.asksKernel() {
		return 0, false
	}
	switch {
	case k.looked.IsZero() || d.output.After(k.output):
		// There was output since the last look, or nothing was seen yet.
		return max(d.output.Add(d.timing.LookFirst).Sub(now), k.rest.Sub(now)), true
	case !k.waiting, !d.turn && d.wasReady && k.seen.Kind != waits.Busy && !k.seen.Waits():
		return 0, false
	}
	return k.due.Sub(now), true
}

// asksKernel reports whether looks are wanted at all.
func (d *Detector) asksKernel() bool {
	return d.kernel.on && !d.exited && !d.tui
}

// Unlooked reports whether the kernel is yet to say something: what the screen says of a
// program that prints lines is not to be believed before that.
func (d *Detector) Unlooked(now time.Time) bool {
	k := &d.kernel
	switch {
	case !d.asksKernel() || d.draws():
		return false
	case k.looked.IsZero() || d.output.After(k.output):
		return true
	}
	// It waits for input, and is about to be believed.
	return k.seen.Waits() && k.waiting && now.Sub(k.since) < d.timing.UnsureHold
}

// Entered takes what was seen right before an Enter was typed: as long as the program has not
// woken, its wait says nothing of the answer.
func (d *Detector) Entered(l waits.Look, now time.Time) {
	d.kernel.before, d.kernel.from = l, cursorRow(d.page.last)
	d.kernel.again(now)
}

// Replied tells the detector that the answer to a question was typed, after l was seen.
func (d *Detector) Replied(l waits.Look, now time.Time) {
	d.Entered(l, now)
	d.submitted = now
	if d.claims[rungKernel].state == profile.Asking {
		d.hush(rungKernel, now)
		d.become(Verdict{State: profile.Working, Source: SourceSubmit, Rule: "an answer was typed", Confidence: sureSubmit}, now)
	}
}

// again begins to look anew.
func (k *kernel) again(now time.Time) {
	k.waiting, k.looked, k.gap, k.due = true, time.Time{}, 0, now
}

// Looked takes what a look has seen, and how much of a processor's time that took.
func (d *Detector) Looked(l waits.Look, took time.Duration, now time.Time) {
	k := &d.kernel
	if k.looked.IsZero() || !l.Same(k.seen) && (l.Kind != waits.Watches || k.seen.Kind != l.Kind || k.seen.PID != l.PID) || d.moved().After(k.output) {
		k.since = now
		if k.looked.IsZero() || d.output.After(k.output) {
			k.gap = 0
		}
	}
	k.seen, k.looked, k.output, k.waiting = l, now, d.output, true
	k.gap = min(max(2*k.gap, d.timing.LookFirst), d.timing.LookMost)
	k.rest = now.Add(min(time.Duration(d.timing.LookRest)*took, restMost*d.timing.LookMost))
	k.due = now.Add(max(k.gap, k.rest.Sub(now)))
	if d.starting() && l.Kind == waits.Watches && !d.line.canonical {
		d.rests(l, d.startHold(), now)
		return
	}
	if l.Waits() && d.woken(l) {
		if left := d.timing.LookHold - now.Sub(k.since); left > 0 {
			k.due = now.Add(max(left, k.rest.Sub(now)))
			return
		}
		d.waitsFor(l, now)
		return
	}
	d.busy(l, now)
}

// woken reports whether the program has woken since Enter, so that its wait is a new one.
func (d *Detector) woken(l waits.Look) bool {
	return !d.turn || !d.kernel.before.Waits() || !l.Same(d.kernel.before)
}

// busy handles a look that saw no program wait for a line.
func (d *Detector) busy(l waits.Look, now time.Time) {
	c := claim{source: SourceKernel, confidence: sureSign, state: profile.Working}
	k := &d.kernel
	if asked := !d.line.asked.IsZero() && d.turn && !d.draws(); asked && l.Kind == waits.Watches && l.Doing < waits.Sleeps && !l.InnerBusy {
		// It may be at work, but its last row asks, and it could read the answer.
		if d.woken(l) && now.Sub(k.since) >= d.timing.UnsureHold && !d.prompt(d.line.row) {
			k.waiting = false
			c.state, c.kind, c.message, c.confidence = profile.Asking, profile.KindQuestion, d.asked(), sureGeneric
			c.rule = "the program " + l.Kind.String() + ", and its row asks"
			d.say(rungKernel, c, now)
			return
		}
	}
	switch {
	case l.Kind == waits.Watches && d.asksOn():
		return
	case l.Kind != waits.Busy || d.draws() && (!d.starting() || l.Doing == waits.Sleeps): // it may look for keys each time that it has slept
		d.unkernel(now)
		return
	case !d.wasReady && !d.turn:
		c.state = profile.Starting
	}
	c.rule = "the program neither reads nor polls its terminal: it " + l.Doing.String()
	d.say(rungKernel, c, now)
}

// asksOn reports whether the question that the kernel's source found still stands, perhaps with
// a part of its answer behind it.
func (d *Detector) asksOn() bool {
	c := d.claims[rungKernel]
	rest, ok := strings.CutPrefix(d.asked(), c.message)
	return ok && c.state == profile.Asking && c.message != "" && !strings.Contains(rest, "\n")
}

// unkernel makes the kernel's source say nothing. A question of which only the kernel knew is
// over.
func (d *Detector) unkernel(now time.Time) {
	was := d.claims[rungKernel].state
	if was == "" {
		return
	}
	d.hush(rungKernel, now)
	switch v := d.verdict; {
	case v.Source != SourceKernel || v.State == profile.Ready:
	case v.State == profile.Starting:
		d.become(Verdict{State: profile.Starting, Source: SourceStart, Rule: "what the program waits for does not tell", Confidence: sureSubmit}, now)
	default:
		d.become(Verdict{State: profile.Working, Source: SourceSubmit, Rule: "what the program waits for does not tell any more", Confidence: sureSubmit}, now)
	}
}

// waitsFor handles a wait for input that has lasted: the program is ready, or asks. There is
// no need to look again before something changes.
func (d *Detector) waitsFor(l waits.Look, now time.Time) {
	k := &d.kernel
	k.waiting = false
	c := claim{source: SourceKernel, confidence: sureSign, rule: "the program " + l.Kind.String()}
	before, _ := profile.AtCursor(d.page.last)
	row := strings.TrimSpace(before)
	switch {
	case d.line.secretNow: // the line editor's source knows
		d.unkernel(now)
		return
	case d.draws() && (!d.line.foreign || !d.turn):
		d.waitsForKeys(l, now)
		return
	case d.draws():
		c.state, c.kind, c.rule = profile.Asking, profile.KindQuestion, RuleFullScreen
	case !d.turn && !d.wasReady, d.prompt(before):
		c.state = profile.Ready
		c.rule += ", at its prompt"
	case row == "" && now.Sub(k.since) < d.timing.UnsureHold: // it may be about to say more
		k.waiting, k.due = true, k.since.Add(d.timing.UnsureHold)
		return
	default:
		c.state, c.kind, c.message = profile.Asking, profile.KindQuestion, d.asked()
		c.rule += ", which shows no prompt"
	}
	d.say(rungKernel, c, now)
}

// draws reports whether what has the terminal draws a screen: its waits for keys say nothing
// of its work.
func (d *Detector) draws() bool {
	const raised = 4 // times that a line editor does not write above its row
	s := d.page.last
	return d.kernel.drawn && !d.line.foreign || s.Alternate || !d.line.canonical && (!s.CursorShown && s.Cols > 0 || s.Drawing.Raised >= raised)
}

// prompt reports whether what stands before the cursor is a prompt: one that was there before,
// with other digits, or one that a rule knows.
func (d *Detector) prompt(before string) bool {
	now := shape(before)
	for _, known := range d.kernel.prompts {
		if now == known || known != "" && strings.HasSuffix(now, known) {
			return true
		}
	}
	if now == "" {
		return false
	}
	m, ok := d.match(d.page.last)
	return ok && m.State == profile.Ready
}

// typedAt remembers what the cursor stands behind as a prompt.
func (k *kernel) typedAt(s term.Snapshot) {
	before, _ := profile.AtCursor(s)
	now := shape(before)
	for i, known := range k.prompts {
		if now == known {
			k.prompts = append(append(k.prompts[:i:i], k.prompts[i+1:]...), now)
			return
		}
	}
	k.prompts = append(k.prompts[max(0, len(k.prompts)-maxPrompts+1):], now)
}

// shape returns a row with a 0 for each number and without the blanks at its end: a prompt may
// count its lines.
func shape(row string) string {
	var b strings.Builder
	digit := false
	for _, r := range strings.TrimRightFunc(row, unicode.IsSpace) {
		is := unicode.IsDigit(r)
		switch {
		case !is:
			b.WriteRune(r)
		case !digit:
			b.WriteByte('0')
		}
		digit = is
	}
	return b.String()
}

// asked returns the question that the program asks: the cursor's row up to the cursor, and the
// rows above it up to a blank one, as far as they came after what was typed.
func (d *Detector) asked() string {
	s := d.page.last
	before, _ := profile.AtCursor(s)
	rows := []string{strings.TrimRight(before, " ")}
	first := int(d.kernel.from - min(s.Scrolled, d.kernel.from)) // the row that was typed in, and those that it goes on in
	for first < s.CursorRow && s.Lines[first].Wrapped {
		first++
	}
	for i := s.CursorRow - 1; i > first && len(rows) <= maxAsked; i-- {
		text := s.Lines[i].Text
		if strings.TrimSpace(text) == "" {
			break
		}
		rows = append([]string{text}, rows...)
	}
	return strings.Trim(strings.Join(rows, "\n"), "\n")
}
