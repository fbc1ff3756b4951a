package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
)

// Output takes what the process wrote.
func (c *Conn) Output(chunk []byte) { c.read.Next(chunk, c.line) }

// line handles one line, or the head of one that is too long.
func (c *Conn) line(line []byte, whole bool) {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
	case !whole:
		c.tooLong(ends(line, c.read.Tail()))
	default:
		m, ok := decode(line)
		if !ok {
			c.o.Log.Debug("the agent wrote a line that is no message", "bytes", len(line))
			return
		}
		c.handle(m)
	}
}

// handle handles one message.
func (c *Conn) handle(m message) {
	switch {
	case m.Method != "" && m.identified():
		c.request(m)
	case m.Method != "":
		if c.o.Notice != nil {
			c.o.Notice(m.Method, m.Params)
		}
	case m.identified():
		c.respond(string(m.ID), m)
	}
}

// respond gives a response to the call that waits for it. Others are passed over.
func (c *Conn) respond(id string, m message) {
	if s, err := strconv.Unquote(id); err == nil { // some answer a number with its text
		id = s
	}
	c.mu.Lock()
	w, ok := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if ok {
		w.take(m)
	}
}

// take gives the response to the call.
func (w waiter) take(m message) {
	if w.then != nil {
		w.then(m.Result)
	}
	w.response <- m
}

// tooLong fails what waits for a message that cannot be read.
func (c *Conn) tooLong(m message) {
	c.o.Log.Warn("the agent wrote a message that is longer than can be read", "limit", c.o.MaxMessage, "method", m.Method)
	failure := Errorf(InvalidRequest, "the message is longer than %d bytes, which are read", c.o.MaxMessage)
	switch {
	case m.Method != "" && m.identified():
		c.answer(m.ID, nil, failure)
	case m.Method != "":
	case m.identified():
		c.respond(string(m.ID), message{Error: failure})
	default: // it may be any response
		c.mu.Lock()
		all := c.pending
		c.pending = map[string]waiter{}
		c.mu.Unlock()
		for _, w := range all {
			w.take(message{Error: failure})
		}
	}
}

// request is an open request of the process.
type request struct {
	id  string // as it stands on the wire
	end context.CancelCauseFunc
}

// ErrWithdrawn is the cause of the end of a request's context if the process has taken it back.
var ErrWithdrawn = errors.New("the request was withdrawn")

// Withdraw ends the contexts of the open requests of the process that have that id, as it stands on the wire.
// They are answered nevertheless, by what Options.Request makes of it.
func (c *Conn) Withdraw(id json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for r := range c.open {
		if r.id == string(bytes.TrimSpace(id)) {
			r.end(ErrWithdrawn)
		}
	}
}

// request has a request answered. One that is too many is refused here: a process that writes without reading
// holds itself up.
func (c *Conn) request(m message) {
	ctx, end := context.WithCancelCause(c.ctx)
	r := &request{string(m.ID), end}
	c.mu.Lock()
	full, closed := len(c.open) >= c.o.MaxRequests, c.closed
	if !full && !closed && c.o.Request != nil { // Close waits for it
		c.open[r] = struct{}{}
		c.work.Add(1)
	}
	c.mu.Unlock()
	switch {
	case closed:
	case full:
		c.answer(m.ID, nil, Errorf(Busy, "there are %d open requests, which is the limit", c.o.MaxRequests))
	case c.o.Request == nil:
		c.answer(m.ID, nil, Errorf(MethodNotFound, "there is no method %q", m.Method))
	default:
		if c.o.Arrived != nil {
			c.o.Arrived(m.Method, m.Params)
		}
		go func() {
			defer c.release(r)
			result, err := c.o.Request(ctx, m.Method, m.Params)
			c.answer(m.ID, result, err)
		}()
		return
	}
	end(nil)
}

// release gives the place of a request back.
func (c *Conn) release(r *request) {
	r.end(nil)
	c.mu.Lock()
	delete(c.open, r)
	c.mu.Unlock()
	c.work.Done()
}

// answer writes the response to a request.
func (c *Conn) answer(id json.RawMessage, result any, err error) {
	m := message{ID: id}
	if err == nil {
		m.Result, err = json.Marshal(result)
	}
	if err != nil && !errors.As(err, &m.Error) {
		m.Error = &Error{Code: Internal, Message: err.Error()}
	}
	if err := c.write(m); err != nil {
		c.o.Log.Debug("the agent does not read an answer", "error", err)
	}
}
