package stream

import (
	"context"
	"errors"
	"fmt"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

const (
	// maxAsked is how many permissions and questions of an agent wait at once in a turn.
	maxAsked = 16
	// maxUsing is how many uses of the machine an agent has under way at once in a turn.
	maxUsing = 64
)

// errCrowded refuses what is one too many.
var errCrowded = errors.New("too many at once")

// enter begins something that waits in the turn's name. Its context ends with the turn. open counts what
// waits with it; leave ends it.
func (e *events) enter(ctx context.Context, open *int, limit int) (_ context.Context, leave func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.stopped || e.ctx.Err() != nil:
		return nil, nil, peer.ErrWithdrawn
	case *open == limit:
		return nil, nil, fmt.Errorf("%w: at most %d", errCrowded, limit)
	}
	*open++
	e.waiting.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	forget := context.AfterFunc(e.ctx, func() { cancel(peer.ErrWithdrawn) })
	return ctx, func() {
		forget()
		cancel(nil)
		e.mu.Lock()
		*open--
		e.mu.Unlock()
		e.waiting.Done()
	}, nil
}

// judge returns the turn's judge, nil if the turn was stopped. What was said before is told first.
func (e *events) judge() (j driver.Judge) {
	e.do(func() {
		e.report.flush()
		j = e.t.Judge()
	})
	return j
}

// Permit implements peer.Events.
func (e *events) Permit(ctx context.Context, a peer.Action) (peer.Answer, error) {
	ctx, leave, err := e.enter(ctx, &e.asked, maxAsked)
	if errors.Is(err, errCrowded) {
		return peer.Answer{Reason: "the agent asks for too many permissions at once"}, nil
	}
	if err != nil {
		return peer.Answer{}, err
	}
	defer leave()
	j := e.judge()
	if j == nil {
		return peer.Answer{}, peer.ErrWithdrawn
	}
	answer, err := j.Permit(ctx, a)
	switch {
	case e.ctx.Err() != nil, errors.Is(err, peer.ErrWithdrawn): // the judge may hear of the turn's end first
		return peer.Answer{}, peer.ErrWithdrawn
	case ctx.Err() != nil:
		return peer.Answer{}, context.Cause(ctx)
	case err != nil:
		answer = peer.Answer{Reason: err.Error()}
	}
	if !answer.Allowed {
		e.refused.Store(true)
	}
	return answer, nil
}

// Host implements peer.Events.
func (e *events) Host() peer.Host { return host{e} }

// host is the turn's judge as far as an agent may use it: for as long as the turn runs.
type host struct{ e *events }

// use has the judge do something in the turn's name.
func (h host) use(ctx context.Context, do func(ctx context.Context, j driver.Judge) error) error {
	ctx, leave, err := h.e.enter(ctx, &h.e.using, maxUsing)
	if err != nil {
		return err
	}
	defer leave()
	j := h.e.judge()
	if j == nil {
		return peer.ErrWithdrawn
	}
	return do(ctx, j)
}

// ReadFile implements peer.Host.
func (h host) ReadFile(ctx context.Context, path string, line, limit int) (content string, err error) {
	err = h.use(ctx, func(ctx context.Context, j driver.Judge) (err error) {
		content, err = j.ReadFile(ctx, path, line, limit)
		return err
	})
	return content, err
}

// WriteFile implements peer.Host.
func (h host) WriteFile(ctx context.Context, path, content string) error {
	return h.use(ctx, func(ctx context.Context, j driver.Judge) error { return j.WriteFile(ctx, path, content) })
}

// Run implements peer.Host.
func (h host) Run(ctx context.Context, p peer.Program) (t peer.Terminal, err error) {
	err = h.use(ctx, func(ctx context.Context, j driver.Judge) (err error) {
		// The context ends when Run has returned; the program goes on.
		t, err = j.Run(ctx, p)
		return err
	})
	return t, err
}
