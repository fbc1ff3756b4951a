package opencode

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// Limits of what is kept of a turn. What comes in addition is passed over.
const (
	maxMessages = 10_000
	maxPieces   = 100_000 // parts
	maxTools    = 1000    // that run at once
	maxPlan     = 1000    // entries
)

// abortedName is the name of the error with which a turn ends that was stopped.
const abortedName = "MessageAbortedError"

// turn is a message of ours on its way through the agent. What has no other rule belongs to the goroutine
// of Prompt.
type turn struct {
	c                *conn
	session, message string
	on               peer.Events
	ctx              context.Context // ends with the turn
	inbox            *inbox
	work             sync.WaitGroup // requests of the agent that are being answered, and aborts

	cancelOnce sync.Once
	canceled   chan struct{} // closed when the turn is to stop

	settle, hold *time.Timer
	sent         time.Time // when the message was

	arrived bool // the server has our message
	begun   bool // the agent works on it, or has
	idle    bool // the agent has ended
	final   bool // the server was asked, and says so, too
	quiet   int  // how often the server said that nothing goes on before the agent has begun
	failure string
	aborted bool

	answers []*answer // messages of the agent's, in their order
	pieces  map[string]*piece
	last    string // the part of the last words
	thought string // the same of thoughts

	usage peer.Usage
	costs map[string]cost // by message

	late []*event // what came after the end

	tools    map[string]*part  // those that run, by key
	held     map[string]*event // permissions that wait for the arguments of their tool, by key
	asked    map[string]func() // withdraws what the agent has asked for, by id
	asking   atomic.Int32      // how much of it is open
	rejected atomic.Bool       // something was
}

// answer is one message of the agent's: there is one for each step.
type answer struct {
	info
	summary bool
}

// piece is what was passed on of a text.
type piece struct {
	sent      int
	gap       bool // some of it was lost: the rest comes when it is whole
	reasoning bool
}

// cost is what a message has cost.
type cost struct {
	in, out int64
	usd     float64
}

func newTurn(c *conn, session, message string, on peer.Events) *turn {
	return &turn{
		c: c, session: session, message: message, on: on, inbox: newInbox(), canceled: make(chan struct{}),
		pieces: map[string]*piece{}, costs: map[string]cost{},
		tools: map[string]*part{}, held: map[string]*event{}, asked: map[string]func(){},
	}
}

// asks reports whether an event is a request of the agent.
func (e *event) asks() bool { return e.Type == "permission.asked" || e.Type == "question.asked" }

// take takes an event of the turn's session or of one of its children.
func (t *turn) take(e *event) {
	p := &e.Properties
	own := p.SessionID == t.session
	switch e.Type {
	case "permission.asked":
		t.permission(e)
	case "question.asked":
		t.question(e)
	case "permission.replied", "question.replied", "question.rejected":
		t.replied(p.RequestID)
	case "message.updated":
		t.updated(p.Info, own)
	case "message.part.updated":
		t.partUpdated(p.Part, own, false)
	}
	if !own {
		return
	}
	switch e.Type {
	case "session.status":
		t.status(p.Status.Type)
	case "session.idle":
		t.status("idle")
	case "session.error":
		t.failed(&p.Error)
	case "message.part.delta":
		t.delta(p.MessageID, p.PartID, p.Field, p.Delta)
	case "todo.updated":
		t.plan(p.Todos)
	}
}

// status takes busy, retry or idle. What comes before the agent has begun is of an earlier turn.
func (t *turn) status(status string) {
	switch {
	case status != "idle":
		t.begun, t.idle = t.begun || t.arrived, false
	case t.begun:
		t.idle = true
		t.settle.Reset(settleTime)
	}
}

// failed takes an error of the session, which may come before the agent begins, and without its end.
func (t *turn) failed(f *failure) {
	switch {
	case f.Name == abortedName:
		t.aborted = t.begun
	case t.failure == "":
		if t.failure = f.line(); t.failure == "" {
			t.failure = "the agent reported an error without saying which"
		}
	}
	t.settle.Reset(settleTime)
}

// updated takes the state of a message.
func (t *turn) updated(raw json.RawMessage, own bool) {
	var i info
	if json.Unmarshal(raw, &i) != nil {
		return
	}
	switch {
	case own && i.ID == t.message:
		t.arrived = true
	case i.Role != "assistant" || own && i.ID < t.message:
	case own:
		t.begun = true
		t.answered(i)
		t.spent(i)
	default: // a subagent's
		t.spent(i)
	}
}

// answered takes the state of a message of the agent's.
func (t *turn) answered(i info) {
	summary, _ := i.Summary.(bool)
	a := t.find(i.ID)
	switch {
	case a != nil:
		a.info = i
	case len(t.answers) < maxMessages:
		t.answers = append(t.answers, &answer{i, summary})
	}
}

func (t *turn) find(id string) *answer {
	for _, a := range slices.Backward(t.answers) {
		if a.ID == id {
			return a
		}
	}
	return nil
}

// spent counts what a message has cost, and tells the sum if that has changed.
func (t *turn) spent(i info) {
	now := cost{i.Tokens.Input, i.Tokens.Output, i.Cost}
	if now == (cost{}) || now == t.costs[i.ID] || len(t.costs) >= maxMessages {
		return
	}
	t.costs[i.ID] = now
	u := peer.Usage{Model: t.model()}
	for _, c := range t.costs {
		u.AddTokens(c.in, c.out)
		u.AddCost(c.usd)
	}
	t.usage = u
	t.on.Usage(u)
}

// model returns the model of the last message.
func (t *turn) model() string {
	for _, a := range slices.Backward(t.answers) {
		if a.ModelID != "" && !a.summary {
			return a.ProviderID + "/" + a.ModelID
		}
	}
	return t.usage.Model
}

// plan takes the agent's list of what is to be done.
func (t *turn) plan(todos json.RawMessage) {
	var entries []peer.PlanEntry
	if json.Unmarshal(todos, &entries) == nil {
		t.on.Plan(entries[:min(len(entries), maxPlan)])
	}
}
