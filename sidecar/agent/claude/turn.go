package claude

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// maxTools is how many tools of a turn are remembered until their results come. The results of more are
// told without their changes.
const maxTools = 256

// turn is what runs between a message and its result.
type turn struct {
	on  peer.Events
	ctx context.Context // of what claude asks for; ends with the turn
	end context.CancelCauseFunc

	done    chan struct{} // closed when ending is set
	ending  peer.Ending
	telling sync.WaitGroup // those that call on

	canceled, interrupting, again bool // guarded by the connection's mu

	// What follows belongs to Output.
	streamed string // the id of the message whose words come one by one
	spoken   bool   // there were any words
	mu       sync.Mutex
	tools    map[string]block // by id, guarded by mu
}

func newTurn(ctx context.Context, on peer.Events) *turn {
	t := &turn{on: on, done: make(chan struct{}), tools: map[string]block{}}
	t.ctx, t.end = context.WithCancelCause(ctx)
	return t
}

// finish ends the turn as claude says.
func (t *turn) finish(e peer.Ending) {
	t.ending = e
	close(t.done)
	t.end(peer.ErrWithdrawn)
}

// event handles what is no request and no response.
func (c *connection) event(m *message) {
	if m.Type == "result" {
		c.result(m)
		return
	}
	if t := c.belongs(m); t != nil {
		defer t.telling.Done()
		c.tell(t, m)
	}
}

// belongs returns the turn that an event is of, nil for none, and makes Prompt wait until it has been told.
func (c *connection) belongs(m *message) *turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	begins := m.Type == "system" && m.Subtype == "init"
	if begins {
		c.about.Version, c.model = m.Version, m.Model
		c.foreign = c.foreign || c.turn == nil
	}
	if c.turn == nil || c.foreign {
		return nil
	}
	if c.turn.canceled && (begins || m.Status == "requesting" || m.Event.Type == "message_start") {
		c.interrupt(c.turn)
	}
	c.turn.telling.Add(1)
	return c.turn
}

// tell tells what an event says of a turn.
func (c *connection) tell(t *turn, m *message) {
	switch m.Type {
	case "system":
		t.system(m)
	case "rate_limit_event":
		if m.RateLimit != nil && m.RateLimit.Status != "allowed" {
			t.on.Note("rateLimit", struct {
				Status   string `json:"status"`
				Type     string `json:"type,omitempty"`
				ResetsAt int64  `json:"resets_at,omitempty"` // Unix time
			}{m.RateLimit.Status, m.RateLimit.Type, m.RateLimit.ResetsAt})
		}
	case "stream_event":
		if m.Parent == nil {
			t.delta(m)
		}
	case "assistant":
		t.assistant(c, m)
	case "user":
		if !m.Replay {
			t.user(c, m)
		}
	}
}

// system notes what the client may want to know of a turn that takes long.
func (t *turn) system(m *message) {
	switch m.Subtype {
	case "api_retry":
		var why string
		_ = json.Unmarshal(m.Error, &why) // the status says it, too
		t.on.Note("modelRetry", struct {
			Attempt int    `json:"attempt"`
			Status  int    `json:"status,omitempty"` // of HTTP
			Reason  string `json:"reason,omitempty"`
		}{m.Attempt, m.ErrorStatus, why})
	case "compact_boundary":
		t.on.Note("compacted", true)
	}
}

// delta passes on words as the model says them.
func (t *turn) delta(m *message) {
	switch b := &m.Event.Block; m.Event.Type {
	case "message_start":
		t.streamed = m.Event.Message.ID
	case "content_block_start":
		t.on.Paragraph()
		if strings.HasSuffix(b.Type, "tool_use") && b.ID != "" {
			t.on.Tool(peer.Tool{ID: b.ID, Name: b.Name, Kind: kindOf(b.Name), Status: peer.Pending})
		}
	case "content_block_delta":
		switch d := &m.Event.Delta; d.Type {
		case "text_delta":
			t.say(d.Text)
		case "thinking_delta":
			t.on.Think(d.Thinking)
		}
	}
}

func (t *turn) say(words string) {
	if words != "" {
		t.spoken = true
		t.on.Say(words)
	}
}

// assistant passes on the tools of a message, also those of a sub-agent, and its words, unless they came one by
// one or are a sub-agent's, or say why a request has failed.
func (t *turn) assistant(c *connection, m *message) {
	for _, b := range m.blocks() {
		switch {
		case strings.HasSuffix(b.Type, "tool_use"):
			t.use(c, m, b)
		case m.Parent != nil || m.Message.ID == t.streamed || len(m.Error) > 0 && string(m.Error) != "null":
		case b.Type == "text":
			t.on.Paragraph()
			t.say(b.Text)
		case b.Type == "thinking":
			t.on.Think(b.Thinking)
		}
	}
}

// use tells of a tool whose arguments are complete.
func (t *turn) use(c *connection, m *message, b block) {
	t.mu.Lock()
	if len(t.tools) < maxTools {
		t.tools[b.ID] = b
	}
	t.mu.Unlock()
	a := newAction(b.Name, b.Input, c.process.Dir)
	t.on.Tool(peer.Tool{ID: b.ID, Name: b.Name, Title: a.Title, Kind: a.Kind, Status: peer.Running, Input: b.Input, Places: places(a), Diffs: a.Diffs})
	if m.Parent == nil && c.todo.written(b) {
		t.on.Plan(c.todo.entries())
	}
}

// input returns the arguments of a tool that is asked for: some come only with the model's own message.
func (t *turn) input(r *request) json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known, found := t.tools[r.ToolUse]; found && known.Name == r.Tool && string(r.Input) == "{}" {
		return known.Input
	}
	return r.Input
}

// user tells of the results of tools.
func (t *turn) user(c *connection, m *message) {
	for _, b := range m.blocks() {
		if b.Type != "tool_result" {
			continue
		}
		t.mu.Lock()
		used := t.tools[b.ToolUse]
		delete(t.tools, b.ToolUse)
		t.mu.Unlock()
		result := peer.Tool{ID: b.ToolUse, Name: used.Name, Status: peer.Completed, Output: output(b.Content)}
		if b.IsError {
			result.Status = peer.Failed
		} else {
			result.Diffs = changes(used, m.ToolResult)
		}
		t.on.Tool(result)
		if m.Parent == nil && !b.IsError && c.todo.changed(used, m.ToolResult) {
			t.on.Plan(c.todo.entries())
		}
	}
}

// output returns the text of a tool's result, which is a text or blocks.
func output(content json.RawMessage) []byte {
	var words string
	if json.Unmarshal(content, &words) == nil {
		return []byte(words)
	}
	var texts []string
	for _, b := range blocksOf(content) {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return []byte(strings.Join(texts, "\n"))
}
