package task

import (
	"context"
	"encoding/json"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// begin takes the turn at writing. It returns false, without the turn, if done is
// closed first. A nil done is never closed.
func (t *Task) begin(done <-chan struct{}) bool {
	select {
	case t.writer <- struct{}{}:
		return true
	case <-done:
		return false
	}
}

func (t *Task) end() { <-t.writer }

// room waits until every subscriber has room for size more bytes of events. A
// subscriber that takes nothing for the stall limit meanwhile is cut off. room
// returns false if done is closed first. The caller has the turn.
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

// cutStalled drops the subscribers that the writer waits for and that have taken
// nothing for the stall limit. It returns how long to wait before it looks at the
// others again.
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

// Status publishes a state, with an optional message and optional metadata of the
// event. If the state is an interrupted one, and no question is open, the task waits for Continue: nobody
// runs it meanwhile, and park.go bounds how many such tasks there are. The message
// is for people; its text is clipped to 32 KiB, and it is not part of the history. A
// terminal state is a Finish. Status may wait for slow subscribers as Artifact does.
// The error is ErrFinished.
func (t *Task) Status(state a2a.TaskState, m *a2a.Message, meta a2a.Metadata) error {
	if state.Terminal() {
		return t.Finish(state, m, meta)
	}
	var crowded []*Task
	t.begin(nil)
	err := t.setStatus(transition{state: state, message: m, meta: meta, also: func() {
		if state.Interrupted() && t.question == nil {
			crowded = t.reg.park(t)
		}
	}})
	t.end()
	for _, other := range crowded {
		other.abandon()
	}
	if t.ctx.Err() != nil {
		t.dismiss() // Cancel came before the task waited
	}
	return err
}

// Report publishes metadata in an event that leaves the task's status as it is: a task that works goes
// on working, without a message, and an open question stays open. It may wait for slow
// subscribers as Artifact does. The error is ErrFinished.
func (t *Task) Report(meta a2a.Metadata) error {
	t.begin(nil)
	defer t.end()
	t.mu.Lock()
	now := t.status // only the goroutine that has the turn changes it
	t.mu.Unlock()
	if !now.State.Interrupted() {
		now.Message = nil
	}
	return t.setStatus(transition{state: now.State, message: now.Message, meta: meta})
}

// transition is a change of status and what happens at the same moment.
type transition struct {
	state   a2a.TaskState
	message *a2a.Message // the reason, for people
	meta    a2a.Metadata // the metadata of the event
	said    *a2a.Message // is added to the history
	next    bool         // said begins the next turn
	reply   bool         // said is the answer of the task
	also    func()       // called with mu held; nil for nothing
}

// setStatus publishes a transition. It does not wait for the disk; a reader of the
// status does. The caller has the turn.
func (t *Task) setStatus(x transition) error {
	u := &a2a.StatusUpdate{
		TaskID: t.id, ContextID: t.contextID, Metadata: x.meta,
		Status: a2a.Status{State: x.state, Message: t.statusMessage(x.message), Timestamp: now()},
	}
	size := statusCost(u)
	t.room(size, nil)
	if t.finished { // only the goroutine that has the turn changes it
		return ErrFinished
	}
	e := &a2a.Event{ID: t.last + 1, Status: u}
	seq := t.reg.seq.Add(1)
	c := t.keepStatus(x, e, seq, size)
	t.mu.Lock()
	t.status, t.seq = u.Status, seq
	t.finished = x.state.Terminal()
	if x.said != nil {
		t.history.add(*x.said)
	}
	if x.next {
		t.message = x.said
		t.turn++
	}
	if x.reply {
		t.reply = x.said
	}
	t.changed(c)
	if x.also != nil {
		x.also()
	}
	t.publish(e, size, c)
	if t.finished {
		t.log.close()
	}
	t.tell()
	t.mu.Unlock()
	t.reg.trim(t)
	return nil
}

// keepStatus appends a transition to the store.
func (t *Task) keepStatus(x transition, e *a2a.Event, seq uint64, size int64) Commit {
	if t.reg.opts.Store == nil {
		return nil
	}
	h := t.head()
	h.Status, h.Seq, h.LastEvent = e.Status.Status, seq, e.ID
	c := &Change{Head: h, Event: &Stored{Event: e}}
	if x.said != nil {
		c.Messages = []*a2a.Message{x.said}
		size += messageCost(x.said)
	}
	if x.next {
		h.Turn++
	}
	if x.reply {
		h.Reply = x.said
	}
	return t.keep(c, size)
}

// changed records a change that must be durable before anybody sees it. mu is held.
func (t *Task) changed(c Commit) {
	t.version++
	if c != nil {
		t.seen, t.newest = c, c
	}
}

// publish adds an event to the log. seen is the commit that must be durable before
// the event is seen, or nil. mu is held.
func (t *Task) publish(e *a2a.Event, size int64, seen Commit) {
	t.last = e.ID
	t.log.append(e, size, seen)
}

// Artifact adds to the task's artifacts. If u.Append is set and the task has an
// artifact with this ID, Artifact extends that one; otherwise it adds a new artifact
// or replaces the old one. An empty ID means a new artifact. A large update becomes
// several events. The parts' bytes belong to the task from now on.
//
// Artifact waits at most Options.Stall for a subscriber that is a window behind. The
// errors are ErrFinished, and the cause of ctx's end if ctx ended before everything
// was published.
func (t *Task) Artifact(ctx context.Context, u a2a.ArtifactUpdate) error {
	if !t.begin(ctx.Done()) {
		return context.Cause(ctx)
	}
	defer t.end()
	if u.Artifact.ID == "" {
		u.Artifact.ID = a2a.NewID()
	}
	u.Artifact.Name, u.Artifact.Description = text.Line(u.Artifact.Name, 0), text.Strip(u.Artifact.Description)
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
		if err := t.addFrame(&piece, f.cont || i == 0 && u.Append, int64(f.cost+overhead)); err != nil {
			return err
		}
	}
	return nil
}

// addFrame stores one frame and publishes it. The frame is seen at once. It becomes
// durable soon, and before any later change.
func (t *Task) addFrame(u *a2a.ArtifactUpdate, cont bool, size int64) error {
	// Only the goroutine that has the turn changes these.
	if t.finished {
		return ErrFinished
	}
	if !t.artifacts.has(u.Artifact.ID) && t.artifacts.dropped == 0 {
		u.Append = false // there is nothing to append to
	}
	e := &a2a.Event{ID: t.last + 1, Artifact: u}
	var c Commit
	if t.reg.opts.Store != nil {
		c = t.keep(&Change{Event: &Stored{Event: e, Cont: cont}}, size)
	}
	t.mu.Lock()
	t.artifacts.apply(u, cont)
	t.version++
	if c != nil {
		t.newest = c
	}
	t.publish(e, size, nil)
	t.mu.Unlock()
	t.reg.trim(t)
	return nil
}

// AddMessage adds a message that does not begin a turn, such as an answer of the
// agent, to the history. Missing ids are filled in. The error is ErrFinished.
func (t *Task) AddMessage(m a2a.Message) error {
	t.begin(nil)
	defer t.end()
	t.fill(&m, a2a.RoleAgent)
	if t.finished { // only the goroutine that has the turn changes it
		return ErrFinished
	}
	var c Commit
	if t.reg.opts.Store != nil {
		c = t.keep(&Change{Messages: []*a2a.Message{&m}}, messageCost(&m))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.history.add(m)
	t.changed(c)
	return nil
}

// SetMetadata sets a member of the task's metadata. value is JSON and must not be
// changed any more. On a finished task SetMetadata does nothing.
func (t *Task) SetMetadata(key string, value json.RawMessage) {
	t.begin(nil)
	defer t.end()
	if t.finished { // only the goroutine that has the turn changes it
		return
	}
	c, meta := Commit(nil), with(t.metadata, key, value)
	if t.reg.opts.Store != nil {
		h := t.head()
		h.Metadata = meta
		c = t.keep(&Change{Head: h}, memberOverhead)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.metadata = meta
	t.changed(c)
}

// Finish ends the task in a terminal state. The first Finish wins; later ones, and
// all later writes, return ErrFinished. If state is not terminal, that is an error
// of the caller, and the task becomes failed.
func (t *Task) Finish(state a2a.TaskState, m *a2a.Message, meta a2a.Metadata) error {
	return t.finish(state, m, meta, nil)
}

// FinishMessage completes the task with a bare message as its answer. Reply returns
// that message, and the history ends with it. Streams have already begun with the
// task, so they carry the message in the final status.
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
	sealed := t.artifacts.seal() // only the goroutine that has the turn changes them
	var gone departed
	err := t.setStatus(transition{state: state, message: m, meta: meta, said: reply, reply: reply != nil, also: func() {
		t.artifacts.list, t.artifacts.byID = sealed, nil
		t.closeQuestion()
		gone = t.reg.finished(t, t.bytes())
	}})
	if err != nil {
		return err
	}
	t.cancel(ErrFinished)
	t.reg.opts.Observer.TaskFinished(t, Finished{State: state, Duration: time.Since(t.created), Bytes: answered(sealed, m), Message: m, Metadata: meta})
	t.reg.depart(gone)
	return nil
}

// bytes is how many bytes of memory a finished task costs. mu is held.
func (t *Task) bytes() int64 {
	n := taskOverhead + t.artifacts.kept + t.history.bytes + metadataCost(t.metadata)
	if t.status.Message != nil {
		n += messageCost(t.status.Message)
	}
	return n
}
