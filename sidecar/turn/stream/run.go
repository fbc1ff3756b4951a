package stream

import (
	"fmt"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// run is one prompt, from the opening of its conversation until it has returned.
type run struct {
	owner, context string // the caller and the context of its task
	message        peer.Message
	on             *events

	result chan result   // gets one
	ended  chan struct{} // closed after that: the agent is idle

	mu           sync.Mutex
	conversation string // "" before the prompt
	stopped      bool
}

// result is how a prompt ended.
type result struct {
	peer.Ending
	err error
}

// begin starts a run on a goroutine of its own. The run before it has ended.
func (d *Driver) begin(r *run) error {
	r.result, r.ended = make(chan result, 1), make(chan struct{})
	d.mu.Lock()
	d.last = r
	d.mu.Unlock()
	if !d.spawn(func() {
		defer close(r.ended)
		ending, err := d.prompt(r)
		r.result <- result{ending, err}
	}) {
		close(r.ended)
		return peer.ErrClosed
	}
	return nil
}

// prompt gives the run's message to the agent and waits until the agent has ended the turn.
func (d *Driver) prompt(r *run) (peer.Ending, error) {
	id, err := d.conversation(r)
	if err != nil {
		return peer.Ending{}, fmt.Errorf("the agent has opened no conversation: %w", err)
	}
	if !r.starts(id) {
		return peer.Ending{Canceled: true}, nil
	}
	ending, err := d.o.Peer.Prompt(d.life, id, r.message, r.on)
	if err != nil {
		d.open.forget(r.context) // it is opened again, should the agent live
	}
	return ending, err
}

// conversation returns the agent's name of the run's conversation, which is open then.
func (d *Driver) conversation(r *run) (string, error) {
	if id, ok := d.open.find(r.context); ok {
		return id, nil
	}
	was := d.o.Conversations.find(r.owner, r.context)
	id, err := d.o.Peer.Open(r.on.ctx, peer.Conversation{ID: was, Tools: d.o.Tools})
	if err != nil {
		return "", err
	}
	d.open.add(r.context, id)
	if id == was {
		return id, nil
	}
	if was != "" {
		r.on.Note("newSession", true)
	}
	if err := d.o.Conversations.keep(r.owner, r.context, id); err != nil {
		d.o.Log.Error("the conversation will be forgotten at the next start", "context", r.context, "error", err)
	}
	return id, nil
}

// starts notes that the prompt begins, and returns false if the turn was stopped before.
func (r *run) starts(conversation string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return false
	}
	r.conversation = conversation
	return true
}

// stop notes that the turn was stopped, and returns the conversation in which the agent is at work, ""
// for none.
func (r *run) stop() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	return r.conversation
}

// firstCancel is how long an agent may take to end a turn that it was asked to stop, until it is asked again:
// one that had hardly begun may have missed it. Each further wait is twice as long.
const firstCancel = 250 * time.Millisecond

// cancel asks the agent to stop a run, until it has ended.
func (d *Driver) cancel(r *run) {
	id := r.stop()
	if id == "" {
		return // the end of the turn's Events ends the opening
	}
	d.spawn(func() {
		for wait := firstCancel; ; wait *= 2 {
			d.o.Peer.Cancel(id)
			t := time.NewTimer(wait)
			select {
			case <-t.C:
			case <-r.ended:
			case <-d.life.Done():
			}
			t.Stop()
			if d.life.Err() != nil || r.hasEnded() {
				return
			}
		}
	})
}

func (r *run) hasEnded() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// maxOpen is how many conversations of one process count as open. The oldest one is resumed when it goes on.
const maxOpen = 1_000

// openConversations are the conversations that are open in the process, by their contexts.
type openConversations struct {
	ids   map[string]string
	order []string // the contexts, the oldest first
}

func (o *openConversations) find(contextID string) (string, bool) {
	id, ok := o.ids[contextID]
	return id, ok
}

func (o *openConversations) add(contextID, id string) {
	if o.ids == nil {
		o.ids = map[string]string{}
	}
	o.ids[contextID] = id
	o.order = append(o.order, contextID)
	if len(o.order) > maxOpen {
		delete(o.ids, o.order[0])
		o.order = append(o.order[:0:0], o.order[1:]...)
	}
}

func (o *openConversations) forget(contextID string) {
	delete(o.ids, contextID)
	for i, c := range o.order {
		if c == contextID {
			o.order = append(o.order[:i], o.order[i+1:]...)
			return
		}
	}
}
