package channel

import "time"

// promptTime is how soon an agent must have answered a message to get the next
// one from the reader itself: to start a goroutine, and to wake a thread for it,
// costs more than such an answer. The reader leaves a handler that takes longer
// than that to itself.
const promptTime = 5 * time.Millisecond

// read takes what the sidecar sends until the connection ends, or somebody else
// reads in its place.
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

// stay runs a handler in the reader's goroutine, and reports whether it is still
// the reader afterwards.
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

// look comes every promptTime for as long as the reader stays with one handler
// after the other. One that it is still with is left to itself.
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

// handOn gives the place of a reader that is with a handler to another. mu is
// held.
func (c *Client) handOn() {
	if c.away {
		c.away = false
		c.reader.Go(c.read)
	}
}
