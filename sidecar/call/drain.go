package call

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Drain takes no new calls, turns away those that have not begun (busy, "not
// started"), gives the others timeout to end, and then stops them by the stop ladder
// (failed, "shutting down"). It returns when every call has ended, or when ctx ends,
// with its cause.
func (p *Pipeline) Drain(ctx context.Context, timeout time.Duration) error {
	live := p.refuse()
	limit := time.NewTimer(timeout)
	defer limit.Stop()
	for n, inv := range live {
		select {
		case <-inv.done:
			continue
		case <-ctx.Done():
		case <-limit.C:
		}
		return p.stop(ctx, live[n:])
	}
	return nil
}

// Close stops every call at once and waits until all of them, and every
// handler that was left behind, have ended. Then it removes the calls' folders. It
// may be called more than once.
func (p *Pipeline) Close() error {
	live := p.refuse()
	p.stopAll(task.ErrDraining)
	for _, inv := range live {
		inv.task.Cancel(task.ErrDraining)
	}
	p.work.Wait()
	return p.jobs.Close()
}

// refuse ends admission and returns the calls that are under way.
func (p *Pipeline) refuse() []*Invocation {
	p.mu.Lock()
	p.closed = true
	live := make([]*Invocation, 0, len(p.live))
	for inv := range p.live {
		live = append(live, inv)
	}
	p.mu.Unlock()
	p.drain(task.ErrDraining)
	return live
}

func (p *Pipeline) stop(ctx context.Context, live []*Invocation) error {
	p.stopAll(task.ErrDraining)
	for _, inv := range live {
		inv.task.Cancel(task.ErrDraining)
	}
	for _, inv := range live {
		select {
		case <-inv.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
