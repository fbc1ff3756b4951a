package server

import (
	"context"
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// authorized is a stream that ends at the next event or heartbeat after its reader's
// credentials stop being valid.
type authorized struct {
	a2a.Stream
	x *exchange
}

// guard returns a stream that ends when the caller's credentials stop being valid.
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

// streamMessage opens the stream of a message. Its Task has no more of the history than the
// request asks for.
func streamMessage(h Handler, ctx context.Context, r *a2a.SendRequest) (a2a.Stream, error) {
	st, err := h.StreamMessage(ctx, r)
	if err != nil || r.HistoryLength == nil {
		return st, err
	}
	return &shortStream{st, *r.HistoryLength}, nil
}

// shortStream is a stream whose Task has at most a given number of messages of its history.
type shortStream struct {
	a2a.Stream
	history int
}

// Next implements Stream.
func (s *shortStream) Next(ctx context.Context) ([]*a2a.Event, error) {
	events, err := s.Stream.Next(ctx)
	for i, e := range events {
		if e.Task == nil || len(e.Task.History) <= s.history {
			continue
		}
		short := *e.Task
		short.KeepHistory(s.history)
		events = slices.Clone(events)
		events[i] = &a2a.Event{ID: e.ID, Task: &short}
	}
	return events, err
}
