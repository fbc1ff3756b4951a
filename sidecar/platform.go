package sidecar

import (
	"context"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/platform"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// openPlatform makes what brings in the platform's tools, if it is told where they are. It
// connects to nothing.
func (s *sidecar) openPlatform(context.Context) (err error) {
	if s.Config.MCPProxyURL == "" {
		return nil
	}
	s.platform, err = platform.New(platform.Options{
		URL: s.Config.MCPProxyURL, Version: s.Version, Log: s.Log,
		PartOf: func(t *task.Task) *task.Task {
			if s.calls == nil {
				return nil
			}
			return s.calls.PartOf(t)
		},
	})
	return err
}

func (s *sidecar) closePlatform(context.Context) error {
	if s.platform != nil {
		s.platform.Close()
	}
	return nil
}

// provided implements surface.Options.Platform.
func (s *sidecar) provided(v surface.Viewer) *surface.Platform {
	if s.platform == nil {
		return nil
	}
	return s.platform.For(v)
}

// takeToken takes the turn's token out of a message, before anything keeps or shows that: whether
// it is good or not, and whether there is a platform to show it to or not.
func (h *handler) takeToken(r *a2a.SendRequest) (token string, err error) {
	token, err = platform.Take(r.Message.Metadata, r.Metadata)
	if h.platform == nil {
		return "", nil
	}
	return token, err
}

// withToken gives a turn its token from its beginning to its end; nil: it has none.
func (h *handler) withToken(t *task.Task, token string) (begin func() (end func())) {
	if h.platform == nil || token == "" {
		return nil
	}
	return func() func() { return h.platform.Begin(t, token) }
}

// lendToken gives a call that a message made the token of that message, until the call ends.
func (h *handler) lendToken(inv *call.Invocation, token string) {
	if begin := h.withToken(inv.Task(), token); begin != nil {
		inv.OnEnd(begin())
	}
}

// awaitPlatform waits until it is known which tools of the platform's a call can name, if it
// names one.
func (h *handler) awaitPlatform(ctx context.Context, r *call.Request) {
	if strings.HasPrefix(r.Tool, surface.PlatformNamespace+".") {
		h.readyPlatform(ctx, r)
	}
}

// readyPlatform waits until it is known which tools of the platform's the maker of a request has.
func (h *handler) readyPlatform(ctx context.Context, r *call.Request) {
	if h.platform != nil {
		h.platform.Ready(ctx, surface.Viewer{Caller: r.Caller, Agent: r.Agent, Task: r.Within})
	}
}

// withPlatform adds the platform's tools to those of other servers, which may be nil.
func (s *sidecar) withPlatform(others call.Servers) call.Servers {
	if s.platform == nil {
		return others
	}
	return route{platform.Has, s.platform, others}
}
