package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

// Output takes what the process wrote.
func (c *Conn) Output(chunk []byte) { c.read.Next(chunk, c.line) }

// line handles one line.
func (c *Conn) line(line []byte, whole bool) {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
	case !whole:
		c.tooLong(head(line))
	default:
		var m message
		if line[0] != '{' || json.Unmarshal(line, &m) != nil {
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
	defer c.mu.Unlock()
	if waits := c.pending[id]; waits != nil {
		delete(c.pending, id)
		waits <- m
	}
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
		defer c.mu.Unlock()
		for id, waits := range c.pending {
			delete(c.pending, id)
			waits <- message{Error: failure}
		}
	}
}

// request has a request answered. One that is too many is refused here: a process that writes without reading
// holds itself up.
func (c *Conn) request(m message) {
	c.mu.Lock()
	full, closed := c.open >= c.o.MaxRequests, c.closed
	if !full && !closed { // Close waits for it
		c.open++
		c.work.Add(1)
	}
	c.mu.Unlock()
	switch {
	case closed:
		return
	case full:
		c.answer(m.ID, nil, Errorf(Busy, "there are %d open requests, which is the limit", c.o.MaxRequests))
		return
	case c.o.Request == nil:
		c.release()
		c.answer(m.ID, nil, Errorf(MethodNotFound, "there is no method %q", m.Method))
		return
	}
	go func() {
		defer c.release()
		result, err := c.o.Request(c.ctx, m.Method, m.Params)
		c.answer(m.ID, result, err)
	}()
}

// release gives the place of a request back.
func (c *Conn) release() {
	c.mu.Lock()
	c.open--
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
