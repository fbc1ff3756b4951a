package a2a

import (
	"bytes"
	"encoding/json"
	"maps"
)

// shape03 is 0.3 over JSON-RPC: kinds, lower-case states and roles.
var shape03 = &shape{
	kinds:   true,
	finals:  true,
	content: "parts",
	refers:  true,
	state:   state03,
	role:    role03,
	part:    appendPart03,
}

func (c codec03) encodeTask(t *Task) []byte     { return shape03.on(c.bridge).task(nil, t) }
func (c codec03) encodeList(l *TaskList) []byte { return shape03.on(c.bridge).taskList(nil, l) }
func (c codec03) encodeSend(r *SendResult) []byte {
	return shape03.on(c.bridge).event(nil, sendEvent(r), false)
}
func (c codec03) encodeEvent(e *Event, last bool) []byte {
	return shape03.on(c.bridge).frame(e, form03, last)
}

// on returns the shape with a bridge version for its tasks.
func (s *shape) on(bridge string) *shape {
	if bridge == "" {
		return s
	}
	with := *s
	with.bridge = bridge
	return &with
}

func state03(s TaskState) string {
	switch s {
	case StateSubmitted:
		return "submitted"
	case StateWorking:
		return "working"
	case StateCompleted:
		return "completed"
	case StateFailed:
		return "failed"
	case StateCanceled:
		return "canceled"
	case StateInputRequired:
		return "input-required"
	case StateRejected:
		return "rejected"
	case StateAuthRequired:
		return "auth-required"
	}
	return "unknown"
}

func role03(r Role) string {
	if r == RoleAgent {
		return "agent"
	}
	return "user"
}

// appendPart03 drops the media type and file name of text and data: 0.3 has no
// place for them.
func appendPart03(b []byte, p *Part) []byte {
	o := openObject(b)
	metadata := p.Metadata
	switch p.Kind {
	case PartRaw, PartURL:
		o.str("kind", kind03(p.Kind))
		o.key("file")
		o.b = appendFile(o.b, p, "bytes", "uri")
	case PartData:
		o.str("kind", "data")
		o.key("data")
		o.b, metadata = appendData03(o.b, p)
	default:
		o.str("kind", "text")
		o.str("text", p.Text)
	}
	o.optMetadata(metadata)
	return o.close()
}

// appendFile appends the file member of 0.3, whose keys for the content differ
// between the bindings.
func appendFile(b []byte, p *Part, bytesKey, uriKey string) []byte {
	o := openObject(b)
	if p.Kind == PartRaw {
		o.key(bytesKey)
		o.b = appendBase64(o.b, p.Raw)
	} else {
		o.str(uriKey, p.URL)
	}
	o.optStr("mimeType", p.MediaType)
	o.optStr("name", p.Filename)
	return o.close()
}

// wrappedData marks a data part of 0.3 whose value was no object: the official
// clients read only objects, and wrap and unwrap other values this way.
const wrappedData = "data_part_compat"

// appendData03 appends the value of a data part and returns the part's metadata.
func appendData03(b []byte, p *Part) ([]byte, Metadata) {
	if trimmed := bytes.TrimLeft(p.Data, jsonSpace); len(trimmed) > 0 && trimmed[0] == '{' && fitJSON(trimmed) {
		return appendRaw(b, p.Data), p.Metadata
	}
	o := openObject(b)
	o.key("value")
	o.b = appendRaw(o.b, p.Data)
	metadata := maps.Clone(p.Metadata)
	if metadata == nil {
		metadata = Metadata{}
	}
	metadata[wrappedData] = json.RawMessage("true")
	return o.close(), metadata
}
