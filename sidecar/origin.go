package sidecar

import (
	"context"
	"net/http"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/proc/tree"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/gate"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// settleCaller says who makes a call, whatever the request shows: a process of ours is the
// agent, or the program of a tool, and so is whoever has the channel's token of one. Such a
// call belongs to the work that its process does: to that task's caller and context.
func (h *handler) settleCaller(ctx context.Context, r *call.Request) {
	if o := grantOf(ctx); o != nil {
		r.Agent, r.Within = true, turn.TaskOf(o)
	} else if pid, ours := gate.Ours(ctx); ours {
		r.Agent, r.Within = true, h.workOf(pid)
	}
	if w := r.Within; w != nil {
		r.Caller, r.ContextID = w.Owner(), w.ContextID()
		if r.Message != nil {
			r.Message.ContextID = w.ContextID()
		}
	}
}

// workOf returns the task that a process of ours works on, nil for none.
func (h *handler) workOf(pid int) *task.Task {
	if pid == 0 {
		return nil
	}
	l := tree.LineageOf(pid)
	if t := h.calls.Within(l); t != nil {
		return t
	}
	return h.runner.Within(l)
}

// grantKey is what the owner of a channel's token is known by in a request's context.
type grantKey struct{}

// grantOf returns the owner of the channel's token that a request shows, nil for none.
func grantOf(ctx context.Context) channel.Owner {
	o, _ := ctx.Value(grantKey{}).(channel.Owner)
	return o
}

// keepGrants finds out which requests show a token of the channel.
func (s *sidecar) keepGrants(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token := server.Bearer(r); token != "" && s.channel != nil {
			if o := s.channel.Owner(token); o != nil {
				r = r.WithContext(context.WithValue(r.Context(), grantKey{}, o))
			}
		}
		next.ServeHTTP(w, r)
	})
}

// authenticate returns who sends a request. With a token of the channel one may call tools,
// as the caller of the work that the token was given for, and nothing else.
func (s *sidecar) authenticate(r *http.Request) (server.Identity, error) {
	if o := grantOf(r.Context()); o != nil && (r.URL.Path == mcpPath || strings.HasPrefix(r.URL.Path, "/a2a/tools/")) {
		if t := turn.TaskOf(o); t != nil && t.Owner() != "" {
			return server.Identity{Caller: t.Owner()}, nil
		}
	}
	return s.callers.Authenticate(r)
}
