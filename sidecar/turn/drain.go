package turn

import (
	"context"
	"time"
)

// Drain accepts no more turns, and returns when no turn is left and every session's
// process is gone. Queued turns are rejected at once. Running turns may take
// timeout to end by themselves; then they go through the stop ladder and fail as
// "shutting down". This takes at most timeout + CancelGrace, plus the time that
// KILL needs. When ctx ends, the ladder starts with KILL.
func (r *Runner) Drain(ctx context.Context, timeout time.Duration) {
	r.queue.Close()
	r.settleWithin(ctx, timeout)
	r.stopAll()
	stop := context.AfterFunc(ctx, r.killAll)
	defer stop()
	if r.sessions != nil {
		r.sessions.Close()
	}
	<-r.queue.empty()
}

// settleWithin waits at most timeout for the running turns.
func (r *Runner) settleWithin(ctx context.Context, timeout time.Duration) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-r.queue.empty():
	case <-timer.C:
	case <-ctx.Done():
	}
}
