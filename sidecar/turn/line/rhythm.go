package line

import (
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// rhythm measures how long an agent is silent before it goes on printing. If only silence can show
// the end of its answer, the silence must last several times as long as its longest pause.
type rhythm struct {
	first, most time.Duration // the shortest and the longest silence that ends an answer
	times       int           // how many times the longest pause
	longest     time.Duration
	last        time.Time // of its output in this turn; zero: there was none
}

// newRhythm returns the rhythm of an agent that has printed nothing yet: a silence of first ends its
// answers. It grows as the timing of its profile says.
func newRhythm(first time.Duration, timing profile.Timing) rhythm {
	return rhythm{first: first, most: timing.QuietMost, times: timing.QuietTimes}
}

// begin begins a turn, whose line was typed at that time. The pauses of earlier turns count less
// with each turn: one slow command does not make all later ones wait.
func (r *rhythm) begin(typed time.Time) { r.last, r.longest = typed, r.longest/2 }

// printed notes the time of the last output.
func (r *rhythm) printed(at time.Time) {
	if !at.After(r.last) {
		return
	}
	if !r.last.IsZero() {
		r.longest = max(r.longest, at.Sub(r.last))
	}
	r.last = at
}

// quiet returns how long a silence must last to end an answer. After a row that looks like a
// question it must last twice as long, which leaves time to find the question.
func (r *rhythm) quiet(row string) time.Duration {
	need := min(max(r.first, time.Duration(r.times)*r.longest), max(r.most, r.first))
	if row = strings.TrimSpace(row); strings.HasSuffix(row, "?") || strings.HasSuffix(row, ":") {
		need *= 2
	}
	return need
}
