package client_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

// listener notes what it hears, and answers what it is asked with what a test says.
type listener struct {
	hears  func() // progress, before it is noted
	elicit func(context.Context, client.Elicitation) (client.Elicited, error)
	sample func(context.Context, client.Sampling) (client.Sampled, error)

	mu    sync.Mutex
	heard []string
}

func (l *listener) note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = append(l.heard, fmt.Sprintf(format, args...))
}

func (l *listener) notes() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heard
}

func (l *listener) Progress(done, total float64, message string) {
	if l.hears != nil {
		l.hears()
	}
	l.note("%v/%v %s", done, total, message)
}

func (l *listener) Elicit(ctx context.Context, e client.Elicitation) (client.Elicited, error) {
	l.note("elicit %s", e.Message)
	if l.elicit == nil {
		return client.Elicited{}, errors.New("nobody answers")
	}
	return l.elicit(ctx, e)
}

func (l *listener) Sample(ctx context.Context, s client.Sampling) (client.Sampled, error) {
	l.note("sample %s", s.System)
	if l.sample == nil {
		return client.Sampled{}, errors.New("nobody answers")
	}
	return l.sample(ctx, s)
}
