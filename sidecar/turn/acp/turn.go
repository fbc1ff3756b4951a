package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// turn is one prompt from its start to its end.
type turn struct {
	session string
	number  int // among the turns of the process
	on      peer.Events
	ctx     context.Context // of what is asked in it; ends with it and with Cancel
	end     context.CancelCauseFunc
	sent    chan struct{} // closed when the prompt was written, or could not be
	telling bool          // the agent is being told to stop; the connection's mu guards it
	voice   voice
	report  report // belongs to the goroutine that reads, until the turn is over

	inside sync.WaitGroup // what speaks to on

	mu       sync.Mutex
	over     bool // nothing speaks to on any more, but for what is inside
	canceled bool
	tools    tools
	programs programs
}

// errOver is the cause of the end of a request that the turn has left behind.
var errOver = errors.New("the turn has ended")

// Prompt implements peer.Peer.
func (a *connection) Prompt(ctx context.Context, conversation string, m peer.Message, on peer.Events) (peer.Ending, error) {
	t := &turn{session: conversation, on: on, sent: make(chan struct{})}
	t.ctx, t.end = context.WithCancelCause(ctx)
	if err := a.start(t); err != nil {
		return peer.Ending{}, err
	}
	defer a.finish(t)
	pending, err := a.conn.Send(sdk.AgentMethodSessionPrompt, sdk.PromptRequest{
		SessionId: sdk.SessionId(conversation), Prompt: a.content(m),
	}, func(json.RawMessage) { t.close() })
	close(t.sent)
	var raw json.RawMessage
	if err == nil {
		err = pending.Wait(ctx, &raw)
	}
	t.close() // without a response nobody else does
	t.inside.Wait()
	var fault *rpc.Error
	switch {
	case errors.As(err, &fault):
		return a.failed(t, fault), nil
	case err != nil:
		return peer.Ending{}, lost(err)
	}
	e := a.ending(t, object(raw))
	if name, is := command(m); is && e.OK && !t.voice.spoke && !t.voice.tools && !a.hasCommand(name) {
		e.OK, e.Reason = false, tookForCommand
	}
	return e, nil
}

// tookForCommand is why a turn has failed in which the agent said and did nothing. It would be lost in silence otherwise.
const tookForCommand = "the agent has said nothing: it seems to have taken the message for a command of its own that it does not have, as it begins with a slash; begin it with another word"

// hasCommand reports whether the agent has said that it has a command of that name.
func (a *connection) hasCommand(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Contains(a.chosen.commands, name)
}

// start makes a turn the one that runs.
func (a *connection) start(t *turn) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.closed:
		t.end(peer.ErrClosed)
		return peer.ErrClosed
	case a.turn != nil:
		t.end(errOver)
		return fmt.Errorf("the agent works on a message of session %q", a.turn.session)
	}
	t.report.spent, t.report.base = a.costs[t.session]
	delete(a.costs, t.session)
	a.turns++
	t.number = a.turns
	a.turn = t
	return nil
}

// finish takes a turn back.
func (a *connection) finish(t *turn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turn = nil
	if cost, known := t.report.cost(); known {
		a.keepCost(t.session, cost)
	}
}

// maxCosts is of how many conversations it is known what they had cost when their last turn ended. It is not known
// what a turn of another one cost.
const maxCosts = 1024

// keepCost keeps what a conversation has cost. a.mu is held.
func (a *connection) keepCost(session string, usd float64) {
	for id := range a.costs {
		if len(a.costs) < maxCosts {
			break
		}
		delete(a.costs, id)
	}
	a.costs[session] = usd
}

// close is the end of the turn: what comes after it is dropped, and what is still asked in it is withdrawn.
func (t *turn) close() {
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
	t.end(errOver)
}

// enter returns the turn that runs in a conversation, nil if there is none. leave must follow.
func (a *connection) enter(session string) *turn {
	a.mu.Lock()
	t := a.turn
	a.mu.Unlock()
	if t == nil || t.session != session || !t.enter() {
		return nil
	}
	return t
}

func (t *turn) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return false
	}
	t.inside.Add(1)
	return true
}

func (t *turn) leave() { t.inside.Done() }

// during returns a context of a request of the agent that ends with the turn, too.
func (t *turn) during(ctx context.Context) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	stop := context.AfterFunc(t.ctx, func() { end(context.Cause(t.ctx)) })
	return ctx, func() {
		stop()
		end(nil)
	}
}

// Cancel implements peer.Peer.
func (a *connection) Cancel(conversation string) {
	t := a.enter(conversation)
	if t == nil {
		return
	}
	defer t.leave()
	t.mu.Lock()
	t.canceled = true
	t.mu.Unlock()
	t.end(peer.ErrWithdrawn)
	a.tellCancel(t)
}

// tellCancel tells the agent that the turn is stopped, after it was told of the turn. It does not wait for that: the
// agent may not read.
func (a *connection) tellCancel(t *turn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || t.telling {
		return
	}
	t.telling = true
	a.work.Go(func() {
		defer func() {
			a.mu.Lock()
			t.telling = false
			a.mu.Unlock()
		}()
		<-t.sent
		if err := a.conn.Notify(sdk.AgentMethodSessionCancel, sdk.CancelNotification{SessionId: sdk.SessionId(t.session)}); err != nil {
			a.process.Log.Debug("the agent is not told to stop", "error", err)
		}
	})
}

// stopped reports whether Cancel was called.
func (t *turn) stopped() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.canceled
}
