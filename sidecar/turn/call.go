package turn

import (
	"context"
	"errors"
	"fmt"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// Call runs a tool call when the turns before it in its context have ended, and
// returns when the call has ended. The call goes over the channel, is typed, or
// runs as a process of its own with the arguments on stdin. When ctx ends, the
// agent is stopped or interrupted before Call returns.
//
// Errors: a2a.ErrBusy and a2a.ErrUnavailable before anything ran; a
// *proc.StartError; the cause of the end of ctx, with the output so far; or why the
// agent gave no answer. An answer that is itself an error is a result.
func (r *Runner) Call(ctx context.Context, c driver.Call) (driver.CallResult, error) {
	p, err := r.enter(&c)
	if err != nil {
		return driver.CallResult{}, err
	}
	defer r.queue.leave(p)
	e := r.turns.add(p, c.Task, c.Tool)
	defer r.turns.remove(e)
	if err := r.await(ctx, p); err != nil {
		return driver.CallResult{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(r.drain, func() { cancel(task.ErrDraining) })()

	t := r.newTurn(c.Task, e, c.Work)
	t.call, t.trace = &c, c.TraceParent
	defer t.finish()
	if err := t.prepare(); err != nil {
		return driver.CallResult{}, err
	}
	res, err := t.invoke(ctx)
	t.Close()
	for k, v := range t.notes {
		c.Task.SetMetadata(k, v)
	}
	if done := t.Outcome(); done != nil && !errors.Is(context.Cause(ctx), task.ErrCanceled) {
		return doneResult(done, res)
	}
	return res, err
}

// enter queues a call. A call that is a part of what the agent works on does not wait for
// that: with a process for each turn it runs beside it, one at a time. An agent that lives
// through many turns cannot take another before that one ends.
func (r *Runner) enter(c *driver.Call) (*place, error) {
	switch {
	case c.Within == "":
		return r.queue.enter(r.lane(c.Task.ContextID()), c.Task.Owner())
	case r.sessions == nil:
		return r.queue.enterWithin(c.Within, c.Task.Owner())
	}
	return nil, a2a.ErrUnavailable.With("the agent works on task %s, which this call is a part of, and takes no other before that has ended", c.Within)
}

// invoke gives the call to a process of its own, or to a session.
func (t *turn) invoke(ctx context.Context) (driver.CallResult, error) {
	defer t.closeJudge()
	switch s, err := t.acquire(ctx); {
	case err != nil:
		return driver.CallResult{}, err
	case s == nil:
		return t.r.oneshot.Driver(t.process()).Call(ctx, t)
	default:
		return s.call(ctx, t)
	}
}

// errGaveUp says that the agent said done with a state that is no answer.
var errGaveUp = errors.New("the agent ended the call without an answer")

// doneResult returns the answer of a done: its one data part, its parts or its
// text. If it has none of them, the answer is what the agent had said so far.
func doneResult(d *channel.Done, res driver.CallResult) (driver.CallResult, error) {
	switch {
	case len(d.Parts) == 1 && d.Parts[0].Kind == a2a.PartData:
		res.Structured, res.Output = d.Parts[0].Data, d.Parts[0].Data
	case len(d.Parts) > 0:
		res.Structured, res.Output = nil, []byte(driver.PartsText(a2a.WithText(d.Parts, d.Text)))
	case d.Text != "":
		res.Structured, res.Output = nil, []byte(d.Text)
	}
	switch state := doneState(d); {
	case state == a2a.StateCompleted:
		res.IsError = false
	case state.Terminal():
		res.IsError = true
	default:
		return res, fmt.Errorf("%w: %s", errGaveUp, state)
	}
	return res, nil
}
