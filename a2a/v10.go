package a2a

// shape10 is 1.0: members instead of kinds, the specification's enum names.
var shape10 = &shape{
	content: "parts",
	refers:  true,
	state:   state10,
	role:    role10,
	part:    appendPart10,
}

func (codec10) encodeTask(t *Task) []byte       { return shape10.task(nil, t) }
func (codec10) encodeList(l *TaskList) []byte   { return shape10.taskList(nil, l) }
func (codec10) encodeSend(r *SendResult) []byte { return shape10.event(nil, sendEvent(r), false) }
func (codec10) encodeEvent(e *Event, last bool) []byte {
	return shape10.frame(e, form10, last)
}

func state10(s TaskState) string {
	if s == "" {
		return string(StateUnspecified)
	}
	return string(s)
}

func role10(r Role) string {
	if r == RoleAgent {
		return string(RoleAgent)
	}
	return string(RoleUser)
}

func appendPart10(b []byte, p *Part) []byte {
	o := openObject(b)
	switch p.Kind {
	case PartRaw:
		o.key("raw")
		o.b = appendBase64(o.b, p.Raw)
	case PartURL:
		o.str("url", p.URL)
	case PartData:
		o.key("data")
		o.b = appendRaw(o.b, p.Data)
	default:
		o.str("text", p.Text)
	}
	o.optStr("mediaType", p.MediaType)
	o.optStr("filename", p.Filename)
	o.optMetadata(p.Metadata)
	return o.close()
}
