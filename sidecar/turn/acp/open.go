package acp

import (
	"cmp"
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
	id, err := a.resume(ctx, c)
	if err == nil && id == "" {
		id, err = a.begin(ctx, c)
	}
	if err != nil {
		return "", err
	}
	a.mu.Lock()
	a.given = a.given || c.Tools != nil
	a.mu.Unlock()
	if err := a.choose(ctx, id); err != nil {
		return "", err
	}
	return id, nil
}

// opens sends a request that opens a session. What its answer offers is known before any update of the session
// is read: one may follow at once.
func (a *connection) opens(ctx context.Context, method string, request any, session string) (answer json.RawMessage, err error) {
	pending, err := a.conn.Send(method, request, func(result json.RawMessage) {
		f := object(result)
		if f == nil {
			return
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.chosen = offer{session: cmp.Or(session, f.text("sessionId"))}
		a.chosen.learn(f)
	})
	if err == nil {
		err = pending.Wait(ctx, &answer)
	}
	return answer, err
}

// resume makes a conversation ready that the agent knows. The id is "" if it does not, or cannot.
func (a *connection) resume(ctx context.Context, c peer.Conversation) (id string, err error) {
	if c.ID == "" {
		return "", nil
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
		_, err := a.opens(ctx, method, sdk.LoadSessionRequest{
			SessionId: sdk.SessionId(c.ID), Cwd: a.process.Dir, McpServers: servers(c.Tools),
		}, c.ID)
		var fault *rpc.Error
		switch {
		case err == nil:
			return c.ID, nil
		case errors.As(err, &fault):
			if fault.Code == authRequired {
				return "", a.needsLogin(fault.Error())
			}
			a.process.Log.Info("the agent does not resume a conversation", "method", method, "error", fault)
		default:
			return "", lost(err)
		}
	}
	return "", nil
}

// begin begins a new conversation.
func (a *connection) begin(ctx context.Context, c peer.Conversation) (id string, err error) {
	raw, err := a.opens(ctx, sdk.AgentMethodSessionNew, sdk.NewSessionRequest{Cwd: a.process.Dir, McpServers: servers(c.Tools)}, "")
	var fault *rpc.Error
	switch {
	case errors.As(err, &fault) && fault.Code == authRequired:
		return "", a.needsLogin(fault.Error())
	case errors.As(err, &fault):
		return "", fmt.Errorf("the agent begins no session: %w", fault)
	case err != nil:
		return "", lost(err)
	}
	id = object(raw).text("sessionId")
	if id == "" || len(id) > maxSession {
		return "", fmt.Errorf("the agent begins a session without an id that can be used: it answers %s",
			text.Quote(string(raw), maxReason))
	}
	a.mu.Lock()
	a.keepCost(id, 0)
	a.mu.Unlock()
	return id, nil
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
