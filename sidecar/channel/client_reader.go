package channel

import "time"

// promptTime is how soon an agent must have answered a message for the reader itself
// to run the handler of the next one: starting a goroutine, and waking a thread for
// it, costs more than such an answer. If a handler takes longer than promptTime,
// another goroutine becomes the reader.
const promptTime = 5 * time.Millisecond

// read handles what the sidecar sends until the connection ends, or until another
// goroutine has become the reader.
func (c *Client) read() {
	for {
		frame, err := c.frames.next()
		if err != nil {
			c.link.kill()
			c.link.abandon()
			c.cancel(ErrLost)
			return
		}
		m, fault := parseMessage(frame)
		switch {
		case fault != nil:
			c.link.refuse(m, fault)
		case m.method == "":
			c.link.settle(m)
		case !c.handle(m):
			return
		}
	}
}

// stay runs a handler in the reader's goroutine. It reports whether that goroutine
// is still the reader afterwards.
func (c *Client) stay(answer func()) bool {
	c.mu.Lock()
	c.away = true
	c.stays++
	if !c.watched {
		c.watched = true
		c.watch.Reset(promptTime)
	}
	c.mu.Unlock()
	answer()
	c.mu.Lock()
	defer c.mu.Unlock()
	reads := c.away
	c.away = false
	return reads
}

// look runs every promptTime while the reader runs one handler after the other. If
// the reader is still in the same handler, another goroutine becomes the reader.
func (c *Client) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stays == c.seen {
		c.watched = false
		c.handOn()
		return
	}
	c.seen = c.stays
	c.watch.Reset(promptTime)
}

// handOver lets another goroutine read, in case the reader is running the handler that
// is about to wait for an answer.
func (c *Client) handOver() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handOn()
}

// handOn starts another reader if the present one is running a handler. mu is held.
func (c *Client) handOn() {
	if c.away {
		c.away = false
		c.reader.Go(c.read)
	}
}
