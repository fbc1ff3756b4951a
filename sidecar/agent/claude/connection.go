package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// maxLine is the longest line of claude's that is read, in bytes: it puts whole files into one.
const maxLine = 32 << 20

// connection is our end of stream-json both ways, to a process that holds one conversation.
// What claude writes is handled by the goroutine that calls Output, and what it asks for by
// one goroutine each, at most maxAsked.
type connection struct {
	process peer.Process
	id      string // of the conversation
	resumed bool
	given   bool // our MCP server

	lines rpc.Lines // belongs to Output
	todo  todo      // so does this

	ctx  context.Context // ends with Close
	end  context.CancelFunc
	work sync.WaitGroup

	writing sync.Mutex // held while one line is written

	mu      sync.Mutex
	closed  bool
	waits   map[string]chan reply // our requests, by id; each takes one
	last    int                   // of their ids
	asked   map[*asked]bool       // claude's requests that are not answered
	ready   bool
	failed  chan error // takes why claude cannot start
	about   peer.About
	model   string
	cost    *float64 // so far, nil if it is not known
	turn    *turn
	foreign bool // claude works on what is none of our turns
}

// newPeer returns our end of the connection to a process that was started by planStream's plan.
func newPeer(p peer.Process) peer.Peer {
	c := &connection{process: p, given: given(p.Argv), waits: map[string]chan reply{}, asked: map[*asked]bool{}, failed: make(chan error, 1)}
	c.id, c.resumed = conversation(p.Argv)
	c.lines.Limit = maxLine
	c.ctx, c.end = context.WithCancel(context.Background())
	return c
}

// Output takes what claude wrote.
func (c *connection) Output(chunk []byte) { c.lines.Next(chunk, c.line) }

// line handles one line.
func (c *connection) line(line []byte, whole bool) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	if !whole {
		c.tooLong(line)
		return
	}
	m, err := decode(line)
	if err != nil {
		c.process.Log.Debug("claude wrote a line that is no message", "bytes", len(line))
		return
	}
	switch m.Type {
	case "control_response":
		c.respond(m.Response)
	case "control_request":
		c.request(m)
	case "control_cancel_request":
		c.withdraw(m.RequestID)
	default:
		c.event(m)
	}
}

// decode reads a line. A member of a type that is not expected stays empty.
func decode(line []byte) (*message, error) {
	var m message
	err := json.Unmarshal(line, &m)
	if other := (*json.UnmarshalTypeError)(nil); errors.As(err, &other) && other.Field != "" {
		err = nil
	}
	return &m, err
}

// tooLong passes over a line that is too long, or ends what waits for it.
func (c *connection) tooLong(begun []byte) {
	c.process.Log.Warn("claude wrote a line that is longer than can be read", "limit", maxLine)
	type head struct {
		Type  string          `json:"type"`
		ID    string          `json:"request_id"`
		Usage json.RawMessage `json:"modelUsage"`
	}
	var h head
	for d := json.NewDecoder(bytes.NewReader(begun)); ; {
		if !member(d, map[string]any{"type": &h.Type, "request_id": &h.ID, "modelUsage": &h.Usage}) {
			break
		}
	}
	why := fmt.Errorf("claude's message is longer than %d bytes, which are read", maxLine)
	switch {
	case h.Type == "control_request" && h.ID != "":
		c.reply(h.ID, nil, why)
	case h.Type == "result", h.Usage != nil: // in which the type may come last
		c.mu.Lock()
		t := c.turn
		foreign := c.foreign
		c.foreign = false
		if foreign {
			t = nil
		} else {
			c.turn = nil
		}
		c.mu.Unlock()
		if t != nil {
			t.finish(peer.Ending{Reason: why.Error()})
		}
	}
}

// member reads the next member of an object into what is wanted of it, and reports whether there
// was one.
func member(d *json.Decoder, wanted map[string]any) bool {
	token, err := d.Token()
	if token == json.Delim('{') {
		token, err = d.Token()
	}
	name, isName := token.(string)
	if err != nil || !isName {
		return false
	}
	value := wanted[name]
	if value == nil {
		value = new(json.RawMessage)
	}
	return d.Decode(value) == nil
}

// write sends one line.
func (c *connection) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.process.Input.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("claude takes no more input: %w", err)
	}
	return nil
}

// About returns what claude says of itself.
func (c *connection) About() peer.About {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.about
}

// Close ends claude's input, and with it the process, and waits for what is being answered.
func (c *connection) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
	if err := c.process.Input.Close(); err != nil {
		c.process.Log.Debug("claude's input was closed before", "error", err)
	}
	c.work.Wait()
}

// run starts a goroutine that Close waits for, unless it is closed. c.mu is held.
func (c *connection) run(f func()) bool {
	if c.closed {
		return false
	}
	c.work.Go(f)
	return true
}
