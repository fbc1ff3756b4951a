package stream

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// key says whose conversation is meant: a caller's, in a context.
type key struct{ caller, context string }

// run is one prompt, from the opening of its conversation until it has returned.
type run struct {
	key
	message peer.Message
	on      *events

	result   chan result   // gets one
	returned chan struct{} // closed after that
	ended    chan struct{} // closed when nothing is said to the agent in the run's name any more: it is idle

	mu           sync.Mutex
	conversation string
	prompting    bool // the prompt has begun, and has not returned
	stopped      bool
	telling      sync.WaitGroup // counts who tells the agent to stop; added to only while it prompts
}

// result is how a prompt ended.
type result struct {
	peer.Ending
	err error
}

// begin starts a run on a goroutine of its own. The run before it has ended.
func (d *Driver) begin(r *run) error {
	r.result, r.returned, r.ended = make(chan result, 1), make(chan struct{}), make(chan struct{})
	d.mu.Lock()
	d.last = r
	d.mu.Unlock()
	if !d.spawn(func() {
		ending, err := d.prompt(r)
		r.end(result{ending, err})
	}) {
		close(r.ended)
		return peer.ErrClosed
	}
	return nil
}

// end says how the prompt ended. Who still tells the agent to stop is waited for: the next turn of the
// conversation must not be stopped.
func (r *run) end(how result) {
	r.on.over.Store(true)
	r.mu.Lock()
	r.prompting = false
	r.mu.Unlock()
	r.result <- how
	close(r.returned)
	r.telling.Wait()
	close(r.ended)
}

// prompt gives the run's message to the agent and waits until the agent has ended the turn.
func (d *Driver) prompt(r *run) (peer.Ending, error) {
	id, err := d.conversation(r)
	if err != nil {
		return peer.Ending{}, err
	}
	if !r.starts(id) {
		return peer.Ending{Canceled: true}, nil
	}
	ending, err := d.o.Peer.Prompt(d.life, id, r.message, r.on)
	if err != nil {
		d.open.forget(r.key) // it is opened again, should the agent live
	}
	return ending, err
}

// conversation returns the agent's name of the run's conversation, which is open then.
func (d *Driver) conversation(r *run) (string, error) {
	if err := d.o.Conversations.Admits(r.caller, r.context); err != nil {
		return "", err
	}
	if id, ok := d.open.ids[r.key]; ok {
		return id, nil
	}
	was := d.o.Conversations.ID(r.caller, r.context)
	ctx, cancel := context.WithTimeoutCause(r.on.ctx, openTime, errSlow)
	defer cancel()
	id, err := d.o.Peer.Open(ctx, peer.Conversation{ID: was, Tools: d.o.Tools})
	if err == nil && d.open.has(id) {
		err = fmt.Errorf("its conversation %s is that of another context; with --sessions above 1 each context has a process of its own", text.Quote(id, maxQuoted))
	}
	if err != nil {
		return "", fmt.Errorf("the agent has opened no conversation: %w", err)
	}
	d.open.add(r.key, id)
	if id == was || id == "" {
		return id, nil
	}
	if was != "" {
		r.on.Note("newSession", true)
	}
	if err := d.o.Conversations.keep(r.caller, r.context, id); err != nil {
		d.o.Log.Error("the conversation will be forgotten at the next start", "context", r.context, "error", err)
	}
	return id, nil
}

// openTime is how long an agent may take to open a conversation: it may start servers, and read a long one.
const openTime = 2 * time.Minute

// maxQuoted is how much of a conversation's id an error shows, in bytes.
const maxQuoted = 100

// errSlow fails a turn whose conversation does not open.
var errSlow = fmt.Errorf("it has not answered within %s", openTime)

// starts notes that the prompt begins, and returns false if the turn was stopped before.
func (r *run) starts(conversation string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return false
	}
	r.conversation, r.prompting = conversation, true
	return true
}

// stop notes that the turn was stopped. It returns the conversation in which the agent is at work, and whether it
// is to be told: it was not before, and the prompt has begun. Who tells it says when that is done.
func (r *run) stop() (conversation string, tell bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	tell = r.prompting && !r.stopped
	r.stopped = true
	if tell {
		r.telling.Add(1)
	}
	return r.conversation, tell
}

// firstCancel is how long an agent may take to end a turn that it was asked to stop, until it is asked again:
// one that had hardly begun may have missed it. Each further wait is twice as long.
const firstCancel = 250 * time.Millisecond

// cancel asks the agent to stop a run, until it has. The end of the run's Events ends the opening of its
// conversation.
func (d *Driver) cancel(r *run) {
	id, tell := r.stop()
	if tell && !d.spawn(func() { d.tellStop(id, r) }) {
		r.telling.Done()
	}
}

// tellStop asks the agent to stop a run's turn, again and again until it has.
func (d *Driver) tellStop(id string, r *run) {
	defer r.telling.Done()
	t := time.NewTimer(0)
	defer t.Stop()
	for wait := firstCancel; ; wait *= 2 {
		select {
		case <-t.C:
			d.o.Peer.Cancel(id)
			t.Reset(wait)
		case <-r.returned:
			return
		case <-d.life.Done():
			return
		}
	}
}

// openConversations are the conversations that are open in the process, at most peer.MaxOpen: the oldest one is
// resumed when it goes on.
type openConversations struct {
	ids   map[key]string
	order []key // the oldest first
}

func (o *openConversations) add(k key, id string) {
	if o.ids == nil {
		o.ids = map[key]string{}
	}
	o.ids[k] = id
	o.order = append(o.order, k)
	if len(o.order) > peer.MaxOpen {
		o.forget(o.order[0])
	}
}

// has reports whether a conversation is open. An agent without names for its conversations has one.
func (o *openConversations) has(id string) bool {
	return id != "" && slices.Contains(slices.Collect(maps.Values(o.ids)), id)
}

func (o *openConversations) forget(k key) {
	delete(o.ids, k)
	o.order = slices.DeleteFunc(o.order, func(other key) bool { return other == k })
}
