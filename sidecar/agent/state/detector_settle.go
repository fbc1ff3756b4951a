package state

import (
	"time"

	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// settled reports whether a claim has lasted long enough to become the verdict.
func (w *weigher) settled(c claim) bool {
	switch c.state {
	case w.d.verdict.State:
		return true
	case profile.Asking, profile.Dialogue:
		return c.rung < rungSign || w.since(c.since, w.d.timing.AskingHold)
	case profile.Ready:
		return w.ready(c)
	}
	return true
}

// ready reports whether a claim that the agent is ready counts now.
func (w *weigher) ready(c claim) bool {
	d := w.d
	switch {
	case c.rung == rungKernel:
		return true // it has lasted for LookHold already
	case d.starting() && d.draws() && c.rung >= rungSign:
		hold := d.startHold() // while a picture moves, the program may still be starting
		return w.since(c.since, hold) && w.since(d.output, hold) || w.since(c.since, max(hold, d.timing.StartMost))
	case !d.turn:
		return w.since(c.since, w.idle(c))
	case c.rung >= rungSign:
		return w.answered(c)
	case c.rung == rungMark && !c.ended:
		return w.since(c.since, w.d.timing.MarkHold)
	case c.ended && (c.worked || c.rung == rungStatus || c.rung == rungMark):
		return true
	case c.worked:
		return true
	case d.worked:
		return w.since(c.since, w.d.timing.ReadyHold)
	}
	return w.since(c.since, w.d.timing.UnsureHold)
}

// idle returns how long a claim must last while no turn is under way.
func (w *weigher) idle(c claim) time.Duration {
	d := w.d
	switch {
	case c.rung == rungMark:
		return 0
	case events(c.rung) && d.tui && !d.wasReady && d.claims[rungSign].state != profile.Ready:
		return w.d.timing.GenericHold // its input box may not be drawn yet
	case c.rung < rungSign && d.wasReady:
		return 0
	case c.rung == rungLine:
		return w.d.timing.PromptHold
	}
	return w.d.timing.ReadyHold
}

// answered reports whether the screen's claim that the agent is ready means that this turn
// has ended. It may also mean that the turn has not begun yet.
func (w *weigher) answered(c claim) bool {
	d := w.d
	switch {
	case c.rung == rungLine:
		return w.since(c.since, w.d.timing.PromptHold)
	case !d.tui && !d.generic:
		// There is a prompt below the one that the message was typed at.
		if d.page.added || cursorRow(d.page.last) > d.page.row {
			return w.since(c.since, w.d.timing.ReadyHold) && w.since(d.submitted, w.d.timing.ReadyHold)
		}
	case c.source == profile.SourcePrompt && cursorRow(d.page.last) > d.page.row:
		return w.since(c.since, w.d.timing.UnsureHold) && w.since(d.output, w.d.timing.UnsureHold)
	case d.verdict.State == profile.Asking:
		return w.since(c.since, w.d.timing.UnsureHold)
	case d.worked && c.since.After(d.submitted):
		return w.since(c.since, w.d.timing.ReadyHold)
	case d.page.added && !d.page.kept && c.rung == rungSign:
		return w.since(c.since, w.d.timing.UnsureHold) && w.since(d.output, w.d.timing.UnsureHold)
	}
	return w.since(d.submitted, w.d.timing.Silence) && w.since(d.moved(), w.d.timing.Silence)
}

// silence decides if no source says anything.
func (w *weigher) silence() (claim, bool) {
	d := w.d
	nothing := claim{state: profile.Unknown, source: profile.SourceScreen, rule: "nothing on the screen tells", confidence: sureQuiet}
	switch {
	case d.verdict.Source == SourceResult:
		return claim{}, false // the program itself has said that it is ready
	case d.spoke(rungLine), d.tui && !d.generic:
		// It is known how the agent looks when it is ready, and it does not look so now.
		idle := !d.turn && d.verdict.State != profile.Working && d.verdict.State != profile.Starting
		return nothing, idle && w.since(d.gone(), w.d.timing.NothingHold)
	case !w.quiet(), d.turn && d.seenAtWork():
		return claim{}, false
	}
	if q, ok := w.silentQuestion(); ok {
		return q, true
	}
	return claim{state: profile.Ready, source: SourceQuiet, rule: "silence", confidence: sureQuiet}, true
}

// seenAtWork reports whether the last look found that a program with an event loop is running, or that
// the program on an inner terminal is busy. Silence then means nothing.
func (d *Detector) seenAtWork() bool {
	l := d.kernel.seen
	return d.asksKernel() && l.Kind == waits.Watches && (l.Doing == waits.Runs || l.InnerBusy)
}

// silentQuestion finds the question of a program that edits lines and has printed nothing for as long
// as silence must last. A text before the cursor that is none of its prompts asks: an answer ends
// with a newline.
func (w *weigher) silentQuestion() (claim, bool) {
	d := w.d
	row := beforeCursor(d.page.last)
	if drawn := d.kernel.drawn && !d.line.foreign || d.page.last.Alternate; !d.generic || !d.turn || drawn || !d.page.last.CursorShown || row == "" || cursorRow(d.page.last) == d.kernel.from || d.atPrompt(d.line.row, d.kernel.seen) {
		return claim{}, false
	}
	return claim{
		state: profile.Asking, kind: profile.KindQuestion, source: SourceQuiet, rule: ruleTextWaits,
		confidence: sureQuiet, message: profile.CleanMessage(row),
	}, true
}

// ruleTextWaits is the rule for a program that has been silent for long after a text without a newline.
const ruleTextWaits = "silence after a text that is no prompt"

// quiet reports whether output and input have paused for as long as silence must last.
func (w *weigher) quiet() bool {
	d := w.d
	need := w.d.timing.Silence
	if d.claims[rungGeneric].spoken {
		need = w.d.timing.LongSilence
	}
	return w.since(d.moved(), need) && (!d.turn || w.since(d.submitted, need))
}

// spoke reports whether a source on the rung last, or on a rung above it, has said in this
// session that the agent is ready. The kernel's source does not count.
func (d *Detector) spoke(last rung) bool {
	for r, c := range d.claims {
		if c.spoken && rung(r) <= last && rung(r) != rungKernel {
			return true
		}
	}
	return false
}

// gone returns when a claim last changed.
func (d *Detector) gone() time.Time {
	t := time.Time{}
	for _, c := range d.claims {
		if c.since.After(t) {
			t = c.since
		}
	}
	return t
}

// RuleFullScreen is the rule for a full-screen program that a shell has started and that
// has stopped drawing: it waits for keys.
const RuleFullScreen = "silence of a full-screen program"

// fullScreen finds such a program in the terminal of an agent that prints lines. The program
// waits for as long as it has the screen.
func (w *weigher) fullScreen(best claim) (claim, bool) {
	d := w.d
	if d.tui || d.generic || !d.turn || !d.page.last.Alternate || best.rung < rungLine || best.state != profile.Working {
		return claim{}, false
	}
	if d.verdict.Rule != RuleFullScreen && !w.since(d.output, w.d.timing.Silence) {
		return claim{}, false
	}
	return claim{state: profile.Asking, kind: profile.KindQuestion, source: SourceQuiet, rule: RuleFullScreen, confidence: sureQuiet}, true
}

// ruleRowAsks is the rule for a program that has been silent for long after a row that asks.
const ruleRowAsks = "silence after a row that asks"

// lineAsked finds the question of a program that has printed nothing for as long as silence
// must last. Only its last row shows the question.
func (w *weigher) lineAsked(best claim) (claim, bool) {
	d := w.d
	if d.line.asked.IsZero() || d.kernel.seen.Kind == waits.Watches && d.kernel.seen.Doing >= waits.Sleeps && d.asksKernel() || best.rung < rungLine || best.state != profile.Working ||
		!w.since(d.line.asked, w.d.timing.Silence) || d.turn && !w.since(d.submitted, w.d.timing.Silence) || !w.since(d.output, w.d.timing.Silence) {
		return claim{}, false
	}
	return claim{
		state: profile.Asking, kind: profile.KindQuestion, source: SourceQuiet, rule: ruleRowAsks,
		confidence: sureQuiet, message: profile.CleanMessage(beforeCursor(d.page.last)),
	}, true
}
