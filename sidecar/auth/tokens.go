package auth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// Tokens is a token file that is followed as it changes. Its methods may be called from
// many goroutines, but Run only from one.
type Tokens struct {
	path    string
	log     *slog.Logger
	current atomic.Pointer[tokenSet]
	reloads reloads
	open    atomic.Bool // whether it was logged that others may read the file
}

// OpenTokens reads a token file; see ParseTokens. If log is nil, nothing is logged.
func OpenTokens(path string, log *slog.Logger) (*Tokens, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	t := &Tokens{path: path, log: log}
	if err := t.read(); err != nil {
		return nil, fmt.Errorf("token file %s: %w", path, err)
	}
	return t, nil
}

// Run follows the file until ctx ends. If the file is not valid or is removed, that is
// logged and the last valid content stays in force.
func (t *Tokens) Run(ctx context.Context) {
	w := &watched{paths: []string{t.path}, log: t.log, read: t.read, count: &t.reloads}
	w.run(ctx)
}

func (t *Tokens) read() error {
	set, info, err := readTokens(t.path)
	if err != nil {
		return err
	}
	t.warn(info)
	old := t.current.Load()
	if old != nil && old.equal(set) {
		return nil
	}
	t.current.Store(set)
	if old != nil {
		t.reloads.taken.Add(1)
	}
	t.log.Info("tokens loaded", "file", t.path, "tokens", len(set.names))
	return nil
}

// warn logs once that others may read the file.
func (t *Tokens) warn(info os.FileInfo) {
	open := info.Mode().Perm()&0o077 != 0
	if t.open.Swap(open) != open && open {
		t.log.Warn("the token file can be read by others; chmod 600 keeps them out", "file", t.path, "mode", info.Mode().Perm().String())
	}
}

func (s *tokenSet) equal(o *tokenSet) bool {
	if len(s.names) != len(o.names) {
		return false
	}
	for i := range s.names {
		if s.names[i] != o.names[i] || !bytes.Equal(s.digests[i][:], o.digests[i][:]) {
			return false
		}
	}
	return true
}

// identify returns the identity of the owner of a token.
func (t *Tokens) identify(token string) (server.Identity, error) {
	digest := sha256.Sum256([]byte(token))
	seen := t.current.Load()
	name, ok := seen.find(digest)
	if !ok {
		return server.Identity{}, a2a.ErrUnauthenticated.With("the token is not known here")
	}
	return server.Identity{Caller: name, Valid: func() bool {
		now := t.current.Load()
		if now == seen {
			return true
		}
		owner, ok := now.find(digest)
		if ok && owner == name {
			seen = now
			return true
		}
		return false
	}}, nil
}

// Credentials are the ways in which callers can authenticate. Either may be nil.
type Credentials struct {
	Tokens       *Tokens
	Certificates *Certificates
}

// Security returns what the card says about authentication.
func (c Credentials) Security() a2a.Security {
	return a2a.Security{Bearer: c.Tokens != nil, MutualTLS: c.Certificates.ClientAuth()}
}

// errSeveralTokens refuses a second Authorization header: a proxy may have checked the
// other one.
var errSeveralTokens = a2a.ErrUnauthenticated.With("the header Authorization is there more than once")

// Authenticate is for server.Options. A token takes precedence over a certificate, so that
// a wrong token is not overlooked.
func (c Credentials) Authenticate(r *http.Request) (server.Identity, error) {
	if len(r.Header["Authorization"]) > 1 {
		return server.Identity{}, errSeveralTokens
	}
	if token := server.Bearer(r); token != "" && c.Tokens != nil {
		return c.Tokens.identify(token)
	}
	if c.Certificates.ClientAuth() && r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		return c.Certificates.identify(r.TLS)
	}
	switch {
	case c.Tokens == nil:
		return server.Identity{}, a2a.ErrUnauthenticated.With("a client certificate is required")
	case c.Certificates.ClientAuth():
		return server.Identity{}, a2a.ErrUnauthenticated.With("a token (Authorization: Bearer …) or a client certificate is required")
	}
	return server.Identity{}, a2a.ErrUnauthenticated.With("a token is required: Authorization: Bearer …")
}
