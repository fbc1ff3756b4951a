package a2a

import "encoding/json"

// codec is one dialect of the protocol: how its results are written, and what
// is read. Reading is shared (decoder), since every dialect takes the shapes of
// the others; the few differences are those of a reading.
//
// A codec is a value without state of its own, safe for use by many goroutines.
// The bytes that encoders return belong to the caller, but for encodeEvent's,
// which are shared by all subscribers and must not be changed.
type codec interface {
	// version is what the dialect is called on the wire.
	version() Version

	// The decoders read params (JSON-RPC) or a body (REST); both may be empty
	// or null where nothing is required. id comes from the path of a REST
	// request and wins; it is "" for JSON-RPC, where params must carry it. What
	// they refuse is an ErrInvalidParams whose text names the JSON path and
	// the fix. They leave Params to the server.
	decodeSend(raw json.RawMessage) (*SendRequest, error)
	// require refuses a client's message that lacks what the dialect requires,
	// after what is wrong with it otherwise.
	require(m *Message) error
	decodeGet(raw json.RawMessage, id string) (*GetRequest, error)
	decodeList(raw json.RawMessage) (*ListRequest, error)
	decodeCancel(raw json.RawMessage, id string) (*CancelRequest, error)
	decodeSubscribe(raw json.RawMessage, id string) (*SubscribeRequest, error)
	decodePush(raw json.RawMessage, task string) (*PushConfig, error)
	decodePushRef(raw json.RawMessage, task, config string) (*PushRequest, error)
	decodePushList(raw json.RawMessage, task string) (*pushPage, error)
	decodeExtendedCard(raw json.RawMessage) error

	// The encoders write the result member of a JSON-RPC response, which is
	// also the body of a REST response.
	encodeTask(t *Task) []byte
	encodeList(l *TaskList) []byte
	encodeSend(r *SendResult) []byte
	encodePush(c *PushConfig) []byte
	encodePushList(all []PushConfig, next string) []byte
	encodeNothing() []byte
	// encodeCard writes the card with the members of this dialect and no others, for
	// a server at base.
	encodeCard(c *Card, base string) []byte
	// encodeEvent is for streams; last says that the event ends this one.
	encodeEvent(e *Event, last bool) []byte

	// errorObject writes the error member of a JSON-RPC response (§5.4).
	errorObject(e *Error) []byte
	// encodeRESTError writes the body of a REST response whose status is
	// e.HTTP (§5.4); it is also the data of an SSE event that ends a stream.
	encodeRESTError(e *Error) []byte
}

// The dialects: 1.0 is the same over both bindings, 0.3 is proto-JSON over
// REST.
var (
	_ codec = codec10{}
	_ codec = codec03{}
	_ codec = codec03REST{}
)

// JSONRPC is the dialect of a version over JSON-RPC; 0.3 is the default (§3.6.2). It
// puts bridge on tasks of 0.3 unless it is empty.
func JSONRPC(v Version, bridge string) codec {
	if v == V10 {
		return codec10{}
	}
	return codec03{bridge: bridge}
}

// REST is the dialect of a version over REST; 1.0 is the default.
func REST(v Version) codec {
	if v == V03 {
		return codec03REST{}
	}
	return codec10{}
}

// codec10 writes 1.0, for JSON-RPC and REST.
type codec10 struct{ decoder }

// codec03 writes 0.3 for JSON-RPC. bridge is put on every task when it is not
// empty: this dialect alone is no protocol buffers' JSON, whose strict parsers
// refuse what they do not know.
type codec03 struct {
	decoder
	bridge string
}

// codec03REST writes 0.3 for REST: proto-JSON, without any member that the
// protocol's messages do not have.
type codec03REST struct{ decoder }

func (codec10) version() Version     { return V10 }
func (codec03) version() Version     { return V03 }
func (codec03REST) version() Version { return V03 }
