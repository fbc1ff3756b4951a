package codec

import "github.com/a2a-sidecar/sidecar/a2a"

// shape03REST writes 0.3 for REST, which is proto-JSON of that version's messages. It has
// 1.0's enum names and members, but content instead of parts, and files and data one level
// down. Its messages do not refer to other tasks.
var shape03REST = &shape{
	finals:  true,
	content: "content",
	state:   state03REST,
	role:    role10,
	part:    appendPart03REST,
}

func (codec03REST) EncodeTask(t *a2a.Task) []byte     { return shape03REST.task(nil, t) }
func (codec03REST) EncodeList(l *a2a.TaskList) []byte { return shape03REST.taskList(nil, l) }
func (codec03REST) EncodeSend(r *a2a.SendResult) []byte {
	return shape03REST.event(nil, sendEvent(r), false)
}
func (codec03REST) EncodeEvent(e *a2a.Event, last bool) []byte {
	return shape03REST.frame(e, form03REST, last)
}

// state03REST differs from 1.0 in one letter.
func state03REST(s a2a.TaskState) string {
	if s == a2a.StateCanceled {
		return "TASK_STATE_CANCELLED"
	}
	return state10(s)
}

func appendPart03REST(b []byte, p *a2a.Part) []byte {
	o := openObject(b)
	metadata := p.Metadata
	switch p.Kind {
	case a2a.PartRaw, a2a.PartURL:
		o.key("file")
		o.b = appendFile(o.b, p, "fileWithBytes", "fileWithUri")
	case a2a.PartData:
		o.key("data")
		data := openObject(o.b)
		data.key("data")
		data.b, metadata = appendData03(data.b, p)
		o.b = data.close()
	default:
		o.str("text", p.Text)
	}
	o.optMetadata(metadata)
	return o.close()
}
