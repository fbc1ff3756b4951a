package codec

import (
	"bytes"
	"encoding/json"
	"maps"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// shape03 writes 0.3 for JSON-RPC, with kinds and with states and roles in lower case.
var shape03 = &shape{
	kinds:   true,
	finals:  true,
	content: "parts",
	refers:  true,
	state:   state03,
	role:    role03,
	part:    appendPart03,
}

func (c codec03) EncodeTask(t *a2a.Task) []byte { return shape03.withBridge(c.bridge).task(nil, t) }
func (c codec03) EncodeList(l *a2a.TaskList) []byte {
	return shape03.withBridge(c.bridge).taskList(nil, l)
}
func (c codec03) EncodeSend(r *a2a.SendResult) []byte {
	return shape03.withBridge(c.bridge).event(nil, sendEvent(r), false)
}
func (c codec03) EncodeEvent(e *a2a.Event, last bool) []byte {
	return shape03.withBridge(c.bridge).frame(e, form03, last)
}

// withBridge returns the shape with a bridge version for its tasks.
func (s *shape) withBridge(bridge string) *shape {
	if bridge == "" {
		return s
	}
	with := *s
	with.bridge = bridge
	return &with
}

func state03(s a2a.TaskState) string {
	switch s {
	case a2a.StateSubmitted:
		return "submitted"
	case a2a.StateWorking:
		return "working"
	case a2a.StateCompleted:
		return "completed"
	case a2a.StateFailed:
		return "failed"
	case a2a.StateCanceled:
		return "canceled"
	case a2a.StateInputRequired:
		return "input-required"
	case a2a.StateRejected:
		return "rejected"
	case a2a.StateAuthRequired:
		return "auth-required"
	}
	return "unknown"
}

func role03(r a2a.Role) string {
	if r == a2a.RoleAgent {
		return "agent"
	}
	return "user"
}

// appendPart03 drops the media type and file name of text and data: 0.3 has no
// place for them.
func appendPart03(b []byte, p *a2a.Part) []byte {
	o := openObject(b)
	metadata := p.Metadata
	switch p.Kind {
	case a2a.PartRaw, a2a.PartURL:
		o.str("kind", kind03(p.Kind))
		o.key("file")
		o.b = appendFile(o.b, p, "bytes", "uri")
	case a2a.PartData:
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
func appendFile(b []byte, p *a2a.Part, bytesKey, uriKey string) []byte {
	o := openObject(b)
	if p.Kind == a2a.PartRaw {
		o.key(bytesKey)
		o.b = appendBase64(o.b, p.Raw)
	} else {
		o.str(uriKey, p.URL)
	}
	o.optStr("mimeType", p.MediaType)
	o.optStr("name", p.Filename)
	return o.close()
}

// wrappedData is the metadata key that marks a data part of 0.3 whose value was not an
// object: the official clients read only objects, and wrap and unwrap other values this
// way.
const wrappedData = "data_part_compat"

// appendData03 appends the value of a data part and returns the part's metadata.
func appendData03(b []byte, p *a2a.Part) ([]byte, a2a.Metadata) {
	if trimmed := bytes.TrimLeft(p.Data, jsonSpace); len(trimmed) > 0 && trimmed[0] == '{' && fitJSON(trimmed) {
		return appendRaw(b, p.Data), p.Metadata
	}
	o := openObject(b)
	o.key("value")
	o.b = appendRaw(o.b, p.Data)
	metadata := maps.Clone(p.Metadata)
	if metadata == nil {
		metadata = a2a.Metadata{}
	}
	metadata[wrappedData] = json.RawMessage("true")
	return o.close(), metadata
}
