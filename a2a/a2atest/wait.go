package a2atest

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// ReadAll reads a stream to its end.
func ReadAll(t testing.TB, s a2a.Stream) ([]*a2a.Event, error) {
	t.Helper()
	defer s.Close()
	var events []*a2a.Event
	for {
		next, err := s.Next(await.Context(t))
		if err != nil {
			return events, err
		}
		events = append(events, next...)
	}
}
