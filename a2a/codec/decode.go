package codec

import (
	"errors"
	"net/url"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// decoder reads requests in any dialect. It checks the types of values, not their contents:
// the server checks whether a context id is well-formed or a page size is in range.
type decoder struct{}

func (codec10) DecodeSend(in Params) (*a2a.SendRequest, error) {
	return decodeSend(in, reading10)
}

func (codec03) DecodeSend(in Params) (*a2a.SendRequest, error) {
	return decodeSend(in, reading03)
}

// DecodeSend reads an absent blocking as false if there is a configuration: proto-JSON
// leaves false out.
func (codec03REST) DecodeSend(in Params) (*a2a.SendRequest, error) {
	return decodeSend(in, reading03REST)
}

// Require accepts only messages with the role of a user (§4.1.4, §5.7).
func (codec10) Require(m *a2a.Message) error {
	if err := requireMessage(m); err != nil || m.Role == a2a.RoleUser {
		return err
	}
	return a2a.ErrInvalidParams.With("message.role is the agent's: send ROLE_USER").At("message.role")
}

// Require checks what 0.3 requires, over either binding (0.3.0 §3.4.1, §6.4). It accepts a
// message with the role of the agent.
func (codec03) Require(m *a2a.Message) error { return requireMessage(m) }

func (codec03REST) Require(m *a2a.Message) error { return requireMessage(m) }

// requireMessage refuses a message without an id or a role.
func requireMessage(m *a2a.Message) error {
	switch {
	case m.ID == "":
		return a2a.ErrInvalidParams.With("message.messageId is missing: send one of your own making, such as a UUID").At("message.messageId")
	case m.Role == "":
		return a2a.ErrInvalidParams.With("message.role is missing: send ROLE_USER (0.3: user)").At("message.role")
	}
	return nil
}

func decodeSend(in Params, as reading) (*a2a.SendRequest, error) {
	r := &a2a.SendRequest{}
	found := false
	err := decode(in, func(key string, v *node) error {
		switch key {
		case "message", "request":
			found = true
			return v.message(&r.Message, as)
		case "configuration":
			return v.configuration(r, as == reading03REST)
		case "metadata":
			return v.metadata(&r.Metadata)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, a2a.ErrInvalidParams.With(`message is missing: send {"message":{"messageId":"…","role":"ROLE_USER","parts":[{"text":"…"}]}}`).At("message")
	}
	return r, nil
}

// configuration reads how a client wants its answer (§3.2.2).
func (n *node) configuration(r *a2a.SendRequest, proto bool) error {
	r.ReturnImmediately = proto
	return n.each(folded, func(key string, v *node) error {
		switch key {
		case "acceptedOutputModes":
			return v.strs(&r.AcceptedModes)
		case "historyLength":
			return v.optInteger(&r.HistoryLength)
		case "returnImmediately":
			return v.boolean(&r.ReturnImmediately)
		case "blocking":
			var blocking bool
			err := v.boolean(&blocking)
			r.ReturnImmediately = !blocking
			return err
		case "pushNotificationConfig", "taskPushNotificationConfig", "pushNotification":
			var c a2a.PushConfig
			err := v.pushConfig(&c)
			if c != (a2a.PushConfig{}) { // an unset one is written as {}
				r.Push = &c
			}
			return err
		}
		return nil
	})
}

func (decoder) DecodeGet(in Params, id string) (*a2a.GetRequest, error) {
	r := &a2a.GetRequest{}
	err := decodeWithID(in, id, &r.ID, func(key string, v *node) error {
		if key == "historyLength" {
			return v.optInteger(&r.HistoryLength)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (decoder) DecodeCancel(in Params, id string) (*a2a.CancelRequest, error) {
	r := &a2a.CancelRequest{}
	err := decodeWithID(in, id, &r.ID, func(key string, v *node) error {
		if key == "metadata" {
			return v.metadata(&r.Metadata)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (decoder) DecodeSubscribe(in Params, id string) (*a2a.SubscribeRequest, error) {
	r := &a2a.SubscribeRequest{}
	err := decodeWithID(in, id, &r.ID, func(string, *node) error { return nil })
	if err != nil {
		return nil, err
	}
	return r, nil
}

// DecodeExtendedCard reads a request that has no parameters of its own.
func (decoder) DecodeExtendedCard(in Params) error {
	return decode(in, func(string, *node) error { return nil })
}

// defaultPageSize is the page size, in tasks, of a list request that names none (§3.1.4).
const defaultPageSize = 50

func (decoder) DecodeList(in Params) (*a2a.ListRequest, error) {
	r := &a2a.ListRequest{PageSize: defaultPageSize}
	err := decode(in, func(key string, v *node) error {
		switch key {
		case "contextId":
			return v.str(&r.ContextID)
		case "status":
			return v.state(&r.State)
		case "pageSize":
			return v.integer(&r.PageSize)
		case "pageToken":
			return v.str(&r.PageToken)
		case "historyLength":
			return v.optInteger(&r.HistoryLength)
		case "statusTimestampAfter", "lastUpdatedAfter":
			return v.str(&r.StatusAfter)
		case "includeArtifacts":
			return v.boolean(&r.IncludeArtifacts)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// QueryParams turns a query string into an object. All values are strings; the decoders
// also read numbers and booleans from strings. If a name occurs more than once, its last
// value counts. Empty values are left out.
func QueryParams(q url.Values) Params {
	o := openObject(nil)
	for name, values := range q {
		value := values[len(values)-1]
		if value == "" {
			continue
		}
		o.name(name)
		o.b = appendString(o.b, value)
	}
	return Params{o.close()}
}

// decode reads the members of in, which is an object or null.
func decode(in Params, member func(key string, v *node) error) error {
	if len(in.text) == 0 {
		return nil
	}
	return asInvalidParams(newRoot(in.text, maxElements).each(folded, func(key string, v *node) error {
		if key == "tenant" {
			return v.tenant()
		}
		return member(key, v)
	}))
}

// decodeWithID reads an object that names a task. If id is not empty, it takes precedence
// and the object need not name one.
func decodeWithID(in Params, id string, to *string, member func(key string, v *node) error) error {
	err := decode(in, func(key string, v *node) error {
		switch key {
		case "id":
			return v.str(to)
		case "name": // a resource name of 0.3's proto
			var name string
			err := v.str(&name)
			if task, ok := strings.CutPrefix(name, "tasks/"); ok && *to == "" {
				*to = task
			}
			return err
		}
		return member(key, v)
	})
	if err != nil {
		return err
	}
	if id != "" {
		*to = id
	}
	if *to == "" {
		return a2a.ErrInvalidParams.With(`id is missing: send {"id":"<task id>"}`).At("id")
	}
	return nil
}

// asInvalidParams turns a shapeError into an ErrInvalidParams; any other error stays as it
// is.
func asInvalidParams(err error) error {
	var wrong *shapeError
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.path == "":
		return a2a.ErrInvalidParams.With("params %w", wrong)
	}
	return a2a.ErrInvalidParams.With("%w", wrong).At(wrong.path)
}
