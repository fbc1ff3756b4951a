package server

import (
	"errors"
	"net/http"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Identity is who sends a request, and what shows that it is so.
type Identity struct {
	// Caller is the name by which tasks are kept apart, never "".
	Caller string
	// Valid reports whether what the caller showed still holds: a token can be
	// revoked, a certificate expires. It is asked before an answer and before
	// each event of a stream, from one goroutine at a time. nil: it holds for
	// as long as the request.
	Valid func() bool
}

// openPath reports whether a path needs no authentication: what a client must
// read before it can know how to authenticate, and what tells a platform that
// the process is well. Every other path needs it, those that lead nowhere too.
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
		err = errors.New("a2a: a caller without a name") // would own what is everybody's
	}
	if err != nil {
		x.s.logRefusal(x.r, err)
		return err
	}
	x.identity = id
	x.params.Caller = id.Caller
	return nil
}

// challenge adds what a 401 must say: how to authenticate (RFC 9110 §11.6.1). For
// client certificates no scheme is registered; they are named all the same.
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

// Bearer is the token that a request carries, "" for none (RFC 6750 §2.1). A
// token is never taken from the URL, which ends up in logs.
func Bearer(r *http.Request) string {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// errRevoked ends a request whose credentials have ceased to be valid.
var errRevoked = a2a.ErrUnauthenticated.With("the credentials of this request are not valid any more")

// revoked is the error when what the caller showed does not hold any more.
func (x *exchange) revoked() error {
	if x.identity.Valid == nil || x.identity.Valid() {
		return nil
	}
	return errRevoked
}
