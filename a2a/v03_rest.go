package a2a

// shape03REST is 0.3 over REST, which is proto-JSON of that version's messages:
// 1.0's enum names and members, but content instead of parts and files and data
// one level down, and messages that refer to no other tasks.
var shape03REST = &shape{
	finals:  true,
	content: "content",
	state:   state03REST,
	role:    role10,
	part:    appendPart03REST,
}

func (codec03REST) encodeTask(t *Task) []byte     { return shape03REST.task(nil, t) }
func (codec03REST) encodeList(l *TaskList) []byte { return shape03REST.taskList(nil, l) }
func (codec03REST) encodeSend(r *SendResult) []byte {
	return shape03REST.event(nil, sendEvent(r), false)
}
func (codec03REST) encodeEvent(e *Event, last bool) []byte {
	return shape03REST.frame(e, form03REST, last)
}

// state03REST differs from 1.0 in one letter.
func state03REST(s TaskState) string {
	if s == StateCanceled {
		return "TASK_STATE_CANCELLED"
	}
	return state10(s)
}

func appendPart03REST(b []byte, p *Part) []byte {
	o := openObject(b)
	metadata := p.Metadata
	switch p.Kind {
	case PartRaw, PartURL:
		o.key("file")
		o.b = appendFile(o.b, p, "fileWithBytes", "fileWithUri")
	case PartData:
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
