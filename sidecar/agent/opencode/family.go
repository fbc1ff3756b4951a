package opencode

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
)

// A session of a subagent has another session as its parent. What it asks for is asked in the turn of the
// session that nobody has as a child.

const (
	// maxDepth is how many parents a session may have.
	maxDepth = 32
	// maxStrays is how many requests of the agent are looked into at once whose session is not known. The
	// events wait while there are more: each is answered.
	maxStrays = 16
)

// kin is what is told of a session's place.
type kin struct {
	ID       string `json:"id"`
	ParentID string `json:"parentID"`
}

// adopt remembers the parent of a session.
func (c *conn) adopt(info json.RawMessage) {
	var k kin
	if json.Unmarshal(info, &k) != nil || k.ParentID == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remember(k)
}

func (c *conn) remember(k kin) {
	if len(c.parents) < maxChildren {
		c.parents[k.ID] = k.ParentID
	}
}

// turnOf returns the turn to which a session belongs, nil if it belongs to none.
func (c *conn) turnOf(session string) *turn {
	for range maxDepth {
		if t := c.turns[session]; t != nil {
			return t
		}
		parent, ok := c.parents[session]
		if !ok {
			return nil
		}
		session = parent
	}
	return nil
}

// forget forgets the children of a session.
func (c *conn) forget(session string) {
	maps.DeleteFunc(c.parents, func(_, parent string) bool { return parent == session })
	for again := true; again; { // grandchildren, whose parents have just gone, cannot be found any more
		again = false
		for child, parent := range c.parents {
			if _, known := c.parents[parent]; !known && c.turns[parent] == nil {
				delete(c.parents, child)
				again = true
			}
		}
	}
}

// route gives an event to the turn that it belongs to. What belongs to none is dropped, but a
// request must be answered: else the agent waits for ever.
func (c *conn) route(e *event, size int) {
	if !c.deliver(e, size) && e.asks() && isID(e.Properties.SessionID) {
		c.stray(e, size)
	}
}

// deliver gives an event to its turn, if there is one. The lock is held meanwhile: a turn that has ended gets
// nothing more.
func (c *conn) deliver(e *event, size int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.turnOf(e.Properties.SessionID)
	if t != nil {
		t.inbox.put(e, size)
	}
	return t != nil
}

// stray finds out to whom a request belongs.
func (c *conn) stray(e *event, size int) {
	select {
	case c.strays <- struct{}{}:
	case <-c.ctx.Done():
		return
	}
	c.spawn(func() {
		defer func() { <-c.strays }()
		if c.trace(c.ctx, e.Properties.SessionID) == nil || !c.deliver(e, size) {
			c.reject(e)
		}
	})
}

// trace asks the server for a session's parents and returns the turn to which it belongs, nil for none.
func (c *conn) trace(ctx context.Context, session string) *turn {
	for range maxDepth {
		c.mu.Lock()
		t := c.turnOf(session)
		c.mu.Unlock()
		if t != nil {
			return t
		}
		var k kin
		if c.server.call(ctx, http.MethodGet, "/session/"+session, nil, &k) != nil || !isID(k.ParentID) {
			return nil
		}
		c.mu.Lock()
		c.remember(kin{session, k.ParentID})
		c.mu.Unlock()
		session = k.ParentID
	}
	return nil
}
