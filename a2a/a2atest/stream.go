package a2atest

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Scripted is a stream of events that are all there.
type Scripted struct {
	Events []*a2a.Event
	done   bool
}

func (s *Scripted) Next(context.Context) ([]*a2a.Event, error) {
	if s.done {
		return nil, io.EOF
	}
	s.done = true
	return s.Events, nil
}

func (s *Scripted) Close() {}

// Live is a stream whose events the test sends. closed is closed with it.
type Live struct {
	Events chan []*a2a.Event
	Fail   chan error
	Closed chan struct{}
	once   sync.Once
}

// NewLive returns a stream without events.
func NewLive() *Live {
	return &Live{Events: make(chan []*a2a.Event), Fail: make(chan error, 1), Closed: make(chan struct{})}
}

func (l *Live) Next(ctx context.Context) ([]*a2a.Event, error) {
	select {
	case e := <-l.Events:
		return e, nil
	case err := <-l.Fail:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *Live) Close() { l.once.Do(func() { close(l.Closed) }) }

// Big is an event with n bytes of text.
func Big(n int) *a2a.Event { return Chunk(strings.Repeat("x", n), true, false) }
