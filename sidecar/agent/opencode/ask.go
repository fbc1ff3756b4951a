package opencode

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// Limits of what the agent asks for.
const (
	maxAsking = 64     // at once; more is rejected
	maxAsked  = 10_000 // in one turn; more is rejected
	// replyTime is how long an answer is tried to be told, and replyWait the time between attempts.
	replyTime = 10 * time.Second
	replyWait = 200 * time.Millisecond
	// maxMessage is how much is told of why something was not allowed, in bytes.
	maxMessage = 4 << 10
)

// permission has somebody decide whether the agent may do what it asks for, as soon as it is known what that is:
// some tools ask before the server tells of their arguments.
func (t *turn) permission(e *event) {
	p := &e.Properties
	if key := p.key(); key != "" && t.tools[key].input() == nil && t.asked[p.ID] == nil && len(t.held) < maxAsking {
		if _, waits := t.held[key]; !waits {
			t.held[key] = e
			t.hold.Reset(holdTime)
			return
		}
	}
	t.permit(e)
}

// key names the use of a tool, "" for none.
func (r *request) key() string {
	if r.Tool.CallID == "" {
		return ""
	}
	return r.Tool.MessageID + " " + r.Tool.CallID
}

// askHeld asks for what has waited long enough.
func (t *turn) askHeld() {
	for key, e := range t.held {
		delete(t.held, key)
		t.permit(e)
	}
}

// permit asks for a permission.
func (t *turn) permit(e *event) {
	p := &e.Properties
	a := action(&p.request, t.tools[p.key()])
	if a.Diffs != nil && p.SessionID == t.session && a.ID != "" {
		t.on.Tool(peer.Tool{ID: a.ID, Diffs: a.Diffs})
	}
	t.ask(e, func(ctx context.Context) {
		answer, err := t.on.Permit(ctx, a)
		switch {
		case err != nil:
			t.c.reject(e)
		case answer.Allowed: // never always: that would allow what opencode takes for alike, in all its sessions
			t.c.reply("/permission/"+p.ID+"/reply", permissionReply{Reply: "once"})
		default:
			t.rejected.Store(true)
			t.c.reply("/permission/"+p.ID+"/reply", permissionReply{"reject", text.Shorten(answer.Reason, maxMessage)})
		}
	})
}

// permissionReply is the answer to a permission. With a message the agent goes on, and its model is told
// that; without one the turn ends.
type permissionReply struct {
	Reply   string `json:"reply"`
	Message string `json:"message,omitempty"`
}

// question puts the questions of the agent's model to the client, one after the other.
func (t *turn) question(e *event) {
	p := &e.Properties
	t.ask(e, func(ctx context.Context) {
		answers := make([][]string, 0, len(p.Questions))
		for _, q := range p.Questions {
			question := peer.Question{Text: q.Question, Several: q.Multiple}
			for _, o := range q.Options { // opencode knows an option by its label
				question.Options = append(question.Options, peer.QuestionOption{ID: o.Label, Label: o.Label, Description: o.Description})
			}
			reply, err := t.on.Ask(ctx, question)
			if err != nil {
				t.rejected.Store(true)
				t.c.reject(e)
				return
			}
			if reply.Text != "" {
				reply.Options = append(reply.Options, reply.Text)
			}
			answers = append(answers, append([]string{}, reply.Options...))
		}
		t.c.reply("/question/"+p.ID+"/reply", struct {
			Answers [][]string `json:"answers"`
		}{answers})
	})
}

// ask has a request of the agent answered, once.
func (t *turn) ask(e *event, answer func(ctx context.Context)) {
	id := e.Properties.ID
	if !isID(id) || t.asked[id] != nil {
		return
	}
	if t.asking.Load() >= maxAsking || len(t.asked) >= maxAsked {
		t.c.process.Log.Warn("the agent asks for too much at once", "limit", maxAsking)
		t.rejected.Store(true)
		t.c.reject(e) // on this goroutine: an agent that floods waits for itself
		return
	}
	ctx, withdraw := context.WithCancelCause(t.ctx)
	t.asked[id] = func() { withdraw(peer.ErrWithdrawn) }
	t.asking.Add(1)
	t.work.Go(func() {
		defer t.asking.Add(-1)
		defer withdraw(nil)
		answer(ctx)
	})
}

// replied withdraws what was answered already: with one rejection opencode rejects all that the session asks for.
func (t *turn) replied(id string) {
	if withdraw := t.asked[id]; withdraw != nil {
		withdraw()
	}
}

// reject says no to a request of the agent.
func (c *conn) reject(e *event) {
	id := e.Properties.ID
	switch {
	case !isID(id):
	case e.Type == "question.asked":
		c.reply("/question/"+id+"/reject", struct{}{})
	default:
		c.reply("/permission/"+id+"/reply", permissionReply{Reply: "reject"})
	}
}

// reply tells the server an answer. Without one the agent waits for ever, so it is tried again if the
// connection breaks. What the server refuses was answered already.
func (c *conn) reply(path string, body any) {
	ctx, cancel := context.WithTimeout(c.ctx, replyTime)
	defer cancel()
	for {
		err := c.server.call(ctx, http.MethodPost, path, body, nil)
		var r *refusal
		switch {
		case err == nil || refused(err, http.StatusNotFound):
			return
		case errors.As(err, &r) || ctx.Err() != nil:
			c.process.Log.Warn("the agent does not take an answer", "error", err)
			return
		}
		select {
		case <-time.After(replyWait):
		case <-ctx.Done():
		}
	}
}

// input returns the arguments of a tool, nil if they are not known.
func (p *part) input() json.RawMessage {
	if p == nil || len(p.State.Input) <= len("{}") {
		return nil
	}
	return p.State.Input
}
