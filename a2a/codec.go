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

	// The encoders write the result member of a JSON-RPC response, which is
	// also the body of a REST response.
	encodeTask(t *Task) []byte
	encodeList(l *TaskList) []byte
	encodeSend(r *SendResult) []byte
	encodePush(c *PushConfig) []byte
	encodePushList(all []PushConfig, next string) []byte
	encodeNothing() []byte
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
