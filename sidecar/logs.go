package sidecar

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/sidecar/gate"
	"github.com/a2a-sidecar/sidecar/sidecar/logs"
)

// logsPath is where the operator reads the last lines of the log.
const logsPath = "/logs"

// keepLog keeps the last lines of the log, in addition to the log's usual
// destination.
func keepLog(o *Options) *logs.Tail {
	tail := &logs.Tail{}
	o.Log = slog.New(slog.NewMultiHandler(o.Log.Handler(), tail.Handler(o.Config.LogLevel)))
	return tail
}

// operator refuses the log to everybody except the sidecar's operator: a caller that
// --operators names, or `sidecar logs` run on this machine by the sidecar's own user.
// The agent and the processes that it starts are neither, whatever token they have.
func (s *sidecar) operator(ctx context.Context, caller string) error {
	if err := gate.Outsider(ctx); err != nil {
		return err
	}
	if caller != "" && slices.Contains(s.Config.Operators, caller) || gate.Kin(ctx) {
		return nil
	}
	e := a2a.ErrInvalidRequest.With("the log is for whoever operates the sidecar: `sidecar logs`, this very binary, run by the sidecar's user on its machine or in its container, or a caller that --operators names")
	e.HTTP, e.Status, e.Reason = http.StatusForbidden, "PERMISSION_DENIED", "NOT_AN_OPERATOR"
	return e
}

// serveLogs shows an operator the log.
func (s *sidecar) serveLogs(w http.ResponseWriter, r *http.Request, id server.Identity) error {
	if err := s.operator(r.Context(), id.Caller); err != nil {
		return err
	}
	return s.tail.Serve(w, r, id)
}
