package disk

import (
	"encoding/binary"
	"encoding/json"
	"strconv"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// header is what the store itself knows of a task. It comes before the head, so that
// events can be added without reading the head.
type header struct {
	rows    uint64 // bytes of the task's rows, keys included
	last    uint64 // the ID of its newest event
	dropped uint64 // events and messages dropped because there was no room
	id      string
}

// headerSize is the length of a header without the id.
const headerSize = 8 + 8 + 8 + 2

func (h *header) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, h.rows)
	b = binary.BigEndian.AppendUint64(b, h.last)
	b = binary.BigEndian.AppendUint64(b, h.dropped)
	b = binary.BigEndian.AppendUint16(b, uint16(len(h.id)))
	return append(b, h.id...)
}

// splitHead splits the value of a head into its header and its JSON. raw is a part
// of value.
func splitHead(value []byte) (h header, raw []byte, err error) {
	if len(value) < headerSize {
		return h, nil, errShort
	}
	n := headerSize + int(binary.BigEndian.Uint16(value[24:]))
	if len(value) < n {
		return h, nil, errShort
	}
	h.rows = binary.BigEndian.Uint64(value)
	h.last = binary.BigEndian.Uint64(value[8:])
	h.dropped = binary.BigEndian.Uint64(value[16:])
	h.id = string(value[headerSize:n])
	return h, value[n:], nil
}

// extra is the part of a head that the protocol has no place for.
type extra struct {
	Owner string          `json:"owner,omitempty"`
	Reply json.RawMessage `json:"reply,omitempty"`
	Turn  int             `json:"turn,omitempty"`
	Seq   uint64          `json:"seq"`
	Push  []push          `json:"push,omitempty"`
}

type push struct {
	ID          string      `json:"id"`
	URL         string      `json:"url"`
	Token       string      `json:"token,omitempty"`
	Scheme      string      `json:"scheme,omitempty"`
	Credentials string      `json:"credentials,omitempty"`
	Version     a2a.Version `json:"version,omitempty"`
	TraceParent string      `json:"traceparent,omitempty"`
	Delivered   uint64      `json:"delivered,omitempty"`
}

func encodeHead(h *task.Head) []byte {
	e := a2a.Event{Task: &a2a.Task{ID: h.ID, ContextID: h.ContextID, Status: h.Status, Metadata: h.Metadata}}
	x := extra{Owner: h.Owner, Turn: h.Turn, Seq: h.Seq}
	if h.Reply != nil {
		x.Reply = codec.EncodeMessage(nil, h.Reply)
	}
	for _, p := range h.Push {
		c := p.Config
		x.Push = append(x.Push, push{c.ID, c.URL, c.Token, c.Scheme, c.Credentials, c.Version, c.TraceParent, p.Delivered})
	}
	raw, err := json.Marshal(&x)
	if err != nil { // the reply is JSON: we have just written it
		panic(err)
	}
	task := codec.EncodeEvent(&e, a2a.V10)
	b := make([]byte, 0, len(task)+len(raw)+len(`,"sidecar":}`))
	b = append(b, task[:len(task)-1]...)
	b = append(b, `,"sidecar":`...)
	b = append(b, raw...)
	return append(b, '}')
}

// decodeHead reads the value of a head. The result does not refer to value.
func decodeHead(value []byte) (*task.Head, error) {
	h, raw, err := splitHead(value)
	if err != nil {
		return nil, err
	}
	raw = append([]byte(nil), raw...) // decoders may keep parts of it
	e, err := codec.DecodeEvent(raw)
	if err != nil {
		return nil, err
	}
	var own struct{ Sidecar extra }
	if err := json.Unmarshal(raw, &own); err != nil {
		return nil, err
	}
	if e.Task == nil || e.Task.ID != h.id {
		return nil, errForeign
	}
	x := own.Sidecar
	head := &task.Head{
		ID: h.id, Owner: x.Owner, ContextID: e.Task.ContextID, Status: e.Task.Status, Metadata: e.Task.Metadata,
		Turn: x.Turn, Seq: x.Seq, LastEvent: h.last, Bytes: int64(h.rows) + int64(len(value)),
	}
	if x.Reply != nil {
		if head.Reply, err = codec.DecodeMessage(x.Reply); err != nil {
			return nil, err
		}
	}
	for _, p := range x.Push {
		head.Push = append(head.Push, task.Push{Delivered: p.Delivered, Config: a2a.PushConfig{
			ID: p.ID, TaskID: h.id, URL: p.URL, Token: p.Token, Scheme: p.Scheme, Credentials: p.Credentials,
			Version: p.Version, TraceParent: p.TraceParent,
		}})
	}
	if h.dropped > 0 {
		if head.Metadata == nil {
			head.Metadata = a2a.Metadata{}
		}
		head.Metadata["eventsDropped"] = strconv.AppendUint(nil, h.dropped, 10)
	}
	return head, nil
}
