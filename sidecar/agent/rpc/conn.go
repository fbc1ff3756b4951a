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
	pending map[string]chan message // by id; each takes one
	open    int                     // requests of the process
	closed  bool
}

// New returns a connection. Close must follow.
func New(o Options) *Conn {
	if o.MaxMessage == 0 {
		o.MaxMessage = DefaultMaxMessage
	}
	if o.MaxRequests == 0 {
		o.MaxRequests = DefaultMaxRequests
	}
	c := &Conn{o: o, pending: map[string]chan message{}}
	c.read.Limit = o.MaxMessage
	c.ctx, c.end = context.WithCancel(context.Background())
	return c
}

// Close fails what waits and waits for the requests that are being answered.
func (c *Conn) Close() {
	c.mu.Lock()
	c.closed = true
	for id, waits := range c.pending {
		delete(c.pending, id)
		close(waits)
	}
	c.mu.Unlock()
	c.end()
	c.work.Wait()
}

// Call sends a request and reads its result into result, unless that is nil. The error is an *Error of the
// process, ErrClosed, the cause of ctx's end (the process is not told), or says that the result cannot be read.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	id, waits, err := c.expect()
	if err != nil {
		return err
	}
	defer c.forget(id)
	if err := c.send(message{ID: json.RawMessage(id), Method: method}, params); err != nil {
		return err
	}
	select {
	case m, ok := <-waits:
		switch {
		case !ok:
			return ErrClosed
		case m.Error != nil:
			return m.Error
		case result == nil:
			return nil
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("the result of %s cannot be read: %w", method, err)
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
func (c *Conn) expect() (id string, waits chan message, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return "", nil, ErrClosed
	}
	c.last++
	id, waits = strconv.FormatInt(c.last, 10), make(chan message, 1)
	c.pending[id] = waits
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
