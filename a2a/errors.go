package a2a

import (
	"errors"
	"fmt"
	"net/http"
)

// Error is an error that a client may see, with everything that any binding needs to encode
// it (§3.3.2, §5.4). Message is for people.
type Error struct {
	Code       int    // JSON-RPC
	HTTP       int    // REST
	Status     string // the name of a google.rpc.Code, as in REST errors
	Reason     string // ErrorInfo.reason
	Message    string
	RetryAfter int // seconds, 0 for none
	// Field is the path of the wrong parameter, such as message.parts[0].text; "" means
	// that no parameter is wrong, or all of them.
	Field string
	Cause error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether target is an Error with the same code, so that errors.Is(err,
// ErrTaskNotFound) is true for any error of that code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// With returns a copy of e with another message. An error that the format wraps (%w)
// becomes its Cause.
func (e *Error) With(format string, args ...any) *Error {
	c := *e
	err := fmt.Errorf(format, args...)
	c.Message, c.Cause = err.Error(), errors.Unwrap(err)
	return &c
}

// At returns a copy of e that names field as the wrong parameter.
func (e *Error) At(field string) *Error {
	c := *e
	c.Field = field
	return &c
}

// This is the only table of wire errors (§5.4; JSON-RPC 2.0 §5.1). Busy and Unavailable use
// codes that JSON-RPC leaves to the server.
var (
	ErrTaskNotFound         = &Error{Code: -32001, HTTP: http.StatusNotFound, Status: "NOT_FOUND", Reason: "TASK_NOT_FOUND", Message: "task not found"}
	ErrTaskNotCancelable    = &Error{Code: -32002, HTTP: http.StatusBadRequest, Status: "FAILED_PRECONDITION", Reason: "TASK_NOT_CANCELABLE", Message: "task cannot be canceled"}
	ErrPushNotSupported     = &Error{Code: -32003, HTTP: http.StatusBadRequest, Status: "FAILED_PRECONDITION", Reason: "PUSH_NOTIFICATION_NOT_SUPPORTED", Message: "push notifications are not supported"}
	ErrUnsupportedOperation = &Error{Code: -32004, HTTP: http.StatusBadRequest, Status: "FAILED_PRECONDITION", Reason: "UNSUPPORTED_OPERATION", Message: "operation not supported"}
	ErrContentType          = &Error{Code: -32005, HTTP: http.StatusBadRequest, Status: "INVALID_ARGUMENT", Reason: "CONTENT_TYPE_NOT_SUPPORTED", Message: "content type not supported"}
	ErrInvalidAgentResponse = &Error{Code: -32006, HTTP: http.StatusInternalServerError, Status: "INTERNAL", Reason: "INVALID_AGENT_RESPONSE", Message: "invalid agent response"}
	ErrNoExtendedCard       = &Error{Code: -32007, HTTP: http.StatusBadRequest, Status: "FAILED_PRECONDITION", Reason: "EXTENDED_AGENT_CARD_NOT_CONFIGURED", Message: "no extended agent card is configured"}
	ErrExtensionRequired    = &Error{Code: -32008, HTTP: http.StatusBadRequest, Status: "FAILED_PRECONDITION", Reason: "EXTENSION_SUPPORT_REQUIRED", Message: "a required extension was not activated"}
	ErrVersionNotSupported  = &Error{Code: -32009, HTTP: http.StatusBadRequest, Status: "FAILED_PRECONDITION", Reason: "VERSION_NOT_SUPPORTED", Message: "protocol version not supported"}
	ErrBusy                 = &Error{Code: -32050, HTTP: http.StatusTooManyRequests, Status: "RESOURCE_EXHAUSTED", Reason: "BUSY", Message: "the queue is full", RetryAfter: 1}
	ErrUnavailable          = &Error{Code: -32051, HTTP: http.StatusServiceUnavailable, Status: "UNAVAILABLE", Reason: "UNAVAILABLE", Message: "the agent takes no new work", RetryAfter: 5}
	ErrParse                = &Error{Code: -32700, HTTP: http.StatusBadRequest, Status: "INVALID_ARGUMENT", Reason: "PARSE_ERROR", Message: "invalid JSON"}
	ErrInvalidRequest       = &Error{Code: -32600, HTTP: http.StatusBadRequest, Status: "INVALID_ARGUMENT", Reason: "INVALID_REQUEST", Message: "invalid request"}
	ErrMethodNotFound       = &Error{Code: -32601, HTTP: http.StatusNotFound, Status: "NOT_FOUND", Reason: "METHOD_NOT_FOUND", Message: "method not found"}
	ErrInvalidParams        = &Error{Code: -32602, HTTP: http.StatusBadRequest, Status: "INVALID_ARGUMENT", Reason: "INVALID_PARAMS", Message: "invalid parameters"}
	ErrInternal             = &Error{Code: -32603, HTTP: http.StatusInternalServerError, Status: "INTERNAL", Reason: "INTERNAL", Message: "internal error"}
)

// ErrUnauthenticated refuses a request whose sender is not authenticated. In every binding
// its HTTP status is 401, with WWW-Authenticate (§3.3.1, §7).
var ErrUnauthenticated = &Error{Code: -32052, HTTP: http.StatusUnauthorized, Status: "UNAUTHENTICATED", Reason: "UNAUTHENTICATED", Message: "authentication is required"}

// ErrStalled ends the stream of a subscriber that read too slowly.
var ErrStalled = errors.New("a2a: subscriber cut off: it read too slowly")
