package call

import (
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// ExtensionURI names the tool-call extension: on the card, in the extensions
// of messages and artifacts, and as the metadata key of the toolCall object.
const ExtensionURI = driver.ToolCallURI

// callStatus is the word in the toolCall object.
type callStatus string

const (
	statusPending   callStatus = "PENDING"
	statusExecuting callStatus = "EXECUTING"
	statusSucceeded callStatus = "SUCCEEDED"
	statusFailed    callStatus = "FAILED"
	statusCancelled callStatus = "CANCELLED"
)

// liveLimit bounds one update's live content, in bytes: JSON may make six bytes
// of one, and an event has at most 64 KiB.
const liveLimit = 8 << 10

// observable returns what updates show of the arguments, without secrets.
func (i *Invocation) observable() string {
	clean, found := i.secrets.Text(i.args)
	if found && !json.Valid([]byte(clean)) {
		return `{"redacted":true}`
	}
	return driver.Observable(clean)
}

// toolCall returns the metadata of one update: live is what the tool has said since
// the last one.
func (i *Invocation) toolCall(s callStatus, live []byte) a2a.Metadata {
	input := i.shown
	b := make([]byte, 0, 192+len(input)+len(i.card.members)+len(live))
	b = append(append(b, `{"tool_call_id":`...), quote(i.id)...)
	b = append(append(append(b, `,"status":"`...), s...), `","tool_name":`...)
	b = append(append(b, quote(i.name())...), `,"input_parameters":`...)
	b = append(b, input...)
	b = append(b, i.card.members...)
	if len(live) > 0 {
		b = append(append(b, `,"live_content":`...), quote(string(live))...)
	}
	return a2a.Metadata{ExtensionURI: append(b, '}')}
}

// state returns the task's state while the call goes on: an open question stays open,
// whatever is reported meanwhile.
func (i *Invocation) state() a2a.TaskState {
	if s := i.task.State(); s.Interrupted() {
		return s
	}
	return a2a.StateWorking
}

// report tells the task's readers where the call is. It does nothing to a task that
// has ended meanwhile: settle notices that.
func (i *Invocation) report(s callStatus) {
	state := a2a.StateWorking
	if s == statusPending {
		state = i.task.State()
	}
	meta := i.toolCall(s, nil)
	if s == statusExecuting {
		meta[ExtensionURI] = more(meta[ExtensionURI], i.card.begins)
	}
	_ = i.task.Status(state, nil, meta)
}

// final returns the metadata of the last update: with the changes that the call has made.
func (i *Invocation) final(r *result) a2a.Metadata {
	meta := i.toolCall(r.outcome.status(), nil)
	if len(r.changes) > 0 {
		meta[ExtensionURI] = more(meta[ExtensionURI], once{Content: i.changed(r.changes)})
	}
	return meta.With(r.metadata)
}

// reportApproval tells the task's readers that the call waits for an approval, which another task
// may ask for.
func (i *Invocation) reportApproval(id string) {
	meta := i.toolCall(statusPending, nil)
	object := meta[ExtensionURI]
	object = append(append(object[:len(object)-1:len(object)-1], `,"approval_id":`...), quote(id)...)
	meta[ExtensionURI] = append(object, '}')
	_ = i.task.Status(i.task.State(), nil, meta)
}

// stream reports what the tool said, in updates of a bounded size.
func (i *Invocation) stream(said []byte) {
	for len(said) > 0 {
		chunk := text.Cut(said, liveLimit)
		_ = i.task.Status(i.state(), nil, i.toolCall(statusExecuting, chunk))
		said = said[len(chunk):]
	}
}
