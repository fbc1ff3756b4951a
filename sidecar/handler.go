package sidecar

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	a2apush "github.com/a2a-sidecar/sidecar/a2a/push"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
	"github.com/a2a-sidecar/sidecar/sidecar/gate"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/platform"
	"github.com/a2a-sidecar/sidecar/sidecar/push"
	"github.com/a2a-sidecar/sidecar/sidecar/surface/search"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// handler is what the A2A server hands work to. It decides who does the work,
// the runner or the pipeline, and does none itself.
type handler struct {
	callsOnly bool // the agent takes no messages
	cards     *cards
	// platform is what the platform provides; nil: there is none.
	platform *platform.Platform
	// searches are the indexes of the lists that were searched.
	searches search.Cache
	gate     *gate.Gate
	tasks    *task.Registry
	// approvals are the calls that wait for a yes.
	approvals *approval.Registry
	sender    *a2apush.Sender  // nil: push is off
	push      *push.Dispatcher // nil: push is off
	// cancelGrace is how long a canceled agent may take to stop.
	cancelGrace time.Duration

	// The handler serves before these exist. They are set before the gate opens; only
	// work that the gate has let in may use them.
	runner *turn.Runner
	scope  *capability.Scope
	calls  *call.Pipeline
	works  *delegation.Register
	tools  toolView
}

var _ server.Handler = (*handler)(nil)

// SendMessage delivers the message and waits until the task settles.
func (h *handler) SendMessage(ctx context.Context, r *a2a.SendRequest) (*a2a.SendResult, error) {
	a, err := h.begin(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := a.start(); err != nil {
		return nil, err
	}
	if !r.ReturnImmediately {
		if err := a.task.Wait(ctx, settled); err != nil {
			return nil, err
		}
	}
	if reply := a.task.Reply(); reply != nil { // read before Durable, so that its wait covers the reply
		return &a2a.SendResult{Message: reply}, a.task.Durable(ctx)
	}
	shown, err := a.task.Show(ctx, r.HistoryLength, true)
	if err != nil {
		return nil, err
	}
	return &a2a.SendResult{Task: shown}, nil
}

// StreamMessage delivers the message and returns the task's events.
func (h *handler) StreamMessage(ctx context.Context, r *a2a.SendRequest) (a2a.Stream, error) {
	a, err := h.begin(ctx, r)
	if err != nil {
		return nil, err
	}
	return a.stream()
}

// Card returns the card as it is now.
func (h *handler) Card() *a2a.Card { return h.cards.current() }

// Tools returns the list as it is now.
func (h *handler) Tools() *a2a.Document { return h.cards.tools() }

// Ready returns nil, or an error that says why new work would be refused.
func (h *handler) Ready() error {
	if err := h.gate.Refusal(); err != nil {
		return err
	}
	return h.runner.Ready()
}

// ExtendedCard returns the card for callers who are known: every tool is a skill in
// it (§3.1.11).
func (h *handler) ExtendedCard(context.Context, *a2a.Params) (*a2a.Card, error) {
	return h.cards.extended(), nil
}
