package task

import (
	"context"
	"encoding/json"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// begin takes the turn at writing. It returns false, without the turn, when
// done ends first; nil never ends.
func (t *Task) begin(done <-chan struct{}) bool {
	select {
	case t.writer <- struct{}{}:
		return true
	case <-done:
		return false
	}
}

func (t *Task) end() { <-t.writer }

// room waits until every subscriber has room for size more bytes of events.
// One that takes nothing for the stall limit meanwhile is cut off. It returns
// false when done ends first. The caller has the turn.
func (t *Task) room(size int64, done <-chan struct{}) bool {
	t.mu.Lock()
	room := t.log.reserve(size)
	t.mu.Unlock()
	if room == nil {
		return true
	}
	timer := time.NewTimer(t.reg.opts.Stall)
	defer timer.Stop()
	for {
		select {
		case <-room:
			return true
		case <-timer.C:
			timer.Reset(t.cutStalled())
		case <-done:
			t.mu.Lock()
			t.log.unreserve()
			t.mu.Unlock()
			return false
		}
	}
}

// cutStalled drops the subscribers that hold the writer up and have taken
// nothing for the stall limit, and returns when to look at the others again.
func (t *Task) cutStalled() time.Duration {
	t.mu.Lock()
	dropped, next := t.log.cut(t.reg.opts.Stall)
	t.mu.Unlock()
	if dropped > 0 {
		t.reg.opts.Observer.SubscribersCut(dropped)
		t.reg.opts.Log.Debug("subscribers cut off: they read too slowly", "task", t.id, "subscribers", dropped)
	}
	return next
}

// Status publishes a state, with a message and metadata of the event where
// there are any. A task that is interrupted so waits for Continue: nobody runs
// it meanwhile, and park.go bounds how many there are. The message is for
// people, clipped to 32 KiB of text, and not part of the history. A terminal
// state is a Finish. It may wait for slow subscribers as Artifact does. The
// error is ErrFinished.
func (t *Task) Status(state a2a.TaskState, m *a2a.Message, meta a2a.Metadata) error {
	if state.Terminal() {
		return t.Finish(state, m, meta)
	}
	var crowded []*Task
	t.begin(nil)
	err := t.setStatus(state, m, meta, func() {
		if state.Interrupted() {
			crowded = t.reg.park(t)
		}
	})
	t.end()
	for _, other := range crowded {
		other.abandon()
	}
	if t.ctx.Err() != nil {
		t.dismiss() // Cancel came before it waited
	}
	return err
}

// setStatus publishes a status and runs also, nil for nothing, in the same
// moment. The caller has the turn.
func (t *Task) setStatus(state a2a.TaskState, m *a2a.Message, meta a2a.Metadata, also func()) error {
	u := &a2a.StatusUpdate{
		TaskID: t.id, ContextID: t.contextID, Metadata: meta,
		Status: a2a.Status{State: state, Message: t.statusMessage(m), Timestamp: now()},
	}
	t.room(statusCost(u), nil)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.finished {
		return ErrFinished
	}
	t.status = u.Status
	t.seq = t.reg.seq.Add(1)
	t.finished = state.Terminal()
	t.version++
	if also != nil {
		also()
	}
	t.log.append(&a2a.Event{Status: u}, statusCost(u))
	if t.finished {
		t.log.close()
	}
	t.tell()
	return nil
}

// Artifact adds to the task's artifacts: u.Append with the ID of one goes on
// with it, else it is new, or replaced. An empty ID means a new one. Large
// updates become several events. The parts' bytes belong to the task from now
// on.
//
// It waits at most Options.Stall for a subscriber that is a window behind.
// Errors: ErrFinished; the cause of ctx's end, when it came before all was
// published.
func (t *Task) Artifact(ctx context.Context, u a2a.ArtifactUpdate) error {
	if !t.begin(ctx.Done()) {
		return context.Cause(ctx)
	}
	defer t.end()
	if u.Artifact.ID == "" {
		u.Artifact.ID = a2a.NewID()
	}
	u.TaskID, u.ContextID = t.id, t.contextID
	frames := split(u.Artifact.Parts)
	for i, f := range frames {
		piece := u
		piece.Artifact.Parts = f.parts
		if i > 0 {
			piece.Artifact = a2a.Artifact{ID: u.Artifact.ID, Parts: f.parts}
			piece.Append, piece.Metadata = true, nil
		}
		piece.LastChunk = u.LastChunk && i == len(frames)-1
		if !t.room(int64(f.cost+overhead), ctx.Done()) {
			return context.Cause(ctx)
		}
		if err := t.publish(&piece, f.cont || i == 0 && u.Append, int64(f.cost+overhead)); err != nil {
			return err
		}
	}
	return nil
}

// publish stores one frame and tells it.
func (t *Task) publish(u *a2a.ArtifactUpdate, cont bool, size int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.finished {
		return ErrFinished
	}
	if !t.artifacts.has(u.Artifact.ID) && t.artifacts.dropped == 0 {
		u.Append = false // there is nothing to append to
	}
	t.artifacts.apply(u, cont)
	t.version++
	t.log.append(&a2a.Event{Artifact: u}, size)
	return nil
}

// AddMessage adds an answer of the agent's, or any other message that is not
// the start of a turn, to the history. Missing ids are filled in. The error is
// ErrFinished.
func (t *Task) AddMessage(m a2a.Message) error {
	t.begin(nil)
	defer t.end()
	t.fill(&m, a2a.RoleAgent)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.finished {
		return ErrFinished
	}
	t.history.add(m)
	t.version++
	return nil
}

// SetMetadata sets a member of the task's metadata; value is JSON and must not
// be changed any more. A finished task ignores it.
func (t *Task) SetMetadata(key string, value json.RawMessage) {
	t.begin(nil)
	defer t.end()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.finished {
		return
	}
	t.metadata = with(t.metadata, key, value)
	t.version++
}

// Finish ends the task in a terminal state. The first one wins; later ones,
// and all later writes, return ErrFinished. Any other state is an error of the
// caller's, and becomes failed.
func (t *Task) Finish(state a2a.TaskState, m *a2a.Message, meta a2a.Metadata) error {
	return t.finish(state, m, meta, nil)
}

// FinishMessage completes the task with a bare message as its answer: Reply
// returns it, the history ends with it, and streams, which have begun with the
// task, carry it in the final status.
func (t *Task) FinishMessage(m *a2a.Message) error {
	c := *m
	t.fill(&c, a2a.RoleAgent)
	return t.finish(a2a.StateCompleted, &c, nil, &c)
}

func (t *Task) finish(state a2a.TaskState, m *a2a.Message, meta a2a.Metadata, reply *a2a.Message) error {
	if !state.Terminal() {
		state = a2a.StateFailed
	}
	t.begin(nil)
	defer t.end()
	if t.State().Terminal() {
		return ErrFinished
	}
	sealed := t.artifacts.seal() // only who has the turn changes them
	forgotten, size := 0, int64(0)
	err := t.setStatus(state, m, meta, func() {
		if reply != nil {
			t.reply = reply
			t.history.add(*reply)
		}
		t.artifacts.list, t.artifacts.byID = sealed, nil
		t.closeQuestion()
		size = t.bytes()
		forgotten = t.reg.finished(t, size)
	})
	if err != nil {
		return err
	}
	t.cancel(ErrFinished)
	t.reg.opts.Observer.TaskFinished(t, Finished{State: state, Duration: time.Since(t.created), Bytes: size})
	if forgotten > 0 {
		t.reg.opts.Log.Debug("finished tasks forgotten", "tasks", forgotten)
	}
	return nil
}

// bytes is what a finished task costs. mu is held.
func (t *Task) bytes() int64 {
	n := taskOverhead + t.artifacts.kept + t.history.bytes + metadataCost(t.metadata)
	if t.status.Message != nil {
		n += messageCost(t.status.Message)
	}
	return n
}
