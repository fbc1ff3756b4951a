package sidecar

import (
	"cmp"
	"context"
	"errors"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/mcp"
)

// openAgentServer makes the client of an agent that is an MCP server. The agent is started later,
// and ended by the step that starts it.
func (s *sidecar) openAgentServer(context.Context) error {
	if s.Config.Mode == config.ModeMCP {
		s.agentServer = mcp.New(mcp.Options{Version: s.Version, StartTimeout: s.Config.ReadyTimeout, Log: s.Log})
	}
	return nil
}

// awaitList waits until an agent that is an MCP server has listed its tools, at most as long as it
// may take to be ready, or until it has ended. If Run is asked to end before that, over is true and
// cause says why.
func (s *sidecar) awaitList(ctx context.Context, signals *signals) (cause ending, over bool) {
	if s.agentServer == nil {
		return cause, false
	}
	limit := cmp.Or(s.Config.ReadyTimeout, client.DefaultStartTimeout)
	listing, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan struct{})
	go func() { // ends with waiting, which stop ends
		defer close(ended)
		cause = s.wait(waiting, signals)
		cancel()
	}()
	listed := s.agentServer.Listed(listing)
	late := errors.Is(listing.Err(), context.DeadlineExceeded)
	stop()
	<-ended
	switch over = cause.asked() || ctx.Err() != nil; {
	case listed:
	case cause.agent:
		s.Log.Warn("the agent has ended before it listed its tools: it may be no MCP server")
	case late:
		s.Log.Warn("the agent has not listed its tools: it may be no MCP server", "limit", limit)
	}
	return cause, over
}

// image returns the tools of the image: those of the manifest and those written in Go or, if there
// is no manifest and the agent is an MCP server, those that the agent lists.
func (s *sidecar) image() *manifest.Snapshot {
	if s.agentServer == nil || s.Config.Manifest != "" || s.Registry != nil {
		return s.source.Snapshot()
	}
	return s.agentServer.Snapshot(s.Config.Name, s.Config.ReservedNamespace)
}

// withAgent adds the agent's tools to those of other servers, which may be nil.
func (s *sidecar) withAgent(others call.Servers) call.Servers {
	if s.agentServer == nil {
		return others
	}
	return route{func(server string) bool { return server == mcp.Server }, s.agentServer, others}
}
