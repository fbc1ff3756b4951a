package turn

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/profile"
)

// declineTime is how long a question of a turn that is over may stand on the screen
// before it is declined: the keys that ended the turn may be about to take it away.
const declineTime = time.Second

// Idle implements driver. What the agent still asks, though its turn is over, is
// declined: keys that come as a question appears are lost to some, and nobody would
// ever answer it.
func (d *tui) Idle(ctx context.Context) error {
	for {
		var q *profile.Question
		err := d.until(ctx, func(v sight) bool {
			q = d.open(v)
			return q != nil || v.verdict.State == profile.Ready
		})
		if q == nil || err != nil {
			return err
		}
		stands := func(v sight) bool { now := d.open(v); return now != nil && now.ID == q.ID }
		d.within(ctx, declineTime, func(v sight) bool { return !stands(v) })
		if ended(ctx) {
			return context.Cause(ctx)
		}
		keys := d.interruptKeys()
		if safe, ok := q.Safe(); ok {
			keys = safe.Keys
		}
		if err := d.pressWhile(ctx, keys, stands); err != nil {
			return err
		}
	}
}

// open is the question that the agent asks now, nil for none that can be read.
func (d *tui) open(v sight) *profile.Question {
	if q, ok := d.profile.Question(v.screen); ok && asks(v.verdict) {
		return q
	}
	return nil
}
