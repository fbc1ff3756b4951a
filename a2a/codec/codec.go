package codec

import (
	"github.com/a2a-sidecar/sidecar/a2a"
)

// Dialect is one dialect of the protocol: it reads requests and writes results. Reading is
// shared (decoder), since every dialect accepts the forms of the others; type reading holds
// the few differences.
//
// A Dialect is comparable, has no state, and is safe for concurrent use. The bytes that the
// encoders return belong to the caller, except those of EncodeEvent: all subscribers share
// them, and they must not be changed.
type Dialect interface {
	// Version returns the name of the dialect on the wire.
	Version() a2a.Version

	// The decoders read the parameters of a request, which may be null if nothing is
	// required. id comes from the path of a REST request and takes precedence;
	// it is "" for JSON-RPC, where params must hold it. A refusal is an ErrInvalidParams
	// whose text names the JSON path and the fix. The decoders do not set Params: the
	// server does.
	DecodeSend(in Params) (*a2a.SendRequest, error)
	// Require refuses a client's message that lacks what the dialect requires. It is for a
	// message that has passed the other checks.
	Require(m *a2a.Message) error
	DecodeGet(in Params, id string) (*a2a.GetRequest, error)
	DecodeList(in Params) (*a2a.ListRequest, error)
	DecodeCancel(in Params, id string) (*a2a.CancelRequest, error)
	DecodeSubscribe(in Params, id string) (*a2a.SubscribeRequest, error)
	DecodePush(in Params, task string) (*a2a.PushConfig, error)
	DecodePushRef(in Params, task, config string) (*a2a.PushRequest, error)
	DecodePushList(in Params, task string) (*PushPage, error)
	DecodeExtendedCard(in Params) error

	// The encoders write the result member of a JSON-RPC response, which is
	// also the body of a REST response.
	EncodeTask(t *a2a.Task) []byte
	EncodeList(l *a2a.TaskList) []byte
	EncodeSend(r *a2a.SendResult) []byte
	EncodePush(c *a2a.PushConfig) []byte
	EncodePushList(all []a2a.PushConfig, next string) []byte
	EncodeNothing() []byte
	// EncodeCard writes the card with the members of this dialect and no others, for
	// a server at base.
	EncodeCard(c *a2a.Card, base string) []byte
	// EncodeEvent writes an event of a stream; last reports whether it ends the stream.
	EncodeEvent(e *a2a.Event, last bool) []byte

	// ErrorObject writes the error member of a JSON-RPC response (§5.4).
	ErrorObject(e *a2a.Error) []byte
	// EncodeRESTError writes the body of a REST response whose status is
	// e.HTTP (§5.4); it is also the data of an SSE event that ends a stream.
	EncodeRESTError(e *a2a.Error) []byte
}

// The dialects: 1.0 is the same over both bindings, 0.3 is proto-JSON over
// REST.
var (
	_ Dialect = codec10{}
	_ Dialect = codec03{}
	_ Dialect = codec03REST{}
)

// JSONRPC returns the dialect of a version over JSON-RPC; 0.3 is the default (§3.6.2). That
// of 0.3 puts bridge on tasks unless it is empty.
func JSONRPC(v a2a.Version, bridge string) Dialect {
	if v == a2a.V10 {
		return codec10{}
	}
	return codec03{bridge: bridge}
}

// REST returns the dialect of a version over REST; 1.0 is the default.
func REST(v a2a.Version) Dialect {
	if v == a2a.V03 {
		return codec03REST{}
	}
	return codec10{}
}

// codec10 writes 1.0, for JSON-RPC and REST.
type codec10 struct{ decoder }

// codec03 writes 0.3 for JSON-RPC. bridge is put on every task if it is not empty. This is
// the only dialect that is not JSON of protocol buffers, whose strict parsers refuse
// members that they do not know.
type codec03 struct {
	decoder
	bridge string
}

// codec03REST writes 0.3 for REST: proto-JSON, without any member that the
// protocol's messages do not have.
type codec03REST struct{ decoder }

func (codec10) Version() a2a.Version     { return a2a.V10 }
func (codec03) Version() a2a.Version     { return a2a.V03 }
func (codec03REST) Version() a2a.Version { return a2a.V03 }
