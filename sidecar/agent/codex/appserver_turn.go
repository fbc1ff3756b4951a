package codex

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

const (
	// interruptAgain is the time after which an interrupt that codex refuses is sent again, and interruptTries
	// how often it is sent. A turn that has just begun cannot be interrupted yet.
	interruptAgain = 50 * time.Millisecond
	interruptTries = 100
	// idleTime is how long a conversation may be idle before the turn counts as lost: its final event comes
	// at once, unless it was too long to be read.
	idleTime = 10 * time.Second
)

// turn is the turn that runs.
type turn struct {
	thread string
	on     peer.Events
	ctx    context.Context // of what is asked; ends with the turn
	end    context.CancelCauseFunc
	done   chan peer.Ending // takes the first one
	idle   *time.Timer      // runs while codex says that it does nothing

	// Guarded by the server's lock:
	id       string // "" until codex has told
	canceled bool
	stopping bool // an interrupt is on its way
	over     bool
	inside   sync.WaitGroup // those who tell an event
	items    map[string]*item
	helpers  []string // the conversations of agents that this one has started
	before   *tokens  // what the conversation had used when the turn began, nil if that is not known
	failure  string   // of an earlier error
	said     string   // the item whose words were said last
	thought  string   // the part that was thought last
	usage    peer.Usage
}

// maxHelpers is how many conversations of other agents one turn may have.
const maxHelpers = 64

// errTurnEnded is why what was asked in a turn is of no interest after it.
var errTurnEnded = fmt.Errorf("%w, or has ended", peer.ErrWithdrawn)

// Prompt has codex work on a message.
func (s *server) Prompt(ctx context.Context, conversation string, m peer.Message, on peer.Events) (peer.Ending, error) {
	t, params, err := s.begin(conversation, m, on)
	if err != nil {
		return peer.Ending{}, err
	}
	defer s.finish(t)
	var r struct {
		Turn wireTurn `json:"turn"`
	}
	var refused *rpc.Error
	switch err := s.call(ctx, "turn/start", params, &r); {
	case errors.As(err, &refused):
		if !s.begun(t) {
			return peer.Ending{Reason: refused.Error()}, nil
		}
	case err != nil:
		return peer.Ending{}, err
	default:
		s.mu.Lock()
		t.id = r.Turn.ID
		if th := s.threads[conversation]; th != nil {
			th.narrow = nil
		}
		s.interrupt(t)
		s.mu.Unlock()
	}
	select {
	case ending := <-t.done:
		return ending, nil
	case <-ctx.Done():
		return peer.Ending{}, context.Cause(ctx)
	case <-s.ctx.Done():
		return peer.Ending{}, peer.ErrClosed
	}
}

// begin makes a turn the one that runs.
func (s *server) begin(conversation string, m peer.Message, on peer.Events) (*turn, turnParams, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	th := s.threads[conversation]
	switch {
	case th == nil:
		return nil, turnParams{}, fmt.Errorf("the conversation %s is not open", text.Quote(conversation, maxShown))
	case s.turn != nil:
		return nil, turnParams{}, errors.New("another turn is still running")
	}
	t := &turn{thread: conversation, on: on, done: make(chan peer.Ending, 1), items: map[string]*item{}}
	t.ctx, t.end = context.WithCancelCause(s.ctx)
	t.usage.Model = th.model
	if th.known {
		total := th.total
		t.before = &total
	}
	t.idle = time.AfterFunc(idleTime, func() {
		t.settle(peer.Ending{Reason: "codex does nothing more, and has not said how the turn ended"})
	})
	t.idle.Stop()
	s.turn = t
	params := turnParams{ThreadID: conversation, Input: inputs(m)}
	if n := th.narrow; n != nil {
		params.Model, params.Approval, params.Reviewer, params.Sandbox = n.Model, n.Approval, n.Reviewer, n.Sandbox
	}
	return t, params, nil
}

// inputs are the parts of a message: its text, in which files stand by their paths, and the images among them.
func inputs(m peer.Message) []input {
	parts := []input{{Type: "text", Text: m.Text}}
	for i, p := range m.Parts {
		if path := m.Files[i]; path != "" && spec.IsImage(p.MediaType) {
			parts = append(parts, input{Type: "localImage", Path: path})
		}
	}
	return parts
}

// settle says how the turn ended. Only the first ending counts.
func (t *turn) settle(e peer.Ending) {
	select {
	case t.done <- e:
	default:
	}
}

// finish ends what was asked in the turn, and waits until nothing of it is told any more.
func (s *server) finish(t *turn) {
	s.mu.Lock()
	t.over, s.turn = true, nil
	s.mu.Unlock()
	t.end(errTurnEnded)
	t.inside.Wait()
	t.idle.Stop()
}

// begun reports whether codex has told that the turn has begun.
func (s *server) begun(t *turn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.id != ""
}

// enter lets the caller tell events of the turn until it leaves; false means that it is over.
func (s *server) enter(t *turn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.over {
		return false
	}
	t.inside.Add(1)
	return true
}

// Cancel asks codex to interrupt the turn. One that codex has not begun yet is interrupted when it does: before, it
// refuses.
func (s *server) Cancel(conversation string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.turn; t != nil && t.thread == conversation && !t.over {
		t.canceled = true
		s.interrupt(t)
	}
}

// interrupt sends an interrupt if there is a turn to interrupt, and none is on its way. The caller holds the lock.
func (s *server) interrupt(t *turn) {
	if !t.canceled || t.stopping || t.id == "" || s.ctx.Err() != nil {
		return
	}
	t.stopping = true
	params := map[string]string{"threadId": t.thread, "turnId": t.id}
	s.work.Go(func() {
		again := time.NewTicker(interruptAgain)
		defer again.Stop()
		for range interruptTries {
			if err := s.call(t.ctx, "turn/interrupt", params, nil); err == nil || t.ctx.Err() != nil {
				return
			}
			select {
			case <-again.C:
			case <-t.ctx.Done():
				return
			}
		}
		s.p.Log.Warn("codex does not let its turn be interrupted")
	})
}
