package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// maxSession is the longest id of a session that is kept, in bytes.
const maxSession = 1 << 10

// Open implements peer.Peer.
func (a *connection) Open(ctx context.Context, c peer.Conversation) (string, error) {
	id, answer, err := a.resume(ctx, c)
	if err == nil && id == "" {
		id, answer, err = a.begin(ctx, c)
	}
	if err != nil {
		return "", err
	}
	a.mu.Lock()
	a.given = a.given || c.Tools != nil
	a.chosen = offer{session: id}
	a.chosen.learn(answer)
	a.mu.Unlock()
	if err := a.choose(ctx, id); err != nil {
		return "", err
	}
	return id, nil
}

// resume makes a conversation ready that the agent knows. The id is "" if it does not, or cannot.
func (a *connection) resume(ctx context.Context, c peer.Conversation) (id string, answer fields, err error) {
	if c.ID == "" {
		return "", nil, nil
	}
	a.mu.Lock()
	can := a.agent
	a.mu.Unlock()
	var ways []string
	if can.resume {
		ways = append(ways, sdk.AgentMethodSessionResume)
	}
	if can.load {
		ways = append(ways, sdk.AgentMethodSessionLoad)
	}
	for _, method := range ways {
		var raw json.RawMessage
		err := a.conn.Call(ctx, method, sdk.LoadSessionRequest{
			SessionId: sdk.SessionId(c.ID), Cwd: a.process.Dir, McpServers: servers(c.Tools),
		}, &raw)
		var fault *rpc.Error
		switch {
		case err == nil:
			return c.ID, object(raw), nil
		case errors.As(err, &fault):
			if fault.Code == authRequired {
				return "", nil, a.needsLogin(fault.Error())
			}
			a.process.Log.Info("the agent does not resume a conversation", "method", method, "error", fault)
		default:
			return "", nil, lost(err)
		}
	}
	return "", nil, nil
}

// begin begins a new conversation.
func (a *connection) begin(ctx context.Context, c peer.Conversation) (id string, answer fields, err error) {
	var raw json.RawMessage
	err = a.conn.Call(ctx, sdk.AgentMethodSessionNew, sdk.NewSessionRequest{Cwd: a.process.Dir, McpServers: servers(c.Tools)}, &raw)
	var fault *rpc.Error
	switch {
	case errors.As(err, &fault) && fault.Code == authRequired:
		return "", nil, a.needsLogin(fault.Error())
	case errors.As(err, &fault):
		return "", nil, fmt.Errorf("the agent begins no session: %w", fault)
	case err != nil:
		return "", nil, lost(err)
	}
	answer = object(raw)
	id = answer.text("sessionId")
	if id == "" || len(id) > maxSession {
		return "", nil, fmt.Errorf("the agent begins a session without an id that can be used: it answers %s",
			text.Quote(string(raw), maxReason))
	}
	a.mu.Lock()
	a.keepCost(id, 0)
	a.mu.Unlock()
	return id, answer, nil
}

// servers lists our MCP server as ACP wants it.
func servers(s *peer.Server) []sdk.McpServer {
	if s == nil {
		return []sdk.McpServer{}
	}
	one := sdk.McpServerStdio{Name: s.Name, Command: s.Argv[0], Args: append([]string{}, s.Argv[1:]...), Env: []sdk.EnvVariable{}}
	for _, v := range s.Env {
		name, value, _ := strings.Cut(v, "=")
		one.Env = append(one.Env, sdk.EnvVariable{Name: name, Value: value})
	}
	return []sdk.McpServer{{Stdio: &one}}
}
