package console

import (
	"context"
	"time"
)

// Until waits until judge returns true for what is on the screen. The error is the
// cause of the end of ctx.
func (c *Console) Until(ctx context.Context, judge func(Observation) bool) error {
	for {
		v := c.Look()
		if judge(v) {
			return nil
		}
		select {
		case <-v.Changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Within is Until with a timeout; timing out is not an error.
func (c *Console) Within(ctx context.Context, limit time.Duration, judge func(Observation) bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_ = c.Until(ctx, judge)
}
