package call

import (
	"net/http"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Case is one row of the outcome table: it says which kind of
// result a call had.
type Case string

// The cases. A result may be several of the first four at once: the outcome is then the
// one that comes first here after final, and flags say the others.
const (
	Final            Case = "final"             // the tool's whole result
	Truncated        Case = "truncated"         // the head of the result
	Artifact         Case = "artifact"          // the result was not JSON and became an artifact
	Redacted         Case = "redacted"          // secrets were taken out
	Synthetic        Case = "synthetic"         // the sidecar's own words in place of the tool's
	Partial          Case = "partial"           // the call was stopped, with output
	Failed           Case = "failed"            // the tool says that it failed, or it crashed
	InvalidArguments Case = "invalid_arguments" // nothing was run
	UnknownTool      Case = "unknown_tool"      // there is no such tool
	Denied           Case = "denied"            // a rule says no, or nobody could be asked
	Rejected         Case = "rejected"          // somebody was asked and said no
	Busy             Case = "busy"              // not started: try again
	Unavailable      Case = "unavailable"       // the executor is missing
	TimedOut         Case = "timed_out"         // stopped by its time limit, without output
	Canceled         Case = "canceled"          // stopped on request, without output
	TooLarge         Case = "too_large"         // only why a call is partial: its output had no end
)

// Outcome is a case and, for Partial, what stopped the call.
type Outcome struct {
	Case   Case
	Reason Case // of Partial: Canceled, TimedOut or TooLarge; otherwise ""
}

// String returns the word in the envelope.
func (o Outcome) String() string { return string(o.Case) }

// State returns the state in which the call's task ends.
func (o Outcome) State() a2a.TaskState {
	switch o.Case {
	case Final, Truncated, Artifact, Redacted, Synthetic:
		return a2a.StateCompleted
	case Partial:
		if o.Reason == Canceled {
			return a2a.StateCanceled
		}
	case UnknownTool, Denied, Rejected, Busy:
		return a2a.StateRejected
	case Canceled:
		return a2a.StateCanceled
	}
	return a2a.StateFailed
}

// HTTPStatus returns the status of the answer to POST /a2a/tools/{name}.
func (o Outcome) HTTPStatus() int {
	switch o.Case {
	case Final, Truncated, Artifact, Redacted, Synthetic, Partial:
		return http.StatusOK
	case InvalidArguments:
		return http.StatusUnprocessableEntity
	case UnknownTool:
		return http.StatusNotFound
	case Denied, Rejected:
		return http.StatusForbidden
	case Busy:
		return http.StatusTooManyRequests
	case Unavailable:
		return http.StatusServiceUnavailable
	case TimedOut:
		return http.StatusGatewayTimeout
	case Canceled:
		return http.StatusConflict
	}
	return http.StatusBadGateway
}

// RetryAfter returns the value of the header of that name, in seconds, 0 for none.
func (o Outcome) RetryAfter() int {
	switch o.Case {
	case Busy:
		return a2a.ErrBusy.RetryAfter
	case Unavailable:
		return a2a.ErrUnavailable.RetryAfter
	}
	return 0
}

// OK reports whether the envelope is an output and not an error.
func (o Outcome) OK() bool { return o.HTTPStatus() == http.StatusOK }

// status returns the word in the toolCall object of the task's last update.
func (o Outcome) status() callStatus {
	switch o.State() {
	case a2a.StateCompleted:
		return statusSucceeded
	case a2a.StateCanceled:
		return statusCancelled
	}
	return statusFailed
}
