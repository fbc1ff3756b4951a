package state

import (
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// weigher makes one decision.
type weigher struct {
	d       *Detector
	now     time.Time
	recheck time.Duration
}

// since reports whether the time t is at least want ago. If it is not, the decision is made
// again as soon as it is.
func (w *weigher) since(t time.Time, want time.Duration) bool {
	left := want - w.now.Sub(t)
	if left <= 0 {
		return true
	}
	if w.recheck == 0 || left < w.recheck {
		w.recheck = left
	}
	return false
}

// decide returns the claim to believe now. It reports false if the verdict stays.
func (w *weigher) decide() (claim, bool) {
	best := claim{}
	for r := range w.d.claims {
		c := w.d.claims[r]
		if c.state == "" {
			continue
		}
		if best.state == "" || w.overrules(best, c) {
			best = c
		}
	}
	if best.state == "" {
		if v := w.d.verdict; w.d.turn && (v.State == profile.Working || v.Rule == ruleRowAsks) {
			if q, ok := w.lineAsked(claim{rung: rungs, state: profile.Working}); ok {
				return q, true
			}
		}
		return w.silence()
	}
	if q, ok := w.lineAsked(best); ok {
		return q, true
	}
	if q, ok := w.fullScreen(best); ok {
		return q, true
	}
	if w.settled(best) {
		return best, true
	}
	// A lower source that says the same may be more certain: OSC 7501 about the end that
	// a hook has reported, or the line editor about a prompt that is on the screen.
	for _, r := range []rung{rungStatus, rungMark, rungLine} {
		if c := w.d.claims[r]; r > best.rung && c.state == best.state && w.settled(c) {
			return c, true
		}
	}
	return best, false
}

// overrules reports whether the lower of two sources must be believed, because the higher
// one cannot know better.
func (w *weigher) overrules(high, low claim) bool {
	newer := low.since.After(high.at)
	if high.rung == rungKernel {
		return false // no lower source knows better
	}
	switch low.state {
	case profile.Asking, profile.Dialogue:
		return w.questionOverrules(high, low, newer)
	case profile.Working:
		return w.workOverrules(high, low, newer)
	case profile.Ready:
		return w.readyOverrules(high, low, newer)
	}
	return false
}

// questionOverrules reports whether a lower source's question counts. A question on the
// screen counts, whatever was reported before it.
func (w *weigher) questionOverrules(high, low claim, newer bool) bool {
	switch {
	case high.state == profile.Asking || high.state == profile.Dialogue:
		return false
	case low.rung < rungSign:
		return newer || high.state == profile.Ready && high.rung == rungHook
	case low.rung > rungSign && high.rung >= rungProgress:
		// A line editor that is on reads the answer.
		return low.rung == rungLine || high.rung == rungLine || high.state != profile.Ready
	case low.rung > rungSign:
		return newer && high.state == profile.Working && w.since(low.since, w.d.timing.GenericHold) && w.since(w.d.output, w.d.timing.UnsureHold)
	case high.state == profile.Ready:
		return true
	case newer:
		return w.since(low.since, w.d.timing.AskingHold)
	}
	return w.since(high.at, w.d.timing.UnsureHold)
}

// workOverrules reports whether a lower source's claim of work counts: a question was
// answered, or a turn goes on.
func (w *weigher) workOverrules(high, low claim, newer bool) bool {
	switch high.state {
	case profile.Asking, profile.Dialogue:
		switch {
		case !newer || high.rung >= rungSign:
			return false
		case low.rung < rungSign:
			return true
		case high.rung == rungStatus:
			return high.seen && w.since(low.since, w.d.timing.OppositeHold)
		case high.seen:
			return w.since(low.since, w.d.timing.ReadyHold)
		}
		return w.since(low.since, w.d.timing.GenericHold)
	case profile.Ready:
		switch {
		case low.rung == rungStatus: // it contradicts a hook
			return newer || w.d.turn && low.worked && !w.witness(low)
		case high.rung == rungProgress && low.rung <= rungSign:
			return true
		case high.rung == rungSign && low.rung == rungLine:
			// A command has printed what looks like a prompt. Silence after it shows that
			// it is the prompt of another shell.
			return !w.since(high.since, w.d.timing.Silence) || !w.since(w.d.output, w.d.timing.Silence)
		case events(high.rung) && low.rung == rungSign:
			return newer && w.since(low.since, w.d.timing.OppositeHold)
		}
	}
	return false
}

// witness reports whether the screen also says that the turn has ended, although OSC 7501
// says that the agent works.
func (w *weigher) witness(status claim) bool {
	sign := w.d.claims[rungSign]
	return sign.state == profile.Ready && sign.since.After(status.since)
}

// readyOverrules reports whether a lower source's claim of ready counts: a turn was
// interrupted, or a question was declined.
func (w *weigher) readyOverrules(high, low claim, newer bool) bool {
	if !newer || high.state == profile.Ready || high.rung >= rungSign {
		return false
	}
	switch {
	case low.rung <= rungMark:
		return events(high.rung)
	case high.rung == rungStatus:
		return false
	case high.rung == rungMark && low.rung == rungLine:
		return w.since(low.since, w.d.timing.ReadyHold)
	case high.rung == rungMark || low.rung == rungGeneric:
		return w.since(low.since, w.d.timing.Silence) && w.since(w.d.output, w.d.timing.Silence)
	case low.rung != rungSign:
		return false
	case high.state == profile.Asking && !high.seen:
		return false
	}
	return w.since(low.since, w.d.timing.OppositeHold)
}

// events reports whether a source reports single moments, and not every one.
func events(r rung) bool { return r == rungChannel || r == rungHook || r == rungNotice }
