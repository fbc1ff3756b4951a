package line

import (
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// rhythm is how an agent prints: how long it was silent before it went on. An agent whose end
// only silence can show gets several times as long as its own longest pause.
type rhythm struct {
	first, most time.Duration // the shortest and the longest silence that ends an answer
	times       int           // how many times the longest pause
	longest     time.Duration
	last        time.Time // of its output in this turn; zero: there was none
}

// newRhythm returns that of an agent that was not heard yet: a silence of first ends its
// answers, and grows as its profile's timing says.
func newRhythm(first time.Duration, timing profile.Timing) rhythm {
	return rhythm{first: first, most: timing.QuietMost, times: timing.QuietTimes}
}

// begin begins a turn, whose line was typed at that time.
func (r *rhythm) begin(typed time.Time) { r.last = typed }

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

// quiet returns how long a silence ends an answer. After a row that asks something it takes twice
// as long: that leaves time to find the question.
func (r *rhythm) quiet(row string) time.Duration {
	need := min(max(r.first, time.Duration(r.times)*r.longest), max(r.most, r.first))
	if row = strings.TrimSpace(row); strings.HasSuffix(row, "?") || strings.HasSuffix(row, ":") {
		need *= 2
	}
	return need
}
