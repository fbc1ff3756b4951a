package sidecar

import (
	"context"
	"net/url"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/gate"
	"github.com/a2a-sidecar/sidecar/sidecar/terminal"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// openTerminals makes the part that shows the agents' terminals. It is opened before
// the server, which serves it, and closed after it.
func (s *sidecar) openTerminals(context.Context) error {
	o := terminal.Options{Views: s.views, PublicHost: hostOf(s.Config.PublicURL), Keys: gate.Outsider, Stall: s.Config.StallTimeout, Log: s.Log}
	if !s.Config.Authenticates() && !s.onLoopback() {
		o.Off = "the terminal is not shown beyond loopback to callers who are not known: start the sidecar with --token-file or --tls-client-ca, or with --host 127.0.0.1"
	}
	s.terminals = terminal.New(o)
	return nil
}

// closeTerminals ends every terminal that is still shown, including connections that
// the server no longer knows of.
func (s *sidecar) closeTerminals(context.Context) error {
	s.terminals.Close()
	return nil
}

// views returns the terminals that a caller may look at, after there are any. A
// sidecar that takes no new work still shows its terminals.
func (s *sidecar) views(ctx context.Context, caller string) (mine []*turn.View, others int, err error) {
	if err := s.gate.Enter(ctx); err != nil && s.gate.State() == gate.Starting {
		return nil, 0, err
	}
	if s.Config.Mode != turn.ModePTY {
		return nil, 0, a2a.ErrUnsupportedOperation.With("there is no terminal: the agent runs in --mode %s", s.Config.Mode)
	}
	mine, others = s.runner.Views(caller)
	return mine, others, nil
}

// hostOf returns the host[:port] of an address, "" if it has none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
