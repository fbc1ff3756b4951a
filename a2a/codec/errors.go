package codec

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// ErrorObject adds a data member with details to the code and the message.
func (codec10) ErrorObject(e *a2a.Error) []byte {
	o := openError(e)
	value(&o, "data", e, appendDetails)
	return o.close()
}

func (codec03) ErrorObject(e *a2a.Error) []byte {
	o := openError(e)
	return o.close()
}

func (codec03REST) ErrorObject(e *a2a.Error) []byte { return codec03{}.ErrorObject(e) }

func (codec10) EncodeRESTError(e *a2a.Error) []byte {
	o := openObject(nil)
	value(&o, "error", e, appendStatusError)
	return o.close()
}

func (codec03) EncodeRESTError(e *a2a.Error) []byte { return codec03REST{}.EncodeRESTError(e) }

// EncodeRESTError writes both forms that 0.3 clients read: the JSON-RPC error at the top
// level for the JavaScript client, and the status under error for the Go client.
func (codec03REST) EncodeRESTError(e *a2a.Error) []byte {
	o := openError(e)
	value(&o, "error", e, appendStatusError)
	return o.close()
}

// openError starts an error object of JSON-RPC.
func openError(e *a2a.Error) object {
	o := openObject(nil)
	o.integer("code", e.Code)
	o.str("message", e.Message)
	return o
}

// appendStatusError appends a google.rpc.Status with the HTTP code (AIP-193).
func appendStatusError(b []byte, e *a2a.Error) []byte {
	o := openObject(b)
	o.integer("code", e.HTTP)
	o.str("status", e.Status)
	o.str("message", e.Message)
	value(&o, "details", e, appendDetails)
	return o.close()
}

// appendDetails appends the ErrorInfo with the reason (§5.4) and, if they are known, which
// parameter is wrong (§9.5, §11.6) and when to try again.
func appendDetails(b []byte, e *a2a.Error) []byte {
	info := openObject(append(b, '['))
	info.str("@type", "type.googleapis.com/google.rpc.ErrorInfo")
	info.str("reason", e.Reason)
	info.str("domain", "a2a-protocol.org")
	b = info.close()
	if e.Field != "" {
		b = appendBadRequest(append(b, ','), e)
	}
	if e.RetryAfter > 0 {
		retry := openObject(append(b, ','))
		retry.str("@type", "type.googleapis.com/google.rpc.RetryInfo")
		retry.str("retryDelay", strconv.Itoa(e.RetryAfter)+"s")
		b = retry.close()
	}
	return append(b, ']')
}

// appendBadRequest appends a BadRequest with the field that is wrong.
func appendBadRequest(b []byte, e *a2a.Error) []byte {
	o := openObject(b)
	o.str("@type", "type.googleapis.com/google.rpc.BadRequest")
	o.key("fieldViolations")
	field := openObject(append(o.b, '['))
	field.str("field", e.Field)
	field.str("description", e.Message)
	o.b = append(field.close(), ']')
	return o.close()
}

// DecodeError reads an error object of JSON-RPC or a status of REST. It returns nil if raw
// is neither.
func DecodeError(raw json.RawMessage) *a2a.Error {
	var fault struct {
		Code    int
		Message string
		Details []struct{ Reason string }
	}
	if json.Unmarshal(raw, &fault) != nil || fault.Code == 0 {
		return nil
	}
	for _, known := range wireErrors() {
		named := len(fault.Details) > 0 && fault.Details[0].Reason == known.Reason
		if named || fault.Code == known.Code {
			e := *known
			e.Message, e.RetryAfter = fault.Message, 0
			return &e
		}
	}
	return &a2a.Error{Code: fault.Code, HTTP: http.StatusInternalServerError, Status: a2a.ErrInternal.Status, Reason: a2a.ErrInternal.Reason, Message: fault.Message}
}

// wireErrors returns the table of package a2a.
func wireErrors() []*a2a.Error {
	return []*a2a.Error{
		a2a.ErrTaskNotFound, a2a.ErrTaskNotCancelable, a2a.ErrPushNotSupported, a2a.ErrUnsupportedOperation, a2a.ErrContentType,
		a2a.ErrInvalidAgentResponse, a2a.ErrNoExtendedCard, a2a.ErrExtensionRequired, a2a.ErrVersionNotSupported, a2a.ErrBusy,
		a2a.ErrUnavailable, a2a.ErrUnauthenticated, a2a.ErrParse, a2a.ErrInvalidRequest, a2a.ErrMethodNotFound, a2a.ErrInvalidParams, a2a.ErrInternal,
	}
}
