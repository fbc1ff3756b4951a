package call

import (
	"strconv"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// encode returns the envelope: one line of JSON with its keys in a fixed order. An
// error carries data too if the tool had said something.
func (r *result) encode(inv *Invocation, took time.Duration) []byte {
	b := make([]byte, 0, 256+len(r.data)+len(r.text))
	if r.outcome.OK() {
		b = append(append(b, `{"type":"output","data":`...), orNull(r.data)...)
	} else {
		b = append(append(b, `{"type":"error","error_text":`...), quote(r.text)...)
		if r.data != nil {
			b = append(append(b, `,"data":`...), r.data...)
		}
	}
	b = append(append(b, `,"metadata":{"call_id":`...), quote(inv.id)...)
	b = append(append(b, `,"tool":`...), quote(inv.name())...)
	b = strconv.AppendInt(append(b, `,"duration_ms":`...), took.Milliseconds(), 10)
	b = append(append(append(b, `,"outcome":"`...), r.outcome.Case...), '"')
	if r.outcome.Reason != "" {
		b = append(append(append(b, `,"reason":"`...), r.outcome.Reason...), '"')
	}
	if r.truncated {
		b = append(b, `,"truncated":true`...)
	}
	if r.redacted {
		b = append(b, `,"redacted":true`...)
	}
	if r.path != "" {
		b = append(append(b, `,"output_path":`...), quote(r.path)...)
	}
	if r.url != "" {
		b = append(append(b, `,"output_url":`...), quote(r.url)...)
	}
	return append(b, "}}"...)
}

func orNull(data []byte) []byte {
	if data == nil {
		return []byte("null")
	}
	return data
}

// encodeWaiting returns the body of a 202: no envelope yet, but the same metadata.
func (i *Invocation) encodeWaiting(state a2a.TaskState) []byte {
	b := append([]byte(`{"type":"waiting","task_id":`), quote(i.task.ID())...)
	b = append(append(b, `,"state":`...), quote(string(state))...)
	b = append(append(b, `,"metadata":{"call_id":`...), quote(i.id)...)
	b = append(append(b, `,"tool":`...), quote(i.name())...)
	return append(b, "}}"...)
}
