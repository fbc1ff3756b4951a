package a2a

import "sync"

// Event is one item of a task's stream: exactly one member is set. It is
// immutable once published, and its encoding is made once per dialect however
// many subscribers read it.
type Event struct {
	// ID is the event's place in its task's stream: 1, 2, 3, …; 0 where there
	// is no place to come back to. That of a Task is the place of the last event
	// that it holds. It is the id of server-sent events (WHATWG HTML §9.2.6).
	ID uint64

	Task     *Task
	Message  *Message
	Status   *StatusUpdate
	Artifact *ArtifactUpdate

	frames [frameKinds]frame
}

// frame is an event's encoding in one dialect.
type frame struct {
	once sync.Once
	json []byte
}

// The frames of an event. The last event of a stream differs where a dialect
// tells it from the others.
const (
	frame10 = iota
	frame03
	frame03Last
	frame03REST
	frame03RESTLast
	frameKinds
)

// Encode returns the JSON of the event's StreamResponse (1.0) or result (0.3),
// as the stream of a send has it: one line. The slice is shared: it must not be
// changed.
func (e *Event) Encode(v Version) []byte {
	if v == V03 {
		return codec03{}.encodeEvent(e, endsStream(e, true))
	}
	return codec10{}.encodeEvent(e, false)
}

// Encode returns the task's JSON as GetTask answers it: one line.
func (t *Task) Encode(v Version) []byte {
	if v == V03 {
		return codec03{}.encodeTask(t)
	}
	return codec10{}.encodeTask(t)
}

// encoded returns the frame i, or the one after it for the last event of a
// stream. A frame is always made by the same shape but for its bridge version:
// tasks that carry one are not kept. There is one of them in a stream.
func (e *Event) encoded(i int, s *shape, last bool) []byte {
	last = last && s.finals
	if e.Task != nil && s.bridge != "" {
		return s.event(nil, e, last)
	}
	if last {
		i++
	}
	f := &e.frames[i]
	f.once.Do(func() { f.json = s.event(newFrame(e), e, last) })
	return f.json
}

// State returns the task's state as this event tells it, "" when it does not.
func (e *Event) State() TaskState {
	switch {
	case e.Task != nil:
		return e.Task.Status.State
	case e.Status != nil:
		return e.Status.Status.State
	}
	return ""
}
