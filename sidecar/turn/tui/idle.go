package tui

import (
	"context"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// halt types the keys that stop the agent's turn. If the agent asks something, halt
// first types the keys that decline it, which end the turn of most agents.
func (d *Driver) halt(ctx context.Context) error {
	if q := d.open(d.console.Look()); q != nil {
		if err := d.decline(ctx, q); err != nil {
			return err
		}
		d.console.Within(ctx, d.profile.Timing.DeclinedLimit, func(v console.Observation) bool { return v.Verdict.State == profile.Ready })
		if d.console.Look().Verdict.State == profile.Ready {
			return nil
		}
	}
	return d.press(ctx, d.interruptKeys())
}

// Idle implements driver.Driver. If the agent still asks something though its turn
// is over, Idle declines it: some agents lose keys that come while a question
// appears, and nobody would ever answer the question.
func (d *Driver) Idle(ctx context.Context) error {
	for again := 0; ; {
		q, err := d.idleOrOpen(ctx)
		switch v := d.console.Look(); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil && q == nil:
			return nil
		case q != nil:
			if d.console.Within(ctx, d.profile.Timing.DeclineDelay, func(v console.Observation) bool { return !d.stands(v, q) }); ctx.Err() != nil {
				return context.Cause(ctx)
			}
			err = d.decline(ctx, q)
		case again < d.profile.Timing.StopTries && d.seenAtWork(v) && !console.Occupied(d.people):
			again++
			err = d.press(ctx, d.interruptKeys())
		default:
			err = nil
		}
		if err != nil {
			return err
		}
	}
}

// idleOrOpen waits until the agent is ready or asks something. It returns an error
// if neither happens within StopAgain.
func (d *Driver) idleOrOpen(ctx context.Context) (q *profile.Question, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.profile.Timing.StopAgain)
	defer cancel()
	err = d.console.Until(ctx, func(v console.Observation) bool {
		q = d.open(v)
		return q != nil || v.Verdict.State == profile.Ready
	})
	return q, err
}

// seenAtWork reports whether the agent's screen shows it at work.
func (d *Driver) seenAtWork(v console.Observation) bool {
	m, ok := d.profile.Match(v.Screen)
	return ok && m.State == profile.Working
}

// decline types the keys that decline a question while it is on the screen: the
// keys that decline whatever is asked, because an option that says no may let the
// turn go on.
func (d *Driver) decline(ctx context.Context, q *profile.Question) error {
	keys := q.Cancel
	if len(keys) == 0 {
		keys = d.interruptKeys()
	}
	return d.pressWhile(ctx, keys, func(v console.Observation) bool { return d.stands(v, q) })
}

// open returns the question that the agent asks now, nil if there is none that can
// be read.
func (d *Driver) open(v console.Observation) *profile.Question {
	if q, ok := d.profile.Question(v.Screen); ok && asks(v.Verdict) {
		return q
	}
	return nil
}

// stands reports whether the agent still asks that question.
func (d *Driver) stands(v console.Observation, q *profile.Question) bool {
	now := d.open(v)
	return now != nil && now.ID == q.ID
}
