package server

import (
	"errors"
	"net/http"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Identity is the authenticated sender of a request.
type Identity struct {
	// Caller is the name that separates the tasks of callers. It is never "".
	Caller string
	// Valid reports whether what the caller showed still holds: a token can be revoked, a
	// certificate expires. It is called before an answer and before each event of a stream,
	// by one goroutine at a time. nil means that it is valid for as long as the request.
	Valid func() bool
}

// openPath reports whether a path needs no authentication: what a client must read before
// it can know how to authenticate, and what tells a platform that the process is well.
// Every other path needs it, even one that does not exist.
func openPath(path string) bool {
	switch path {
	case "/.well-known/agent-card.json", "/.well-known/agent.json", "/livez", "/readyz", "/healthz":
		return true
	}
	return false
}

// authenticate sets the caller of the request, or refuses it.
func (x *exchange) authenticate() error {
	if x.s.opts.Authenticate == nil {
		return nil
	}
	id, err := x.s.opts.Authenticate(x.r)
	if err == nil && id.Caller == "" {
		err = errors.New("a2a: a caller without a name") // it would own everybody's tasks
	}
	if err != nil {
		x.s.logRefusal(x.r, err)
		return err
	}
	x.identity = id
	x.params.Caller = id.Caller
	return nil
}

// challenge adds what a 401 must say: how to authenticate (RFC 9110 §11.6.1). No scheme is
// registered for client certificates, but they are named too.
func (x *exchange) challenge() {
	security := x.s.handler.Card().Security
	h := x.w.Header()
	if security.Bearer {
		text := `Bearer realm="a2a"`
		if Bearer(x.r) != "" {
			text += `, error="invalid_token"` // RFC 6750 §3.1
		}
		h.Add("Www-Authenticate", text)
	}
	if security.MutualTLS {
		h.Add("Www-Authenticate", `MutualTLS realm="a2a"`)
	}
	if !security.On() {
		h.Add("Www-Authenticate", `Bearer realm="a2a"`)
	}
}

// Bearer returns the token of a request, "" for none (RFC 6750 §2.1). A token is never
// taken from the URL, which ends up in logs.
func Bearer(r *http.Request) string {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// errRevoked ends a request whose credentials are not valid any more.
var errRevoked = a2a.ErrUnauthenticated.With("the credentials of this request are not valid any more")

// revoked returns an error if the caller's credentials are not valid any more.
func (x *exchange) revoked() error {
	if x.identity.Valid == nil || x.identity.Valid() {
		return nil
	}
	return errRevoked
}
