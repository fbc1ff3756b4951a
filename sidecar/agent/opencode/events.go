package opencode

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// Limits of what is kept of a stream of events.
const (
	// maxAnswer is the size of the longest answer whose text is followed, in bytes. The
	// text of a longer answer is not reported.
	maxAnswer = 8 << 20
	// maxParts is how many texts of one message are followed.
	maxParts = 1000
	// maxTyped is how many of the typed messages are remembered.
	maxTyped = 16
	// maxChildren is how many sessions of subagents are remembered.
	maxChildren = 10_000
)

// reporter makes reports of events. The zero value knows nothing yet: it may start in the
// middle of a turn.
type reporter struct {
	known    bool            // whether it is known if a turn is on
	on       bool            // a turn is on
	children map[string]bool // sessions of subagents
	failure  string          // why the turn will count as failed

	typed   []typedMessage // the last typed messages, the newest last
	prompt  string         // the prompt that is being answered
	message string         // the message that is the answer so far
	parts   []*textPart
	size    int
}

// typedMessage is what somebody typed, perhaps while another message was answered.
type typedMessage struct{ id, text string }

// textPart is one text of a message.
type textPart struct {
	id   string
	text strings.Builder
}

// event holds the parts that we read of an event.
type event struct {
	Type       string `json:"type"`
	Properties struct {
		Status struct {
			Type string `json:"type"`
		} `json:"status"`
		Info      json.RawMessage `json:"info"`
		Part      json.RawMessage `json:"part"`
		MessageID string          `json:"messageID"`
		PartID    string          `json:"partID"`
		Field     string          `json:"field"`
		Delta     string          `json:"delta"`

		request
		RequestID string          `json:"requestID"`
		Todos     json.RawMessage `json:"todos"`
		Error     failure         `json:"error"`
	} `json:"properties"`
}

// request is what the agent asks for: a permission, or answers to questions.
type request struct {
	ID         string          `json:"id"`
	SessionID  string          `json:"sessionID"`
	Permission string          `json:"permission"`
	Patterns   []string        `json:"patterns"`
	Metadata   json.RawMessage `json:"metadata"`
	Questions  []struct {
		Question string `json:"question"`
		Options  []struct {
			Label       string `json:"label"`
			Description string `json:"description"`
		} `json:"options"`
		Multiple bool `json:"multiple"`
	} `json:"questions"`
	Tool struct {
		MessageID string `json:"messageID"`
		CallID    string `json:"callID"`
	} `json:"tool"`
}

// event takes one event.
func (t *reporter) event(data []byte) (channel.Report, bool) {
	var e event
	if json.Unmarshal(data, &e) != nil {
		return channel.Report{}, false
	}
	p := &e.Properties
	switch e.Type { // events of subagents count too: they ask the person at the screen
	case "server.connected": // it says only that the stream is connected
		return channel.Report{State: channel.ReportStarting}, true
	case "session.created", "session.updated":
		t.child(p.Info)
		return channel.Report{}, false
	case "permission.asked":
		r := spec.Asks("permission", spec.ToolText(spec.FirstOf(p.Permission, "permission"), p.Metadata))
		if r.Message == p.Permission && len(p.Patterns) > 0 {
			r.Message += ": " + strings.Join(p.Patterns, " ")
		}
		r.ID = p.ID
		return r, true
	case "question.asked":
		var texts []string
		for _, q := range p.Questions {
			texts = append(texts, q.Question)
		}
		r := spec.Asks("question", strings.Join(texts, "\n"))
		r.ID = p.ID
		return r, true
	case "permission.replied", "question.replied", "question.rejected":
		return spec.Working(), true
	}
	if t.children[p.SessionID] {
		return channel.Report{}, false
	}
	switch e.Type {
	case "session.status":
		return t.status(p.Status.Type)
	case "session.idle":
		return t.status("idle")
	case "session.error":
		if t.failure = spec.FirstOf(p.Error.reason(), "error"); p.Error.Name == abortedName {
			t.failure = ""
		}
	case "message.updated":
		t.updated(p.Info)
	case "message.part.updated":
		return t.part(p.Part)
	case "message.part.delta":
		return t.delta(p.MessageID, p.PartID, p.Field, p.Delta)
	}
	return channel.Report{}, false
}

// child remembers the sessions that belong to another session.
func (t *reporter) child(info json.RawMessage) {
	var session struct {
		ID       string `json:"id"`
		ParentID string `json:"parentID"`
	}
	if json.Unmarshal(info, &session) != nil || session.ParentID == "" || len(t.children) >= maxChildren {
		return
	}
	if t.children == nil {
		t.children = make(map[string]bool)
	}
	t.children[session.ID] = true
}

// status takes busy, retry or idle. Each is reported several times.
func (t *reporter) status(status string) (r channel.Report, ok bool) {
	was, known := t.on, t.known
	t.on, t.known = status != "idle", true
	switch {
	case known && was == t.on:
		return r, false
	case t.on:
		t.failure = ""
		t.answer("")
		if len(t.typed) > 0 {
			t.prompt = t.typed[len(t.typed)-1].text
		}
		r = spec.Working()
	case !known:
		r.State = channel.ReportReady
	case t.failure != "":
		r = channel.Report{State: channel.ReportFailed, Message: t.failure, Final: true}
	default:
		r = spec.Final(t.text())
		r.ID = t.message
	}
	r.Prompt = t.prompt
	return r, true
}

// updated takes a new message: what was typed, or the next message of the answer,
// which has one for each of its steps. The last of them is the answer.
func (t *reporter) updated(info json.RawMessage) {
	var m struct {
		ID       string `json:"id"`
		Role     string `json:"role"`
		ParentID string `json:"parentID"` // the message that this one answers
	}
	if json.Unmarshal(info, &m) != nil {
		return
	}
	question := slices.IndexFunc(t.typed, func(q typedMessage) bool { return q.id == m.ID || q.id == m.ParentID })
	switch {
	case m.Role == "user" && question < 0:
		if t.typed = append(t.typed, typedMessage{id: m.ID}); len(t.typed) > maxTyped {
			t.typed = slices.Delete(t.typed, 0, 1)
		}
	case m.Role == "assistant" && m.ID != t.message:
		t.answer(m.ID)
		if question >= 0 {
			t.prompt = t.typed[question].text
		}
	}
}

// answer starts the answer anew with this message.
func (t *reporter) answer(id string) { t.message, t.parts, t.size = id, nil, 0 }

// part takes a part in its present state: for a text, the first and the last state.
func (t *reporter) part(raw json.RawMessage) (r channel.Report, ok bool) {
	var p struct {
		ID        string `json:"id"`
		MessageID string `json:"messageID"`
		Type      string `json:"type"`
		Text      string `json:"text"`
		Synthetic bool   `json:"synthetic"`
	}
	if json.Unmarshal(raw, &p) != nil || p.Type != "text" || p.Synthetic {
		return r, false
	}
	for i := range t.typed {
		if t.typed[i].id == p.MessageID {
			t.typed[i].text = p.Text
			return r, false
		}
	}
	if p.MessageID != t.message || t.message == "" {
		return r, false
	}
	part := t.find(p.ID)
	if part == nil {
		if len(t.parts) >= maxParts {
			return r, false
		}
		part = &textPart{id: p.ID}
		t.parts = append(t.parts, part)
	}
	if part.text.String() == p.Text {
		return r, false
	}
	t.size -= part.text.Len()
	part.text.Reset()
	return t.grow(part, p.Text)
}

// delta takes what a part has grown by. Only parts that are texts are followed.
func (t *reporter) delta(message, id, field, delta string) (r channel.Report, ok bool) {
	if part := t.find(id); part != nil && message == t.message && field == "text" {
		return t.grow(part, delta)
	}
	return r, false
}

func (t *reporter) find(id string) *textPart {
	for _, p := range t.parts {
		if p.id == id {
			return p
		}
	}
	return nil
}

// grow adds to the answer and reports its present text.
func (t *reporter) grow(part *textPart, more string) (r channel.Report, ok bool) {
	if t.size += len(more); t.size <= maxAnswer {
		part.text.WriteString(more)
	}
	if r.Text = t.text(); r.Text == "" {
		return r, false
	}
	r.State, r.ID, r.Prompt = channel.ReportWorking, t.message, t.prompt
	return r, true
}

// text returns the answer so far, "" if it is too long to be followed. With one part,
// the common case, nothing is copied.
func (t *reporter) text() string {
	if t.size > maxAnswer {
		return ""
	}
	if len(t.parts) == 1 {
		return t.parts[0].text.String()
	}
	var all []string
	for _, p := range t.parts {
		if p.text.Len() > 0 {
			all = append(all, p.text.String())
		}
	}
	return strings.Join(all, "\n")
}
