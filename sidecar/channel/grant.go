package channel

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
)

// Grant is the right of the holder of its token to speak for one Owner.
type Grant struct {
	s     *Server
	token string
	owner Owner

	// Guarded by s.mu:
	conns   map[*Conn]struct{}
	offered *Conn
}

// digest is what grants are looked up by: how long that takes says nothing
// about a token.
type digest = [sha256.Size]byte

// Grant makes a token that reaches o until it is revoked.
func (s *Server) Grant(o Owner) *Grant {
	var secret [32]byte
	rand.Read(secret[:]) // never fails (crypto/rand)
	g := &Grant{
		s: s, owner: o, conns: make(map[*Conn]struct{}),
		token: base64.RawURLEncoding.EncodeToString(secret[:]),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grants[sha256.Sum256([]byte(g.token))] = g
	return g
}

// Token is what the agent gets as SIDECAR_CHANNEL_TOKEN: 43 characters of
// [A-Za-z0-9_-].
func (g *Grant) Token() string { return g.token }

// Revoke makes the token worthless and ends its connections. It does not wait
// for an Owner's call that is under way. It may be called more than once.
func (g *Grant) Revoke() {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	delete(g.s.grants, sha256.Sum256([]byte(g.token)))
	for c := range g.conns {
		c.link.kill()
	}
}

// Drain waits until every connection of the token has ended by itself, so that
// what a finished process has sent is all handled. It fails with the cause of
// ctx's end.
func (g *Grant) Drain(ctx context.Context) error {
	for {
		c := g.any()
		if c == nil {
			return nil
		}
		select {
		case <-c.ended:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (g *Grant) any() *Conn {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	for c := range g.conns {
		return c
	}
	return nil
}

// enter gives a connection the grant of its token, and the offering place if
// it wants it.
func (s *Server) enter(c *Conn, token string) *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.grants[sha256.Sum256([]byte(token))]
	if g == nil || subtle.ConstantTimeCompare([]byte(g.token), []byte(token)) != 1 {
		return ErrDenied
	}
	if c.offering() {
		if _, ok := g.owner.(SessionOwner); !ok || g.offered != nil {
			return ErrNotOffered
		}
		g.offered = c
	}
	g.conns[c] = struct{}{}
	c.grant = g
	return nil
}

// forget lets go of a connection that has ended and tells its session.
func (s *Server) forget(c *Conn) {
	s.mu.Lock()
	delete(s.conns, c)
	offered := false
	if c.grant != nil {
		delete(c.grant.conns, c)
		if offered = c.grant.offered == c; offered {
			c.grant.offered = nil
		}
	}
	s.mu.Unlock()
	if offered {
		c.grant.owner.(SessionOwner).Lost(c)
	}
}
