package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

const (
	// endTime is how long it may take to learn how a process ended after its connection has.
	endTime = time.Second
	// lateTime is how long an agent that has said done over the channel may take to end its turn. What
	// it says after that belongs to no turn.
	lateTime = 250 * time.Millisecond
	// maxReason is how much of an agent's reason for a failure is told, in bytes.
	maxReason = 4 << 10
)

// errClosed fails a turn that nothing can answer any more.
var errClosed = errors.New("the agent has closed its output and lives on: nothing can answer")

// Deliver implements driver.Driver.
func (d *Driver) Deliver(ctx context.Context, t driver.Turn) driver.Outcome {
	m := peer.Message{Text: t.Text(), Files: t.Files()}
	if said := t.Message(); said != nil {
		m.Parts = said.Parts
	}
	e := newEvents(d.life, t, t.Out())
	e.used = d.o.Used
	ending, err := d.converse(ctx, e, m)
	if err != nil {
		o := driver.Failed(err)
		o.Text = clean(o.Text, maxReason)
		return o
	}
	o := driver.Completed()
	switch reason := clean(ending.Reason, maxReason); {
	case ending.OK && reason != "":
		o = o.With("stopReason", reason)
	case ending.Canceled && e.refused.Load(): // some agents end the turn when they are told no
		o = o.With("stopReason", "cancelled")
	case !ending.OK:
		o = driver.Failed(failure(ending))
	}
	o.Complete = true
	return o
}

// failure is the reason of a turn that did not go well.
func failure(e peer.Ending) error {
	reason := clean(e.Reason, maxReason)
	switch {
	case e.Canceled && reason == "":
		return errors.New("the agent has stopped the turn by itself")
	case e.Canceled:
		return fmt.Errorf("the agent has stopped the turn by itself: %s", reason)
	}
	return errors.New(cmp.Or(reason, "the agent says that the turn has failed, and gives no reason"))
}

// clean returns text of the agent's that people read, of at most so many bytes.
func clean(s string, limit int) string { return text.Shorten(text.Strip(text.Cut(s, 2*limit)), limit) }

// Call implements driver.Driver.
func (d *Driver) Call(ctx context.Context, t driver.Turn) (driver.CallResult, error) {
	c := t.Call()
	words, err := driver.CallText(c, d.o.ToolPrompt)
	if err != nil {
		return driver.CallResult{}, fmt.Errorf("the tool prompt: %w", err)
	}
	kept := &driver.Capture{Pass: c.Output}
	e := newEvents(d.life, t, kept)
	e.used = d.o.Used
	e.report.mute = true
	ending, err := d.converse(ctx, e, peer.Message{Text: words, Parts: []a2a.Part{a2a.TextPart(words)}})
	if err == nil && !ending.OK {
		err = fmt.Errorf("the agent: %w", failure(ending))
	}
	if r, ok := driver.FindResult(kept.Kept, c.ID); ok {
		return r, err
	}
	return kept.Result(), err
}

// converse gives a message to the agent and passes on what the agent says, until it has ended the turn. The error
// says why nobody knows how the turn went.
func (d *Driver) converse(ctx context.Context, e *events, m peer.Message) (ending peer.Ending, err error) {
	defer e.stop() // should the run never begin
	if err := d.ready(ctx); err != nil {
		return ending, d.reason(ctx, err)
	}
	k := e.t.Task()
	r := &run{key: key{k.Owner(), k.ContextID()}, message: m, on: e}
	if err := d.begin(r); err != nil {
		return ending, d.reason(ctx, err)
	}
	ending, err = d.listen(ctx, e, r)
	e.stop()
	var gone *driver.EndedError
	e.end(ending.Usage, !ending.OK && !ending.Canceled || errors.As(err, &gone))
	if n := e.late.Load(); n > 0 {
		d.o.Log.Debug("what the agent said after its turn was dropped", "task", k.ID(), "events", n)
	}
	if err != nil && ctx.Err() == nil {
		err = d.reason(ctx, err)
	}
	return ending, err
}

// listen passes on what the agent says of a run. When ctx ends, it asks the agent to stop.
func (d *Driver) listen(ctx context.Context, e *events, r *run) (peer.Ending, error) {
	limit := time.NewTimer(time.Hour)
	defer limit.Stop()
	limit.Stop()
	closed, over := d.o.Closed, e.t.Over().Done()
	var late peer.Ending // what counts when limit ends
	var broken error
	for {
		select {
		case f := <-e.work:
			f()
			e.taken <- struct{}{}
		case <-e.report.timer.C:
			e.report.flush()
		case res := <-r.result:
			return res.Ending, res.err
		case <-ctx.Done():
			e.stop()
			d.cancel(r)
			return peer.Ending{Canceled: true}, context.Cause(ctx)
		case <-d.life.Done():
			return peer.Ending{}, context.Cause(d.life)
		case <-over:
			over, late = nil, peer.Ending{OK: true}
			limit.Reset(lateTime)
		case <-closed:
			closed, broken = nil, errClosed
			limit.Reset(endTime)
		case <-limit.C:
			return late, broken
		}
	}
}

// reason waits a short time for the end of the process, which says more than the end of its connection. A
// turn that fails for another reason does not wait.
func (d *Driver) reason(ctx context.Context, err error) error {
	if d.life.Err() == nil && !errors.Is(err, peer.ErrClosed) {
		return err
	}
	t := time.NewTimer(endTime)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return err
	}
}
