package channel

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"sync"
)

// Grant is the right to act for one Owner. Whoever holds its token has this right.
type Grant struct {
	s     *Server
	token string
	owner Owner
	// started is closed when process is known, or will never be. nil means that any
	// process may use the token.
	started chan struct{}
	begin   sync.Once
	long    chan struct{} // holds one value for each long frame that is being read
	files   chan struct{} // holds one value for each call with arguments of a file
	number  int           // from 1 on

	// Guarded by s.mu:
	process Process // nil if there is none
	conns   map[*Conn]struct{}
	offered *Conn
}

// digest is the key by which a grant is looked up. So the time of a lookup tells
// nothing about a token.
type digest = [sha256.Size]byte

// Grant makes a token that gives access to o until it is revoked.
func (s *Server) Grant(o Owner) *Grant { return s.grant(o, nil) }

func (s *Server) grant(o Owner, started chan struct{}) *Grant {
	var secret [32]byte
	rand.Read(secret[:]) // never fails (crypto/rand)
	g := &Grant{
		s: s, owner: o, started: started, conns: make(map[*Conn]struct{}), long: make(chan struct{}, MaxLong),
		files: make(chan struct{}, MaxFiles),
		token: base64.RawURLEncoding.EncodeToString(secret[:]),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.granting++
	g.number = s.granting
	s.grants[sha256.Sum256([]byte(g.token))] = g
	return g
}

// GrantProcess is Grant for one process and its descendants. Other processes are
// refused, even if they have found the token. Started names the process; connections
// wait for that.
func (s *Server) GrantProcess(o Owner) *Grant { return s.grant(o, make(chan struct{})) }

// Started tells which process the grant is for.
func (g *Grant) Started(p Process) {
	g.s.mu.Lock()
	g.process = p
	g.s.mu.Unlock()
	g.begun()
}

// begun wakes the connections that wait for the process.
func (g *Grant) begun() {
	if g.started != nil {
		g.begin.Do(func() { close(g.started) })
	}
}

// raised refuses a peer that does not belong to the grant's process. It waits until
// the process is known, or until ctx ends.
func (g *Grant) raised(ctx context.Context, p peer) *Error {
	switch {
	case p.joined == g:
		return nil
	case p.joined != nil:
		return ErrDenied.With("not allowed: the token is another program's")
	case g.started == nil:
		return nil
	}
	select {
	case <-g.started:
	case <-ctx.Done():
		return ErrDenied.With("not allowed: the program that the token is for was not started")
	}
	g.s.mu.Lock()
	process := g.process
	g.s.mu.Unlock()
	switch {
	case process == nil:
		return errUnknownToken()
	case !process.Owns(p.lineage):
		return ErrDenied.With("not allowed: process %d is none of those that the token's program (process %d) has started, nor an orphan of it with its %s",
			p.lineage.PID(), process.PID(), tokenVariable)
	}
	return nil
}

// tokenVariable is the environment variable that carries a token. It also marks the
// processes that have the token.
const tokenVariable = "SIDECAR_CHANNEL_TOKEN"

func errUnknownToken() *Error {
	return ErrDenied.With("not allowed: unknown token: what it was given for has ended, or " + tokenVariable + " is another sidecar's")
}

// Token is the value of SIDECAR_CHANNEL_TOKEN for the agent: 43 characters of
// [A-Za-z0-9_-].
func (g *Grant) Token() string { return g.token }

// Revoke invalidates the token and ends its connections. It does not wait for a
// running call of an Owner's method. It may be called more than once.
func (g *Grant) Revoke() {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	delete(g.s.grants, sha256.Sum256([]byte(g.token)))
	for c := range g.conns {
		c.link.kill()
	}
	g.begun()
}

// Drain waits until every connection of the token has ended by itself, so that all
// that a finished process has sent is handled. It fails with the cause of ctx's end.
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

// granted returns the grant of a token, or nil if there is none.
func (s *Server) granted(token string) *Grant {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.grants[sha256.Sum256([]byte(token))]
	if g == nil || subtle.ConstantTimeCompare([]byte(g.token), []byte(token)) != 1 {
		return nil
	}
	return g
}

// Owner returns the owner to which a token gives access, nil if it was not granted, or is
// not any more.
func (s *Server) Owner(token string) Owner {
	if g := s.granted(token); g != nil {
		return g.owner
	}
	return nil
}

// enter gives a connection the grant of its token, and makes it the one that offers
// if it wants that. It may wait until the token's process has been started.
func (s *Server) enter(c *Conn, token string) *Error {
	g := s.granted(token)
	if g == nil {
		return errUnknownToken()
	}
	ctx, cancel := context.WithTimeout(c.ctx, HandshakeTime)
	defer cancel()
	if err := g.raised(ctx, c.peer); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.grants[sha256.Sum256([]byte(token))] != g:
		return errUnknownToken() // revoked meanwhile
	case len(g.conns) >= MaxConns:
		return ErrBusy.With("too many connections: %d are open with this token", MaxConns)
	}
	if c.offering() {
		if _, ok := g.owner.(SessionOwner); !ok || g.offered != nil {
			return ErrNotOffered
		}
		g.offered = c
	}
	g.conns[c] = struct{}{}
	c.grant = g
	s.strangers[c.from]--
	return nil
}

// forget removes a connection that has ended and tells its session.
func (s *Server) forget(c *Conn) {
	s.mu.Lock()
	delete(s.conns, c)
	if c.grant == nil {
		s.strangers[c.from]--
	}
	if s.strangers[c.from] == 0 {
		delete(s.strangers, c.from)
	}
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
