package sidecar

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/sidecar/gate"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/face"
)

// mcpPath is where the tools are served by MCP.
const mcpPath = "/mcp"

// mcpValid is how often it is looked whether the credentials of a long request still hold.
const mcpValid = 5 * time.Second

// mcpDoor is the door for tool calls by MCP over HTTP.
type mcpDoor struct {
	http    *face.HTTP
	stop    context.CancelFunc
	follows sync.WaitGroup
}

// openMCP makes the server of MCP over HTTP, which is served from then on.
func (s *sidecar) openMCP(ctx context.Context) error {
	c := &s.Config
	d := &mcpDoor{http: face.NewHTTP(face.HTTPOptions{
		Backend: func(string) face.Backend { return mcpBackend{s} }, Changed: s.handler.tools.changed,
		Sessions: c.MCPSessions, CallerSessions: c.MCPCallerSessions, Idle: c.MCPSessionIdle, Version: s.Version, Log: s.Log,
		Instructions: s.skills.instructions,
	})}
	ctx, d.stop = context.WithCancel(context.WithoutCancel(ctx))
	d.follows.Go(func() { d.http.Follow(ctx) })
	s.mcp.Store(d)
	return nil
}

// closeMCP ends the calls and the sessions.
func (s *sidecar) closeMCP(context.Context) error {
	d := s.mcp.Load()
	d.stop()
	d.http.Close()
	d.follows.Wait()
	return nil
}

// mcpMount is the path. What lasts is a stream: a request for notifications.
func (s *sidecar) mcpMount() server.Mount {
	return server.Mount{
		Methods: "GET, POST, DELETE", Name: "MCP", Body: true, Serve: s.serveMCP,
		Streams: func(r *http.Request) bool {
			return r.Method == http.MethodGet || r.Header.Get("Mcp-Method") == "subscriptions/listen"
		},
	}
}

// serveMCP answers a request to /mcp. A process of ours is the agent, whoever it says it is: it
// shares no session with a caller.
func (s *sidecar) serveMCP(w http.ResponseWriter, r *http.Request, id server.Identity) error {
	if err := s.gate.Enter(r.Context()); err != nil {
		return err
	}
	d := s.mcp.Load()
	if d == nil {
		return a2a.ErrUnavailable
	}
	name := "caller " + id.Caller
	if _, ours := gate.Ours(r.Context()); ours || grantOf(r.Context()) != nil {
		name = "agent"
	}
	ctx, cancel := context.WithCancel(context.WithValue(r.Context(), callerKey{}, id.Caller))
	if session := r.Header.Get("Mcp-Session-Id"); session != "" {
		ctx = context.WithValue(ctx, conversationKey{}, conversationOf(id.Caller, session))
	}
	defer cancel()
	if id.Valid != nil {
		checked := make(chan struct{})
		defer func() {
			cancel()
			<-checked
		}()
		go func() {
			defer close(checked)
			endInvalid(ctx, id.Valid, cancel)
		}()
	}
	err := d.http.ServeHTTP(w, r.WithContext(ctx), name)
	switch {
	case errors.Is(err, face.ErrSessions):
		return a2a.ErrBusy.With("%s: end one (DELETE %s), or use it again", err, mcpPath)
	case errors.Is(err, face.ErrFull), errors.Is(err, face.ErrClosed):
		return a2a.ErrUnavailable.With("%s", err)
	}
	return err
}

// endInvalid ends a request when what its caller showed does not hold any more.
func endInvalid(ctx context.Context, valid func() bool, end context.CancelFunc) {
	tick := time.NewTicker(mcpValid)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if !valid() {
				end()
			}
		case <-ctx.Done():
			return
		}
	}
}

// callerKey is what the caller of a request to /mcp is known by in its context.
type callerKey struct{}

// mcpCaller returns the caller of the request in whose context a Backend works.
func mcpCaller(ctx context.Context) string {
	name, _ := ctx.Value(callerKey{}).(string)
	return name
}

// conversationKey is what the conversation of a request to /mcp is known by in its context.
type conversationKey struct{}

// conversationOf returns the context of the calls of one MCP session. It does not tell the session's id, which whoever
// knows it could use.
func conversationOf(caller, session string) string {
	sum := sha256.Sum256([]byte(caller + "\x00" + session))
	return "mcp-" + hex.EncodeToString(sum[:16])
}

// mcpConversation returns the conversation of the request in whose context a Backend works, "" for none: revisions without
// sessions have none.
func mcpConversation(ctx context.Context) string {
	id, _ := ctx.Value(conversationKey{}).(string)
	return id
}
