package codec

import "github.com/a2a-sidecar/sidecar/a2a"

// shape10 writes 1.0, with members instead of kinds and with the specification's enum
// names.
var shape10 = &shape{
	content: "parts",
	refers:  true,
	state:   state10,
	role:    role10,
	part:    appendPart10,
}

func (codec10) EncodeTask(t *a2a.Task) []byte       { return shape10.task(nil, t) }
func (codec10) EncodeList(l *a2a.TaskList) []byte   { return shape10.taskList(nil, l) }
func (codec10) EncodeSend(r *a2a.SendResult) []byte { return shape10.event(nil, sendEvent(r), false) }
func (codec10) EncodeEvent(e *a2a.Event, last bool) []byte {
	return shape10.frame(e, form10, last)
}

func state10(s a2a.TaskState) string {
	if s == "" {
		return string(a2a.StateUnspecified)
	}
	return string(s)
}

func role10(r a2a.Role) string {
	if r == a2a.RoleAgent {
		return string(a2a.RoleAgent)
	}
	return string(a2a.RoleUser)
}

func appendPart10(b []byte, p *a2a.Part) []byte {
	o := openObject(b)
	switch p.Kind {
	case a2a.PartRaw:
		o.key("raw")
		o.b = appendBase64(o.b, p.Raw)
	case a2a.PartURL:
		o.str("url", p.URL)
	case a2a.PartData:
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
