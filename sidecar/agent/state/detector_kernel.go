package state

import (
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// kernel is what the kernel tells of the program that has the terminal. A program that neither
// reads nor polls its terminal is at work, whatever its last row looks like. A program that only
// reads or polls has printed everything that it is going to print; one that also waits for other
// things may still be at work.
//
// The caller does the looking: Due says when, and Looked receives the result. Looks begin when the
// output has paused and go on until the program waits for input. No looks are taken at an idle
// program, nor at an agent with a profile of its screen, which waits for keys all the time.
type kernel struct {
	on        bool // the caller looks when Due says so
	drawn     bool // the driver takes the agent for one that draws its screen
	phase     phase
	due       time.Time     // when the next look is taken, in phaseLooking
	gap       time.Duration // between the last two looks
	notBefore time.Time     // no look is taken earlier, because of what the last ones cost

	before waits.Look // the look right before the last Enter
	seen   waits.Look // the last look
	since  time.Time  // the first look of those that have seen the same
	output time.Time  // the last output before the last look

	from    uint64   // the row of the cursor at the last Enter, counted from the start
	prompts []prompt // the newest last
}

// phase is how far the looks have come. New output leads to a look in each phase.
type phase int

const (
	phaseUnseen  phase = iota // no look was taken since the start or the last Enter
	phaseLooking              // what was seen may change: the next look is taken at kernel.due
	phaseHeld                 // the program waits for input: no look is taken before it prints
)

const (
	// maxAsked is how many rows above the cursor's row a question may have.
	maxAsked = 12
	// lookBlind is the longest time between two looks that can see nothing.
	lookBlind = 5 * time.Second
	// maxPause is the longest time without a look that looks before many Enters can add up to.
	maxPause = 12 * time.Second
)

// Looks says whether the caller will look at what the agent waits for when Due says so.
func (d *Detector) Looks(on bool) { d.kernel.on = on }

// SetDrawing says whether the driver takes the agent for one that draws its screen.
func (d *Detector) SetDrawing(draws bool) { d.kernel.drawn = draws }

// Due returns how long the caller must wait before the next look at what the agent waits for. It
// reports false if no look is needed.
func (d *Detector) Due(now time.Time) (wait time.Duration, ok bool) {
	k := &d.kernel
	switch {
	case !d.asksKernel():
		return 0, false
	case d.unseen():
		return max(d.output.Add(d.timing.LookFirst).Sub(now), k.notBefore.Sub(now)), true
	case k.phase == phaseHeld, !d.turn && d.wasReady && k.seen.Kind != waits.Busy && !k.seen.Waits():
		return 0, false
	}
	return k.due.Sub(now), true
}

// asksKernel reports whether looks are of any use.
func (d *Detector) asksKernel() bool {
	return d.kernel.on && !d.exited && !d.tui
}

// unseen reports whether no look was taken since the last output or Enter.
func (d *Detector) unseen() bool {
	return d.kernel.phase == phaseUnseen || d.output.After(d.kernel.output)
}

// Unlooked reports whether the kernel is about to tell what a program that prints lines does. What
// its screen says must not be believed before.
func (d *Detector) Unlooked(now time.Time) bool {
	k := &d.kernel
	switch {
	case !d.asksKernel() || d.draws():
		return false
	case d.unseen():
		return true
	}
	// The program waits for input, and will be believed if the wait lasts.
	return k.seen.Waits() && k.phase == phaseLooking && now.Sub(k.since) < d.timing.UnsureHold
}

// Entered takes the look right before an Enter was typed. Until the program wakes from the wait
// that l shows, its wait says nothing of the answer.
func (d *Detector) Entered(l waits.Look, now time.Time) {
	d.kernel.before, d.kernel.from = l, cursorRow(d.page.last)
	d.kernel.pay(l, d.timing.LookRest, now)
	d.kernel.restart(now)
}

// Replied tells the detector that the answer to a question is typed. l is the look right before.
func (d *Detector) Replied(l waits.Look, now time.Time) {
	d.Entered(l, now)
	d.submitted = now
	if d.claims[rungKernel].state == profile.Asking {
		d.hush(rungKernel, now)
		d.become(Verdict{State: profile.Working, Source: SourceSubmit, Rule: "an answer was typed", Confidence: sureSubmit}, now)
	}
}

// restart makes the looks begin again.
func (k *kernel) restart(now time.Time) {
	k.phase, k.gap, k.due = phaseUnseen, 0, now
}

// hold ends the looks until there is new output.
func (k *kernel) hold() { k.phase = phaseHeld }

// pay makes a look be followed by none for times its cost. Several looks add up, up to maxPause.
func (k *kernel) pay(l waits.Look, times int, now time.Time) {
	from := k.notBefore
	if from.Before(now) {
		from = now
	}
	k.notBefore = from.Add(time.Duration(times) * l.Cost)
	if most := now.Add(maxPause); k.notBefore.After(most) {
		k.notBefore = most
	}
}

// next sets the time of the next look, but not before looks are allowed again.
func (k *kernel) next(at time.Time) {
	k.phase, k.due = phaseLooking, at
	if at.Before(k.notBefore) {
		k.due = k.notBefore
	}
}

// Looked takes the result of a look that was just taken.
func (d *Detector) Looked(l waits.Look, now time.Time) {
	k := &d.kernel
	if k.phase == phaseUnseen || !alike(l, k.seen) || d.moved().After(k.output) {
		k.since = now
		if d.unseen() {
			k.gap = 0
		}
	}
	most := d.timing.LookMost
	if l.Kind == waits.Hidden || l.Kind == waits.Gone {
		most = max(most, lookBlind)
	}
	k.gap = min(max(2*k.gap, d.timing.LookFirst), most)
	k.seen, k.output = l, d.output
	k.pay(l, d.timing.LookRest, now)
	k.next(now.Add(k.gap))
	switch {
	case d.starting() && l.Kind == waits.Watches && !d.line.canonical:
		d.rests(l, d.startHold(), now)
	case !l.Waits() || !d.woken(l):
		d.busy(l, now)
	case now.Sub(k.since) < d.timing.LookHold:
		k.next(k.since.Add(d.timing.LookHold))
	default:
		d.waitsFor(l, now)
	}
}

// alike reports whether two looks have seen the same. The threads of an event loop wake all the
// time.
func alike(l, earlier waits.Look) bool {
	return l.Same(earlier) || l.Kind == waits.Watches && earlier.Kind == waits.Watches && l.PID == earlier.PID
}

// woken reports whether the program has woken since Enter, so that its wait is a new one.
func (d *Detector) woken(l waits.Look) bool {
	return !d.turn || !d.kernel.before.Waits() || !l.Same(d.kernel.before)
}

// busy handles a look that saw no program wait for a line.
func (d *Detector) busy(l waits.Look, now time.Time) {
	lasts := now.Sub(d.kernel.since) >= d.timing.UnsureHold
	if d.watchedRowAsks(l) && lasts && d.woken(l) && !d.atPrompt(d.line.row, l) {
		d.kernel.hold()
		d.say(rungKernel, claim{
			state: profile.Asking, kind: profile.KindQuestion, source: SourceKernel, confidence: sureGeneric,
			rule: "the program " + l.Kind.String() + ", and its row asks", message: d.asked(),
		}, now)
		return
	}
	if d.childWatches(l) && !d.asksOn() {
		left := d.timing.ChildHold - d.still(now)
		if left <= 0 {
			d.kernel.hold()
			d.say(rungKernel, claim{
				state: profile.Asking, kind: profile.KindQuestion, source: SourceKernel, confidence: sureGeneric,
				rule: RuleChildAsks, message: d.childAsked(),
			}, now)
			return
		}
		d.kernel.next(now.Add(min(d.kernel.gap, left)))
	}
	d.silentOrBusy(l, now)
}

// watchedRowAsks reports whether the row of a program with an event loop asks: the program may be
// at work, but it could read the answer.
func (d *Detector) watchedRowAsks(l waits.Look) bool {
	asks := !d.line.asked.IsZero() && d.turn && !d.draws()
	return asks && l.Kind == waits.Watches && l.Doing < waits.Sleeps && !l.InnerBusy
}

// childWatches reports whether a program that the agent has started watches the terminal for keys and
// does nothing else. If it also draws nothing for childHold, it asks, because the agent itself would be
// at its prompt.
func (d *Detector) childWatches(l waits.Look) bool {
	return d.turn && d.line.foreign && !d.line.canonical && !d.page.last.Alternate && l.Kind == waits.Watches && l.Doing < waits.Sleeps && !l.InnerBusy
}

// still returns for how long nothing has moved, and the looks have seen the same.
func (d *Detector) still(now time.Time) time.Duration {
	return min(now.Sub(d.moved()), now.Sub(d.kernel.since))
}

// RuleChildAsks is the rule for such a program.
const RuleChildAsks = "a program that the agent has started watches its terminal, and nothing moves"

// childStands reports whether a question of such a program is still the one that was asked: it draws
// what is typed for the answer, in one row.
func childStands(asked, now string) bool {
	if rest, ok := strings.CutPrefix(now, asked); ok && !strings.Contains(rest, "\n") {
		return true
	}
	then, rows := strings.Split(asked, "\n"), strings.Split(now, "\n")
	if len(then) != len(rows) || len(rows) < 2 {
		return false
	}
	other := 0
	for i := range rows {
		if rows[i] != then[i] {
			other++
		}
	}
	return other <= 1
}

// childAsked returns the question of such a program: the rows up to the cursor if it edits a line,
// else all that it has drawn.
func (d *Detector) childAsked() string {
	if s := d.page.last; s.CursorShown && beforeCursor(s) != "" && !belowCursor(s) {
		return d.asked()
	}
	return d.onScreen()
}

// belowCursor reports whether text stands below the cursor's row.
func belowCursor(s term.Snapshot) bool {
	for _, l := range s.Lines[min(s.CursorRow+1, len(s.Lines)):] {
		if strings.TrimSpace(l.Text) != "" {
			return true
		}
	}
	return false
}

// silentOrBusy says that the program works if the look shows that. Otherwise it retracts what the
// kernel's source said before.
func (d *Detector) silentOrBusy(l waits.Look, now time.Time) {
	// A program that draws its screen may look for keys each time that it has slept. One that has not
	// woken for a while, or that runs all the time, is at work.
	asleep := d.turn && (l.Doing == waits.Runs || now.Sub(d.kernel.since) >= d.timing.ReadyHold)
	looksForKeys := d.draws() && !asleep && (!d.starting() || l.Doing == waits.Sleeps)
	switch {
	case l.Kind == waits.Watches && d.asksOn():
		return
	case l.Kind != waits.Busy || looksForKeys:
		d.retractKernel(now)
		return
	}
	c := claim{
		state: profile.Working, source: SourceKernel, confidence: sureSign,
		rule: "the program neither reads nor polls its terminal: it " + l.Doing.String(),
	}
	if !d.wasReady && !d.turn {
		c.state = profile.Starting
	}
	d.say(rungKernel, c, now)
}

// asksOn reports whether the question that the kernel's source has found still stands on the
// screen. A part of its answer may follow it.
func (d *Detector) asksOn() bool {
	c := d.claims[rungKernel]
	rest, ok := strings.CutPrefix(d.asked(), c.message)
	if c.state == profile.Asking && c.rule == RuleChildAsks {
		return d.line.foreign && childStands(c.message, d.childAsked())
	}
	rest = strings.TrimPrefix(rest, "\n") // some programs take the answer on the next row
	return ok && c.state == profile.Asking && c.message != "" && !strings.Contains(rest, "\n")
}

// retractKernel makes the kernel's source say nothing. A question that only the kernel knew of is
// over.
func (d *Detector) retractKernel(now time.Time) {
	was := d.claims[rungKernel].state
	if was == "" {
		return
	}
	d.hush(rungKernel, now)
	switch v := d.verdict; {
	case v.Source != SourceKernel || v.State == profile.Ready:
	case v.State == profile.Starting:
		d.become(Verdict{State: profile.Starting, Source: SourceStart, Rule: "the kernel does not tell what the program does", Confidence: sureSubmit}, now)
	default:
		d.become(Verdict{State: profile.Working, Source: SourceSubmit, Rule: "the kernel no longer tells what the program does", Confidence: sureSubmit}, now)
	}
}

// waitsFor handles a wait for input that has lasted: the program is ready, or it asks. The next
// look comes after new output.
func (d *Detector) waitsFor(l waits.Look, now time.Time) {
	k := &d.kernel
	k.hold()
	c := claim{source: SourceKernel, confidence: sureSign, rule: "the program " + l.Kind.String()}
	before, _ := profile.AtCursor(d.page.last)
	row := strings.TrimSpace(before)
	switch {
	case d.line.secretNow: // the line editor's source says it
		d.retractKernel(now)
		return
	case d.draws() && (!d.line.foreign || !d.turn):
		d.waitsForKeys(l, now)
		return
	case d.draws():
		c.state, c.kind, c.rule = profile.Asking, profile.KindQuestion, RuleFullScreen
	case !d.turn && !d.wasReady, d.atPrompt(before, l):
		c.state = profile.Ready
		c.rule += ", at its prompt"
	case row == "" && now.Sub(k.since) < d.timing.UnsureHold: // it may be about to print more
		k.next(k.since.Add(d.timing.UnsureHold))
		return
	case d.asksOn():
		return // what is typed for the answer may stand on the next row
	default:
		c.state, c.kind, c.message = profile.Asking, profile.KindQuestion, d.asked()
		c.rule += ", and its row is no prompt"
	}
	d.say(rungKernel, c, now)
}

// draws reports whether the program that has the terminal draws a screen. The waits for keys of
// such a program say nothing of its work.
func (d *Detector) draws() bool {
	s := d.page.last
	return d.kernel.drawn && !d.line.foreign || s.Alternate || !d.line.canonical && (!s.CursorShown && s.Cols > 0 || s.Drawing.Redraws())
}

// asked returns the question of the program: the cursor's row up to the cursor, and the rows above
// it up to a blank one, if they came after the last Enter.
func (d *Detector) asked() string {
	s := d.page.last
	before, _ := profile.AtCursor(s)
	rows := []string{strings.TrimRight(before, " ")}
	first := int(d.kernel.from - min(s.Scrolled, d.kernel.from)) // the row of the Enter, and those in which it continues
	for first < s.CursorRow && s.Lines[first].Wrapped {
		first++
	}
	if last := lastText(s, first); strings.TrimSpace(before) == "" && last > first && asks(s.Lines[last].Text) {
		s.CursorRow, rows = last+1, nil // blank rows follow the question
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

// lastText returns the last row above the cursor that has text and is below first, else first.
func lastText(s term.Snapshot, first int) int {
	at := s.CursorRow - 1
	for at > first && at < len(s.Lines) && strings.TrimSpace(s.Lines[at].Text) == "" {
		at--
	}
	return at
}

// asks reports whether a row ends as a question does.
func asks(row string) bool {
	row = strings.TrimSpace(row)
	return strings.HasSuffix(row, "?") || strings.HasSuffix(row, ":")
}

// onScreen returns the rows that were drawn since the last Enter, as the question of a program that
// draws them.
func (d *Detector) onScreen() string {
	s := d.page.last
	from := 0
	if cursorRow(s) >= d.kernel.from { // else the screen was cleared
		from = int(min(d.kernel.from-min(s.Scrolled, d.kernel.from), uint64(len(s.Lines)))) + 1
	}
	var rows []string
	for _, l := range s.Lines[min(from, len(s.Lines)):] {
		if text := strings.TrimRight(l.Text, " "); text != "" {
			rows = append(rows, text)
		}
	}
	return strings.Join(rows[max(0, len(rows)-maxAsked):], "\n")
}
