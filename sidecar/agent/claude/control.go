package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

const (
	// maxAsked is how many requests of claude's may wait for an answer at once.
	maxAsked = 64
	// maxErrorText is how much of an error of claude's is shown, in bytes.
	maxErrorText = 1 << 10
)

// reply answers a control request.
type reply struct {
	Subtype   string          `json:"subtype"` // success, error
	RequestID string          `json:"request_id"`
	Response  json.RawMessage `json:"response,omitempty"`
	Error     string          `json:"error,omitempty"`
}

// control is a line by which we ask for something, or answer.
type control struct {
	Type      string `json:"type"`
	RequestID string `json:"request_id,omitempty"`
	Request   any    `json:"request,omitempty"`
	Response  *reply `json:"response,omitempty"`
}

// call asks claude for something and reads the response into result, unless that is nil.
func (c *connection) call(ctx context.Context, request, result any) error {
	id, waits := c.expect()
	defer c.forget(id)
	if err := c.write(control{Type: "control_request", RequestID: id, Request: request}); err != nil {
		return c.orFailure(err)
	}
	select {
	case r := <-waits:
		if r.Subtype == "error" {
			return errors.New(text.Line(r.Error, maxErrorText))
		}
		if result == nil || len(r.Response) == 0 {
			return nil
		}
		if err := json.Unmarshal(r.Response, result); err != nil {
			return fmt.Errorf("what claude answers cannot be read: %w", err)
		}
		return nil
	case err := <-c.failed:
		return err
	case <-ctx.Done():
		return c.orFailure(context.Cause(ctx))
	case <-c.ctx.Done():
		return c.orFailure(peer.ErrClosed)
	}
}

// orFailure returns why claude cannot start, if it has said so, else the error.
func (c *connection) orFailure(err error) error {
	select {
	case failed := <-c.failed:
		return failed
	default:
		return err
	}
}

// expect makes an id whose response is waited for.
func (c *connection) expect() (id string, waits chan reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	id, waits = fmt.Sprintf("sidecar-%d", c.last), make(chan reply, 1)
	c.waits[id] = waits
	return id, waits
}

func (c *connection) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waits, id)
}

// respond gives a response to the request that waits for it. Others are passed over.
func (c *connection) respond(r *reply) {
	if r == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if waits := c.waits[r.RequestID]; waits != nil {
		delete(c.waits, r.RequestID)
		waits <- *r
	}
}

// asked is a request of claude's that is being answered.
type asked struct {
	id       string
	withdraw context.CancelCauseFunc
}

// request has a request of claude's answered.
func (c *connection) request(m *message) {
	var r request
	if err := json.Unmarshal(m.Request, &r); err != nil {
		c.reply(m.RequestID, nil, fmt.Errorf("the request cannot be read: %w", err))
		return
	}
	c.mu.Lock()
	t := c.turn
	if c.foreign {
		t = nil
	}
	parent := c.ctx
	if t != nil {
		parent = t.ctx
	}
	ctx, withdraw := context.WithCancelCause(parent)
	a := &asked{id: m.RequestID, withdraw: withdraw}
	full := len(c.asked) >= maxAsked
	started := !full && c.run(func() { c.serve(ctx, t, a, &r) })
	if started {
		c.asked[a] = true
		if t != nil {
			t.telling.Add(1)
		}
	}
	c.mu.Unlock()
	if !started {
		withdraw(nil)
	}
	if full {
		c.reply(m.RequestID, nil, fmt.Errorf("there are %d open requests, which is the limit", maxAsked))
	}
}

// serve answers one request.
func (c *connection) serve(ctx context.Context, t *turn, a *asked, r *request) {
	defer a.withdraw(nil)
	if t != nil {
		defer t.telling.Done()
	}
	response, err := c.answer(ctx, t, r)
	c.mu.Lock()
	delete(c.asked, a)
	c.mu.Unlock()
	c.reply(a.id, response, err)
}

// withdraw ends the wait for the answer to a request that claude does not want any more.
func (c *connection) withdraw(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for a := range c.asked {
		if a.id == id {
			a.withdraw(errTakenBack)
		}
	}
}

// reply answers a request.
func (c *connection) reply(id string, response any, err error) {
	r := &reply{Subtype: "success", RequestID: id}
	if err == nil {
		r.Response, err = json.Marshal(response)
	}
	if err != nil {
		r.Subtype, r.Response, r.Error = "error", nil, err.Error()
	}
	if err := c.write(control{Type: "control_response", Response: r}); err != nil {
		c.process.Log.Debug("claude does not read an answer", "error", err)
	}
}
