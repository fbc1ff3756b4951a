package opencode

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

const (
	// settleTime is how long we wait for the rest of what tells of a turn's end before the server is
	// asked, and between two attempts to stop the agent.
	settleTime = time.Second
	// beginTime is how long the agent may take to begin with a message.
	beginTime = time.Minute
	// holdTime is how long a request for permission waits for the arguments of the tool, which
	// come after it.
	holdTime = 500 * time.Millisecond
)

// Prompt implements peer.Peer.
func (c *conn) Prompt(ctx context.Context, conversation string, m peer.Message, on peer.Events) (peer.Ending, error) {
	ctx, stop := c.within(ctx)
	defer stop()
	t := newTurn(c, conversation, messageID(time.Now()), on)
	var free func()
	t.ctx, free = context.WithCancel(ctx)
	defer free()
	if err := c.begin(t); err != nil {
		return peer.Ending{}, err
	}
	ending, err := t.run(m)
	free() // withdraws what the agent still asks for
	c.leave(t)
	t.work.Wait()
	return ending, err
}

// begin registers a turn.
func (c *conn) begin(t *turn) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return peer.ErrClosed
	case c.turns[t.session] != nil:
		return errors.New("the conversation has a turn already")
	}
	c.turns[t.session] = t
	return nil
}

// leave forgets a turn that has ended, and answers what came too late for it.
func (c *conn) leave(t *turn) {
	c.mu.Lock()
	delete(c.turns, t.session)
	c.forget(t.session)
	c.mu.Unlock()
	late, _ := t.inbox.take()
	late = append(late, t.late...)
	for _, h := range t.held {
		late = append(late, h)
	}
	late = slices.DeleteFunc(late, func(e *event) bool { return !e.asks() })
	if len(late) == 0 {
		return
	}
	c.spawn(func() {
		for _, e := range late {
			c.reject(e)
		}
	})
}

// send sends the message. If the connection breaks, the server is asked whether it has the message.
func (t *turn) send(m peer.Message) error {
	offer := &t.c.offer
	in := prompt{MessageID: t.message, Model: offer.model, Agent: offer.agent, Parts: inputs(m, offer.sees)}
	err := t.c.server.call(t.ctx, http.MethodPost, t.path("/prompt_async"), in, nil)
	var r *refusal
	if err == nil || errors.As(err, &r) || t.ctx.Err() != nil {
		return err
	}
	if t.c.server.call(t.ctx, http.MethodGet, t.path("/message/"+t.message), nil, nil) == nil {
		return nil
	}
	return err
}

// path returns the path of something of the turn's session.
func (t *turn) path(what string) string { return "/session/" + t.session + what }

// run has the agent work on a message and returns how that ended.
func (t *turn) run(m peer.Message) (peer.Ending, error) {
	select {
	case <-t.canceled:
		return peer.Ending{Canceled: true, Reason: "canceled"}, nil
	default:
	}
	if err := t.send(m); err != nil {
		return peer.Ending{}, fmt.Errorf("opencode does not take the message: %w", cause(t.ctx, err))
	}
	t.sent = time.Now()
	t.settle, t.hold = time.NewTimer(beginTime), time.NewTimer(holdTime)
	defer t.settle.Stop()
	defer t.hold.Stop()
	canceled := t.canceled
	for !t.over() {
		select {
		case <-t.inbox.more:
			events, missed := t.inbox.take()
			for i, e := range events {
				if t.take(e); t.over() {
					t.late = events[i+1:]
					break
				}
			}
			if missed && !t.over() {
				t.catchUp()
			}
		case <-t.settle.C:
			t.catchUp()
		case <-t.hold.C:
			t.askHeld()
		case <-canceled:
			canceled = nil
			t.abort()
		case <-t.ctx.Done():
			return peer.Ending{}, context.Cause(t.ctx)
		}
	}
	return t.ending(), nil
}

// cancel has the turn stopped, once.
func (t *turn) cancel() { t.cancelOnce.Do(func() { close(t.canceled) }) }

// isCanceled reports whether the turn is to stop.
func (t *turn) isCanceled() bool {
	select {
	case <-t.canceled:
		return true
	default:
		return false
	}
}

// abort tells the agent to stop. It is told again as long as it goes on: a request that comes before the
// agent has begun stops nothing.
func (t *turn) abort() {
	t.settle.Reset(settleTime)
	t.work.Go(func() {
		if err := t.c.server.call(t.ctx, http.MethodPost, t.path("/abort"), struct{}{}, nil); err != nil && t.ctx.Err() == nil {
			t.c.process.Log.Warn("the agent cannot be told to stop", "error", err)
		}
	})
}
