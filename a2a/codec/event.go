package codec

import "github.com/a2a-sidecar/sidecar/a2a"

// The forms of an event. In 0.3 the last event of a stream has a form of its own.
const (
	form10 = iota
	form03
	form03Last
	form03REST
	form03RESTLast
)

// EncodeEvent returns the JSON of an event's StreamResponse (1.0) or result (0.3), as on
// the stream of a send, on one line. The slice is shared and must not be changed.
func EncodeEvent(e *a2a.Event, v a2a.Version) []byte {
	if v == a2a.V03 {
		return codec03{}.EncodeEvent(e, e.Ends(true))
	}
	return codec10{}.EncodeEvent(e, false)
}

// EncodeTask returns a task's JSON as in the answer to GetTask, on one line.
func EncodeTask(t *a2a.Task, v a2a.Version) []byte {
	if v == a2a.V03 {
		return codec03{}.EncodeTask(t)
	}
	return codec10{}.EncodeTask(t)
}

// frame returns the event in a form, or in the next form if it is the last event of a
// stream. A form is always written by the same shape, apart from its bridge version: so the
// encoding of a task with a bridge version is not kept. A stream has only one such task.
func (s *shape) frame(e *a2a.Event, form int, last bool) []byte {
	last = last && s.finals
	if e.Task != nil && s.bridge != "" {
		return s.event(nil, e, last)
	}
	if last {
		form++
	}
	return e.Encoded(form, func() []byte { return s.event(newFrame(e), e, last) })
}
