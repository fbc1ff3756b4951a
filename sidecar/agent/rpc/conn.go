package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
)

// Options configure New. Write and Log must be set.
type Options struct {
	// Write is where our messages go. Each is one Write.
	Write io.Writer
	// Bare leaves the member "jsonrpc" out of our messages.
	Bare bool
	// Request answers a request of the process. Its context ends when the connection is closed. An error that
	// is no *Error is Internal. nil: there are no requests.
	Request func(ctx context.Context, method string, params json.RawMessage) (result any, err error)
	// Arrived is told of each request that will be answered by Request, in its order among the notifications,
	// by the goroutine that calls Output. nil: nobody is.
	Arrived func(method string, params json.RawMessage)
	// Notice takes a notification of the process, in order. nil: nobody does.
	Notice func(method string, params json.RawMessage)
	// MaxMessage is the longest message that is read, in bytes, and MaxRequests how many requests of the process
	// may be open at once; 0: the default.
	MaxMessage, MaxRequests int
	// Log gets what is passed over.
	Log *slog.Logger
}

// The defaults of the limits.
const (
	DefaultMaxMessage  = 32 << 20 // agents put whole files into one message
	DefaultMaxRequests = 64
)

// ErrClosed is the error of a connection that was closed.
var ErrClosed = errors.New("the connection is closed")

// Conn is a connection. Its methods may be called from many goroutines, Output from one.
type Conn struct {
	o    Options
	read Lines // belongs to Output

	ctx  context.Context // of requests; ends with Close
	end  context.CancelFunc
	work sync.WaitGroup

	writing sync.Mutex // held while one message is written

	mu      sync.Mutex
	last    int64
	pending map[string]waiter     // by id
	open    map[*request]struct{} // of the process
	closed  bool
}

// waiter is a call that waits for its response.
type waiter struct {
	response chan message                 // takes one
	then     func(result json.RawMessage) // nil: nothing
}

// New returns a connection. Close must follow.
func New(o Options) *Conn {
	if o.MaxMessage == 0 {
		o.MaxMessage = DefaultMaxMessage
	}
	if o.MaxRequests == 0 {
		o.MaxRequests = DefaultMaxRequests
	}
	c := &Conn{o: o, pending: map[string]waiter{}, open: map[*request]struct{}{}}
	c.read.Limit = o.MaxMessage
	c.ctx, c.end = context.WithCancel(context.Background())
	return c
}

// Close fails what waits, closes Options.Write if it can be closed, and waits for the requests that are being
// answered.
func (c *Conn) Close() {
	c.mu.Lock()
	c.closed = true
	for id, w := range c.pending {
		delete(c.pending, id)
		close(w.response)
	}
	c.mu.Unlock()
	c.end()
	if w, ok := c.o.Write.(io.Closer); ok {
		_ = w.Close() // what could be wrong with it is no concern of a connection that has ended
	}
	c.work.Wait()
}

// Call sends a request and reads its result into result, unless that is nil. The error is an *Error of the
// process, ErrClosed, the cause of ctx's end (the process is not told), or says that the result cannot be read.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	p, err := c.Send(method, params, nil)
	if err != nil {
		return err
	}
	return p.Wait(ctx, result)
}

// Pending is a request that was sent. Wait must follow.
type Pending struct {
	c          *Conn
	id, method string
	response   chan message
}

// Send sends a request. When its response has come, and before anything that the process wrote after it is
// handled, then is called by the goroutine that calls Output, unless it is nil, with the result, nil for an error; without a
// response it is not called.
func (c *Conn) Send(method string, params any, then func(result json.RawMessage)) (*Pending, error) {
	id, response, err := c.expect(then)
	if err != nil {
		return nil, err
	}
	if err := c.send(message{ID: json.RawMessage(id), Method: method}, params); err != nil {
		c.forget(id)
		return nil, err
	}
	return &Pending{c, id, method, response}, nil
}

// Wait is the second half of Call.
func (p *Pending) Wait(ctx context.Context, result any) error {
	defer p.c.forget(p.id)
	select {
	case m, ok := <-p.response:
		switch {
		case !ok:
			return ErrClosed
		case m.Error != nil:
			return m.Error
		case result == nil:
			return nil
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("the result of %s cannot be read: %w", p.method, err)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) error {
	return c.send(message{Method: method}, params)
}

// expect makes an id whose response is waited for.
func (c *Conn) expect(then func(json.RawMessage)) (id string, waits chan message, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return "", nil, ErrClosed
	}
	c.last++
	id, waits = strconv.FormatInt(c.last, 10), make(chan message, 1)
	c.pending[id] = waiter{waits, then}
	return id, waits, nil
}

func (c *Conn) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// send writes one message.
func (c *Conn) send(m message, params any) (err error) {
	if params != nil {
		if m.Params, err = json.Marshal(params); err != nil {
			return fmt.Errorf("the parameters of %s: %w", m.Method, err)
		}
	}
	return c.write(m)
}

func (c *Conn) write(m message) error {
	if !c.o.Bare {
		m.Version = "2.0"
	}
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.o.Write.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("the agent takes no more input: %w", err)
	}
	return nil
}
