package subagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Question is what a child asks.
type Question struct {
	Agent string // its agent's name
	Text  string // clean
	// Parts are those that are no text, without what is for another sidecar's clients only.
	Parts []a2a.Part
	// State is input-required, or auth-required for a permission.
	State a2a.TaskState
}

// Asker asks those who may answer for a child's parent, and returns what they say. The error says why nobody answered, in words that the
// child may read; the question is then declined. Ask returns soon after ctx has ended.
type Asker interface {
	Ask(ctx context.Context, q Question) (*a2a.Message, error)
}

const (
	// answerTries is how often is asked again what was answered as the agent cannot take it.
	answerTries = 3
	// maxQuestions is how many questions a child may ask.
	maxQuestions = 100
	// reject is the answer to a permission for which nobody is there.
	reject = "reject"
)

// answered has the open question answered, and returns how the answer is sent.
func (c *Child) answered(ctx context.Context) (open func(context.Context) (a2a.Stream, error), err error) {
	q := Question{Agent: c.agent.Name, State: c.asks.State}
	if m := c.asks.Message; m != nil {
		q.Text, q.Parts = words(m.Parts), others(m.Parts)
	}
	c.asks = nil
	if c.questions++; c.questions > maxQuestions {
		return nil, wrong("it has asked more than %d questions, which is the limit", maxQuestions)
	}
	c.change(func(st *tool.SubStatus) { st.State, st.Question = tool.SubAsking, text.Line(q.Text, maxWords) })
	c.start.Work.Tell(c.Noted())
	defer func() {
		c.change(func(st *tool.SubStatus) { st.State, st.Question = tool.SubWorking, "" })
		c.start.Work.Tell(c.Noted())
	}()
	asked := q
	for try := 1; ; try++ {
		m, why := c.start.Ask.Ask(ctx, asked)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		stream, err := c.conn.Stream(ctx, &a2a.SendRequest{Params: c.params(), Message: c.answer(m, why, q.State)})
		var refused *a2a.Error
		switch {
		case err == nil:
			return func(context.Context) (a2a.Stream, error) { return stream, nil }, nil
		case !errors.As(err, &refused):
			return c.again, nil // it may be there, or not: what the task says then is known
		case errors.Is(err, a2a.ErrUnsupportedOperation):
			return c.again, nil // it asks no more
		case why != nil:
			return nil, wrong("it asks %q, and %s", text.Line(q.Text, maxWords), why)
		case try == answerTries:
			return nil, wrong("it asks %q, and takes no answer: %s", text.Line(q.Text, maxWords), reason(err))
		}
		asked.Text = fmt.Sprintf("%s\n(that answer does not fit: %s)", q.Text, reason(err))
	}
}

// answer returns the message that goes down.
func (c *Child) answer(m *a2a.Message, why error, state a2a.TaskState) a2a.Message {
	st := c.Status()
	down := a2a.Message{ID: a2a.NewID(), TaskID: st.ID, ContextID: st.ContextID, Role: a2a.RoleUser}
	switch {
	case why == nil && m != nil:
		down.Parts = m.Parts
	case state == a2a.StateAuthRequired:
		down.Parts = []a2a.Part{a2a.TextPart(reject)}
	default:
		down.Parts = []a2a.Part{a2a.TextPart(fmt.Sprintf("declined: %v", why))}
	}
	return down
}

// others returns the parts that are no text. What another sidecar's approval says to programs is left out: its id means nothing here.
func others(parts []a2a.Part) (kept []a2a.Part) {
	for _, p := range parts {
		var members map[string]json.RawMessage
		switch {
		case p.Kind == a2a.PartText:
			continue
		case p.Kind == a2a.PartData && json.Unmarshal(p.Data, &members) == nil && ofSidecar(members):
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

func ofSidecar(members map[string]json.RawMessage) bool {
	for key := range members {
		if strings.HasPrefix(key, "urn:a2a-sidecar:") {
			return true
		}
	}
	return false
}
