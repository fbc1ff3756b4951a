package learn

import "time"

// Rhythm records the longest pause in an agent's output. The zero value has seen nothing.
type Rhythm struct {
	last    time.Time
	Longest time.Duration
}

// See takes the time of the latest output.
func (r *Rhythm) See(output time.Time) {
	if !r.last.IsZero() && output.After(r.last) {
		r.Longest = max(r.Longest, output.Sub(r.last))
	}
	r.last = output
}
