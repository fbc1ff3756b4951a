package replay

import (
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/learn"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
)

// stranger reads the answers of a program that draws its screen and has no profile. It
// learns from each turn what the sidecar would have learnt from it.
type stranger struct {
	learner learn.Learner
	unknown *profile.Profile // that of a program of which nothing is known
	profile *profile.Profile // what was learnt; nil: nothing yet

	message string
	earlier []string
	before  term.Snapshot // the screen before the message was typed
	last    term.Snapshot
	reader  *transcript.Reader
	at      time.Duration // of the Enter
	moved   time.Duration // when the screen last changed
	pauses  learn.Rhythm  // of this turn
	left    bool          // the program has left the alternate screen, as programs do at their end
}

// sent is called at the Enter of a message; s is the screen at that time.
func (l *stranger) sent(message string, earlier []string, before, s term.Snapshot, at time.Duration) {
	l.message, l.earlier, l.before, l.last, l.at = message, earlier, before, s, at
	l.moved, l.pauses, l.left = at, learn.Rhythm{}, false
	l.learner.Before(before)
	with := l.unknown
	if l.learner.Typed(s, message) {
		if p := l.learner.Profile(FromLearnt); p != nil {
			with = p
		}
	}
	l.begin(with)
}

// begin begins to read the answer by a profile.
func (l *stranger) begin(with *profile.Profile) {
	l.reader = transcript.NewReader(with, l.message, l.earlier...)
	l.reader.Begin(l.before)
}

func (l *stranger) see(p *Player) {
	s := p.Screen.Snapshot()
	if l.left = l.left || l.last.Alternate && !s.Alternate; l.left {
		return
	}
	if moved := p.moved(); moved > l.moved {
		l.moved = moved
		l.pauses.See(p.now)
	}
	if p.elapsed() < l.moved+l.unknown.Timing.StillHold {
		l.learner.SeeWorking(s)
	}
	rows, first := p.Screen.History(l.reader.Next())
	l.reader.Read(rows, first, s)
	l.last = s
}

// restsAt follows the rule by which the sidecar ends such a turn.
func (l *stranger) restsAt(*Player) time.Duration {
	t := &l.unknown.Timing
	hold := t.StillHold
	if l.learner.Moved(l.last) {
		hold = t.RestHold
	}
	return l.moved + min(max(hold, l.pauses.Longest*time.Duration(t.RestTimes)), t.RestLimit)
}

func (l *stranger) end(p *Player, _ bool) told {
	l.learner.SeeResting(l.last)
	learnt := l.learner.Profile(FromLearnt)
	if !l.learner.Echoed() {
		learnt = nil
	}
	switch {
	case learnt == nil && l.profile == nil && l.last.Alternate: // an editor or a pager
		return told{text: l.last.Text(), from: FromScreen}
	case learnt != nil && l.last.Alternate: // only the reader has what has scrolled off
		l.reader.Relearn(learnt)
	case learnt != nil:
		l.begin(learnt)
	}
	if learnt != nil {
		l.profile = learnt
	}
	from := FromScreen
	if l.learner.Confirmed() {
		from = FromLearnt
	}
	rows, first := p.Screen.History(l.reader.Next())
	return told{text: l.reader.Final(rows, first, l.last), from: from}
}
