package server

import (
	"net/http"

	"github.com/a2a-sidecar/sidecar/a2a"
)

const (
	maxHeaderBytes = 64 << 10
	// maxURL limits the request target, in bytes: the longest sensible one is a list with a
	// page token.
	maxURL = 8 << 10
)

// These are the errors of HTTP for which the protocol has no names. In JSON-RPC they are
// invalid requests; unlike other JSON-RPC errors they keep their HTTP status.
var (
	errBodyTooLarge     = httpFault(http.StatusRequestEntityTooLarge, "OUT_OF_RANGE", "BODY_TOO_LARGE", "the body is too large")
	errBodyTimeout      = httpFault(http.StatusRequestTimeout, "DEADLINE_EXCEEDED", "BODY_TIMEOUT", "the body came too slowly")
	errEncoding         = httpFault(http.StatusUnsupportedMediaType, "INVALID_ARGUMENT", "CONTENT_ENCODING_NOT_SUPPORTED", "the body's encoding is not supported")
	errURLTooLong       = httpFault(http.StatusRequestURITooLong, "OUT_OF_RANGE", "URL_TOO_LONG", "the URL is too long")
	errWrongHost        = httpFault(http.StatusMisdirectedRequest, "PERMISSION_DENIED", "WRONG_HOST", "this host is not served here")
	errCrossOrigin      = httpFault(http.StatusForbidden, "PERMISSION_DENIED", "CROSS_ORIGIN", "requests from web pages of another origin are refused")
	errNoSuchPath       = httpFault(http.StatusNotFound, "NOT_FOUND", "NO_SUCH_PATH", "there is nothing here")
	errMethodNotAllowed = httpFault(http.StatusMethodNotAllowed, "UNIMPLEMENTED", "METHOD_NOT_ALLOWED", "method not allowed")
)

func httpFault(code int, status, reason, message string) *a2a.Error {
	return &a2a.Error{Code: -32600, HTTP: code, Status: status, Reason: reason, Message: message}
}
