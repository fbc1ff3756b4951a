package server

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// authorized is a stream that ends when its reader loses the right to it: at
// the next event, or at the next heartbeat.
type authorized struct {
	a2a.Stream
	x *exchange
}

// guard makes st end with the caller's credentials.
func (x *exchange) guard(st a2a.Stream) a2a.Stream {
	if x.identity.Valid == nil {
		return st
	}
	return &authorized{st, x}
}

// Next implements Stream.
func (a *authorized) Next(ctx context.Context) ([]*a2a.Event, error) {
	events, err := a.Stream.Next(ctx)
	if e := a.x.revoked(); e != nil {
		return nil, e
	}
	return events, err
}
