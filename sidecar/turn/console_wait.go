package turn

import (
	"context"
	"time"
)

// until waits until judge says true of what is to be seen. The error is the cause
// of ctx's end.
func (c *console) until(ctx context.Context, judge func(sight) bool) error {
	for {
		v := c.look()
		if judge(v) {
			return nil
		}
		select {
		case <-v.changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// within is until with a timeout; timing out is not an error.
func (c *console) within(ctx context.Context, limit time.Duration, judge func(sight) bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_ = c.until(ctx, judge)
}
