package a2atest

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Soon is a context that ends with the test, or after a minute.
func Soon(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// ReadAll reads a stream to its end.
func ReadAll(t testing.TB, s a2a.Stream) ([]*a2a.Event, error) {
	t.Helper()
	defer s.Close()
	var events []*a2a.Event
	for {
		next, err := s.Next(Soon(t))
		if err != nil {
			return events, err
		}
		events = append(events, next...)
	}
}

// Eventually polls what has no event to wait for.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	after := time.After(time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-after:
			t.Fatalf("never came true: %s", what)
		}
	}
}

// Log is a log that a test reads while others write it.
type Log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// NewLog returns a log and what it holds.
func NewLog() (*Log, *slog.Logger) {
	text := &Log{}
	return text, slog.New(slog.NewTextHandler(text, nil))
}
