package opencode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// Open implements peer.Peer.
func (c *conn) Open(ctx context.Context, o peer.Conversation) (id string, err error) {
	ctx, stop := c.within(ctx)
	defer stop()
	if o.Tools != nil {
		if err := c.addServer(ctx, o.Tools); err != nil {
			return "", fmt.Errorf("opencode is not given the tools: %w", err)
		}
	}
	var session struct {
		ID string `json:"id"`
	}
	if isID(o.ID) {
		err := c.server.call(ctx, http.MethodGet, "/session/"+o.ID, nil, &session)
		switch {
		case err == nil:
			return o.ID, nil
		case !refused(err, http.StatusNotFound, http.StatusBadRequest, http.StatusInternalServerError):
			return "", err
		}
	}
	if err := c.server.call(ctx, http.MethodPost, "/session", struct{}{}, &session); err != nil {
		return "", err
	}
	if !isID(session.ID) {
		return "", errors.New("opencode has made a session without an id")
	}
	return session.ID, nil
}

// maxID is how long an id of opencode's may be, in bytes.
const maxID = 200

// isID reports whether a text can be an id of opencode's, and stand in a path.
func isID(id string) bool {
	return id != "" && len(id) <= maxID && url.PathEscape(id) == id && id[0] != '.'
}

// addServer adds an MCP server to the process.
func (c *conn) addServer(ctx context.Context, s *peer.Server) error {
	env := map[string]string{}
	for _, kv := range s.Env {
		if name, value, ok := bytes.Cut([]byte(kv), []byte("=")); ok {
			env[string(name)] = string(value)
		}
	}
	type config struct {
		server
		Environment map[string]string `json:"environment"`
	}
	return c.server.call(ctx, http.MethodPost, "/mcp", struct {
		Name   string `json:"name"`
		Config config `json:"config"`
	}{s.Name, config{server{"local", s.Argv, true, spec.LeastToolTime.Milliseconds()}, env}}, nil)
}
