package approval

import (
	"errors"
	"net/http"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// ErrFull says that no more approvals may be open.
var ErrFull = errors.New("too many calls wait for an approval")

// shareError is the error of a caller that has all the approvals that it may have; its value is how
// many.
type shareError int

func (e shareError) Error() string {
	return "this caller has " + text.CountOf(int(e), "call that waits for an approval", "calls that wait for an approval") + ", which is the limit"
}

func (shareError) Unwrap() error { return ErrFull }

// These say how an approval ended without an answer, to the one who waits for it.
var (
	ErrTimeout   = errors.New("nobody answered in time")
	ErrOvertaken = errors.New("what was asked for has changed meanwhile")
)

// The refusals of an answer. Each has a status of HTTP and a reason of its own.
var (
	errUnknown  = wire(a2a.ErrInvalidParams, http.StatusNotFound, "NOT_FOUND", "APPROVAL_NOT_FOUND")
	errAnswered = wire(a2a.ErrUnsupportedOperation, http.StatusConflict, "ABORTED", "APPROVAL_ANSWERED")
	errChanged  = wire(a2a.ErrUnsupportedOperation, http.StatusConflict, "ABORTED", "APPROVAL_CHANGED")
	errExpired  = wire(a2a.ErrUnsupportedOperation, http.StatusGone, "FAILED_PRECONDITION", "APPROVAL_EXPIRED")
)

// wire returns an error of a code with another status and reason.
func wire(base *a2a.Error, status int, name, reason string) *a2a.Error {
	e := *base
	e.HTTP, e.Status, e.Reason = status, name, reason
	return &e
}
