package a2a

import (
	"context"
	"sync"
)

// Event is one item of a task's stream. Exactly one of Task, Message, Status and Artifact
// is set. An Event is immutable once published, and is encoded once per dialect however
// many subscribers read it.
type Event struct {
	// ID is the event's position in its task's stream: 1, 2, 3, …; 0 means that there is no
	// position to resume from. The ID of a Task is the position of the last event that it
	// includes. It is sent as the id of server-sent events (WHATWG HTML §9.2.6).
	ID uint64

	Task     *Task
	Message  *Message
	Status   *StatusUpdate
	Artifact *ArtifactUpdate

	forms [encodings]encoding
}

// encodings is the number of encoded forms of an Event: one for each dialect and binding,
// and one more where the last event of a stream differs.
const encodings = 5

type encoding struct {
	once sync.Once
	json []byte
}

// Encoded returns the event in a form, a small number that stands for one way of encoding
// it. It calls encode the first time and then returns the same bytes, however many
// goroutines ask for them. The slice is shared and must not be changed.
func (e *Event) Encoded(form int, encode func() []byte) []byte {
	f := &e.forms[form]
	f.once.Do(func() { f.json = encode() })
	return f.json
}

// State returns the task's state in this event, "" if the event has none.
func (e *Event) State() TaskState {
	switch {
	case e.Task != nil:
		return e.Task.Status.State
	case e.Status != nil:
		return e.Status.Status.State
	}
	return ""
}

// Ends reports whether e is the last event of its stream. If pauses is set, the stream also
// ends when its task waits for input from the client. Auth-required never ends a stream
// (§7.6.1).
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
	// Next waits for events and returns all pending ones in order, up to about 128 KiB of
	// frames. It returns io.EOF after the last event, and ErrStalled if the subscriber was
	// cut off because it read too slowly.
	Next(ctx context.Context) ([]*Event, error)
	// Close releases the subscription. It may be called more than once.
	Close()
}
