package a2a

import (
	"context"
	"sync"
)

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

	forms [encodings]encoding
}

// encodings is how many ways of writing an Event there are: one for each dialect
// and binding, and one more where the last event of a stream differs.
const encodings = 5

type encoding struct {
	once sync.Once
	json []byte
}

// Encoded returns what encode returned when it was first called for a form, a small
// number that stands for one way of writing an event: an event is written once in
// each, however many goroutines ask for it. The slice is shared: it must not be
// changed.
func (e *Event) Encoded(form int, encode func() []byte) []byte {
	f := &e.forms[form]
	f.once.Do(func() { f.json = encode() })
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

// Ends reports whether nothing follows e on its stream. With pauses the stream ends
// where its task waits for the client, too. Auth-required never ends one (§7.6.1).
func (e *Event) Ends(pauses bool) bool {
	if e.Message != nil {
		return true
	}
	s := e.State()
	return s.Terminal() || pauses && s == StateInputRequired
}

// Stream is one subscriber's view of a task's events. It is used by one
// goroutine.
type Stream interface {
	// Next waits for events and returns all that were missed, in order, up to
	// about 128 KiB of frames. io.EOF ends a stream that was told everything;
	// ErrStalled one that was cut off because it read too slowly.
	Next(ctx context.Context) ([]*Event, error)
	// Close releases the subscription. It may be called more than once.
	Close()
}
