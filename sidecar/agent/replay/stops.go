package replay

import (
	"iter"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// Stops plays a recording and stops at each of the times, which are in their order: stop
// is called with the index of the time and what the detector said then, and finds the
// screen of that time in Screen. It returns when the recording ended; times more than Rest
// after that are not reached.
func (p *Player) Stops(events iter.Seq2[term.CastEvent, error], times []time.Duration, stop func(i int, v state.Verdict) error) (end time.Duration, err error) {
	next := 0
	reach := func(limit time.Duration, also bool) error {
		for next < len(times) && (times[next] < limit || also && times[next] == limit) {
			if err := p.Until(times[next]); err != nil {
				return err
			}
			if _, err := p.look(); err != nil {
				return err
			}
			if err := stop(next, p.last); err != nil {
				return err
			}
			next++
		}
		return nil
	}
	for e, err := range events {
		if err != nil {
			return end, err
		}
		end = e.At
		if err := reach(e.At, false); err != nil {
			return end, err
		}
		if err := p.Play(e); err != nil {
			return end, err
		}
	}
	return end, reach(end+Rest, true)
}
