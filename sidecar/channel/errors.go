package channel

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Error is a JSON-RPC error that one end sends to the other. Field names the
// parameter at fault; it is "" if no parameter is.
type Error struct {
	Code    int
	Message string
	Field   string
}

func (e *Error) Error() string { return e.Message }

// Is reports whether target is an *Error with the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// With returns the same error with another text.
func (e *Error) With(format string, args ...any) *Error {
	c := *e
	c.Message = fmt.Sprintf(format, args...)
	return &c
}

// The errors that cross the socket. The first five codes are JSON-RPC's; the
// rest are ours.
var (
	ErrParse          = &Error{Code: -32700, Message: "invalid JSON"}
	ErrInvalidRequest = &Error{Code: -32600, Message: "invalid request"}
	ErrMethod         = &Error{Code: -32601, Message: "method not found"}
	ErrInvalidParams  = &Error{Code: -32602, Message: "invalid parameters"}
	ErrInternal       = &Error{Code: -32603, Message: "internal error"}
	// ErrDenied: the token is unknown, or was granted for another process, or the
	// peer's uid is not allowed. The text says which.
	ErrDenied = &Error{Code: -32001, Message: "not allowed: unknown token, or another user's process"}
	// ErrNotOffered: this connection may not offer anything, or does not offer this.
	ErrNotOffered = &Error{Code: -32002, Message: "only one connection with a session's token may offer messages or tools"}
	// ErrFrame: the frame is longer than MaxFrame.
	ErrFrame = &Error{Code: -32003, Message: fmt.Sprintf("frame longer than the limit of %d bytes", MaxFrame)}
	// ErrBusy: too many requests are unanswered.
	ErrBusy = &Error{Code: -32004, Message: "too many requests in flight"}
	// ErrUnavailable: the sidecar takes no new work: it is starting, or shutting down.
	ErrUnavailable = &Error{Code: -32005, Message: "no new work is taken"}
	// ErrNobody: nobody can answer a question here.
	ErrNobody = &Error{Code: -32010, Message: "nobody can answer"}
	// ErrTimeout: nobody answered the question in time.
	ErrTimeout = &Error{Code: -32011, Message: "no answer in time"}
	// ErrQuestionOpen: the task already waits for an answer.
	ErrQuestionOpen = &Error{Code: -32012, Message: "another question is open"}
	// ErrEnded: the task has ended, or the session has no current turn.
	ErrEnded = &Error{Code: -32013, Message: "no task to speak for: it has ended"}
)

// Errors that stay at this end of the socket.
var (
	// ErrLost: the connection ended before the answer came.
	ErrLost = errors.New("channel: connection lost")
	// ErrNoDir: no runtime directory could be used; the channel is off.
	ErrNoDir = errors.New("channel: no writable runtime directory with a path short enough")
	// ErrCanceled is the cause of a handler's context after task/cancel.
	ErrCanceled = errors.New("channel: the task was canceled")
)

// wireError is an Error as it is sent.
type wireError struct {
	Code    int        `json:"code"`
	Message string     `json:"message"`
	Data    *errorData `json:"data,omitempty"`
}

type errorData struct {
	Field string `json:"field"`
}

// asWire returns any error in the form that is sent.
func asWire(err error) *wireError {
	e := (*Error)(nil)
	if !errors.As(err, &e) {
		e = ErrInternal.With("%s", err)
	}
	w := &wireError{Code: e.Code, Message: e.Message}
	if e.Field != "" {
		w.Data = &errorData{Field: e.Field}
	}
	return w
}

// asError reads the error member of a response.
func asError(raw json.RawMessage) *Error {
	var w struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		return ErrInternal.With("the other end's error is not readable: %s", err)
	}
	e := &Error{Code: w.Code, Message: w.Message}
	var d errorData
	if json.Unmarshal(w.Data, &d) == nil {
		e.Field = d.Field
	}
	return e
}

// invalid returns the error for a wrong parameter. field is its path in params.
func invalid(field, format string, args ...any) *Error {
	return &Error{Code: ErrInvalidParams.Code, Message: field + ": " + fmt.Sprintf(format, args...), Field: field}
}
