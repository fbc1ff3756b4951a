package channel

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
)

// CallTool calls one of the sidecar's tools and waits until the call has ended, approvals and
// questions included. When ctx ends, the call is stopped, and the error is the cause; so it is
// when the client is closed. With call.Files, what exceeds a frame goes as a file through the
// program's outbox. The errors are ErrFrame (the arguments are too long for the
// channel), ErrBusy and ErrUnavailable (try again), ErrEnded, and ErrMethod, if the sidecar
// takes no calls over the channel. A call that fails is no error: its envelope says so.
func (c *Client) CallTool(ctx context.Context, call Call) (Called, error) {
	p := agentCallParams{
		Name: call.Name, Arguments: call.Arguments, Progress: call.Progress != nil, Artifacts: call.Artifacts,
		Files: call.Files && c.exchanges(),
		Meta:  agentCallMeta{CallID: call.ID, TraceParent: call.TraceParent},
	}
	if call.Timeout > 0 {
		p.Timeout = json.RawMessage(strconv.FormatFloat(call.Timeout.Seconds(), 'f', -1, 64))
	}
	if call.Batch != "" || call.OnFailure != "" {
		p.Batch = &batchParams{ID: call.Batch, OnFailure: call.OnFailure}
	}
	c.handOver()
	var f *flight
	sent := make(chan struct{})
	if call.Answers != nil {
		call.Answers(c.answering(sent, &f))
	}
	f, remove, err := c.startCall(ctx, p, call)
	close(sent)
	if err != nil {
		return Called{}, err
	}
	defer remove()
	select {
	case <-f.done:
	case <-ctx.Done():
		f.forget()
		_ = c.link.notify(methodCancelCall, cancelCallParams{strconv.AppendUint(nil, f.id, 10)}) // a lost connection stops it too
		return Called{}, context.Cause(ctx)
	}
	raw, err := f.result()
	if err != nil {
		return Called{}, err
	}
	return c.called(raw)
}

// startCall sends a call. If its arguments do not fit a frame and it may use files, they go by a
// file, which remove removes.
func (c *Client) startCall(ctx context.Context, p agentCallParams, call Call) (f *flight, remove func(), err error) {
	remove = func() {}
	f, err = c.link.startHeeding(methodCall, p, call.Progress)
	if !call.Files || !errors.Is(err, ErrFrame) {
		return f, remove, err
	}
	if p.File, remove, err = c.writeArguments(ctx, p.Arguments); err != nil {
		return nil, nil, err
	}
	p.Arguments = nil
	if f, err = c.link.startHeeding(methodCall, p, call.Progress); err != nil {
		remove()
		return nil, nil, err
	}
	return f, remove, nil
}

// calledWire is the result of tools/call as far as this package reads it.
type calledWire struct {
	Meta calledMeta `json:"_meta"`
}

// called reads the answer to a call.
func (c *Client) called(raw json.RawMessage) (Called, error) {
	var r calledWire
	if err := decode(raw, &r); err != nil {
		return Called{}, err
	}
	if name := r.Meta.File; name != "" {
		var err error
		if raw, err = c.readResult(name); err != nil {
			return Called{}, err
		}
		r = calledWire{}
		if err := decode(raw, &r); err != nil {
			return Called{}, err
		}
	}
	called := Called{TaskID: r.Meta.TaskID, Envelope: raw, Omitted: r.Meta.Omitted}
	for i := range r.Meta.Artifacts {
		u, err := r.Meta.Artifacts[i].update()
		if err != nil {
			return Called{}, err
		}
		called.Artifacts = append(called.Artifacts, u.Artifact)
	}
	return called, nil
}

// progress hands an event on to the call that it belongs to.
func (c *Client) progress(m *message) {
	var p progressParams
	if decode(m.params, &p) == nil {
		if heed := c.link.heeds(p.ID); heed != nil {
			heed(p.Event)
		}
	}
}

// heeds returns what gets the progress of a request, nil for nothing.
func (l *link) heeds(id json.RawMessage) func(event json.RawMessage) {
	n, ok := (&message{id: id}).number()
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.pending[n]; ok && f != nil {
		return f.heed
	}
	return nil
}
