package task

import (
	"encoding/json"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// statusText is how many bytes each text part of a status message may have.
const statusText = 32 << 10

// now returns the time as it is written: in UTC, in whole milliseconds. So a client
// that sends a timestamp back finds what it saw.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// fill sets the id and role of a message if they are missing, and its task and
// context.
func (t *Task) fill(m *a2a.Message, role a2a.Role) {
	if m.ID == "" {
		m.ID = a2a.NewID()
	}
	if m.Role == "" {
		m.Role = role
	}
	m.TaskID, m.ContextID = t.id, t.contextID
}

// statusMessage copies m with its ids filled in and its text clipped.
func (t *Task) statusMessage(m *a2a.Message) *a2a.Message {
	if m == nil {
		return nil
	}
	c := *m
	t.fill(&c, a2a.RoleAgent)
	for i, p := range c.Parts {
		if p.Kind != a2a.PartText || len(p.Text) <= statusText {
			continue
		}
		c.Parts = append([]a2a.Part(nil), c.Parts...)
		c.Parts[i].Text = text.Cut(p.Text, statusText)
		c.Metadata = with(c.Metadata, "truncated", json.RawMessage("true"))
	}
	return &c
}

// statusCost is about how many bytes the event takes in the window.
func statusCost(u *a2a.StatusUpdate) int64 {
	n := overhead + metadataCost(u.Metadata)
	if u.Status.Message != nil {
		n += messageCost(u.Status.Message)
	}
	return n
}
