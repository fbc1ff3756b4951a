package claude

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// maxImage is the longest image that is sent as such, in bytes; a longer one is a path in the text. It is what
// claude itself takes before it makes them smaller.
const maxImage = 20 << 20

// userMessage is a line by which a turn begins.
type userMessage struct {
	Type    string  `json:"type"`
	Session string  `json:"session_id"`
	Parent  *string `json:"parent_tool_use_id"`
	Message struct {
		Role    string `json:"role"`
		Content []any  `json:"content"`
	} `json:"message"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type imageBlock struct {
	Type   string      `json:"type"`
	Source imageSource `json:"source"`
}

type imageSource struct {
	Type  string `json:"type"`
	Media string `json:"media_type"`
	Data  []byte `json:"data"` // base64
}

// newUserMessage returns a message as claude takes it: its images, which stand in the text by their paths, too,
// and then the text. claude takes a last text that begins with a slash for a command of its own; with a
// blank before it, it is a message.
func newUserMessage(session string, m peer.Message) userMessage {
	u := userMessage{Type: "user", Session: session}
	u.Message.Role = "user"
	for _, p := range m.Parts {
		if p.Kind == a2a.PartRaw && len(p.Raw) > 0 && len(p.Raw) <= maxImage && spec.IsImage(p.MediaType) {
			media, _, _ := strings.Cut(p.MediaType, ";")
			u.Message.Content = append(u.Message.Content, imageBlock{"image", imageSource{"base64", media, p.Raw}})
		}
	}
	words := m.Text
	if strings.HasPrefix(words, "/") {
		words = " " + words
	}
	u.Message.Content = append(u.Message.Content, textBlock{"text", words})
	return u
}

// Open returns the id of the conversation that the process holds.
func (c *connection) Open(context.Context, peer.Conversation) (string, error) {
	if c.id == "" {
		return "", fmt.Errorf("the command names no conversation, by %s or %s", sessionFlag, resumeFlag)
	}
	return c.id, nil
}

var errBusy = errors.New("a turn is running")

// Prompt has claude work on a message.
func (c *connection) Prompt(ctx context.Context, conversation string, m peer.Message, on peer.Events) (peer.Ending, error) {
	if conversation != c.id {
		return peer.Ending{}, fmt.Errorf("the process holds the conversation %s, and not %q", c.id, conversation)
	}
	t, err := c.begin(on)
	if err != nil {
		return peer.Ending{}, err
	}
	defer c.leave(t)
	if err := c.write(newUserMessage(c.id, m)); err != nil {
		return peer.Ending{}, err
	}
	select {
	case <-t.done:
		return t.ending, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-c.ctx.Done():
		err = peer.ErrClosed
	}
	select {
	case <-t.done: // both at once
		return t.ending, nil
	default:
		return peer.Ending{}, err
	}
}

// begin makes a turn the one that is running.
func (c *connection) begin(on peer.Events) (*turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return nil, peer.ErrClosed
	case c.turn != nil:
		return nil, errBusy
	}
	c.turn = newTurn(c.ctx, on)
	return c.turn, nil
}

// leave ends a turn: what comes of it later is dropped. It waits until all that came before was told.
func (c *connection) leave(t *turn) {
	c.mu.Lock()
	if c.turn == t { // claude may go on with it
		c.turn, c.foreign = nil, true
	}
	c.mu.Unlock()
	t.end(peer.ErrWithdrawn)
	t.telling.Wait()
}

// Cancel has claude stop the turn. What claude is told before it has taken the message up has no effect;
// so it is told again when it does.
func (c *connection) Cancel(conversation string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.turn; t != nil && conversation == c.id {
		t.canceled = true
		c.interrupt(t)
	}
}

// interrupt tells claude to stop what it does, once more if that is being written. c.mu is held.
func (c *connection) interrupt(t *turn) {
	if t.interrupting {
		t.again = true
		return
	}
	t.interrupting = c.run(func() {
		for again := true; again; {
			id, _ := c.expect()
			err := c.write(control{Type: "control_request", RequestID: id, Request: map[string]string{"subtype": "interrupt"}})
			if err != nil {
				c.process.Log.Debug("claude cannot be interrupted", "error", err)
			}
			c.forget(id)
			c.mu.Lock()
			again = t.again && err == nil
			t.again, t.interrupting = false, again
			c.mu.Unlock()
		}
	})
}
