package await

import (
	"context"
	"testing"
	"time"
)

// Patience is how long a test waits for what must come: longer than a busy machine
// takes.
const Patience = 2 * time.Minute

// Context returns a context that ends with the test, or after [Patience].
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	t.Cleanup(cancel)
	return ctx
}

// One returns what comes from a channel next: the zero value when it is closed.
func One[T any](t testing.TB, c <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(Patience):
		t.Fatalf("waited too long: %s", what)
	}
	return v
}

// True looks again and again until something holds. Use it only if nothing tells of it.
func True(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	tooLate := time.After(Patience)
	for !holds() {
		select {
		case <-tick.C:
		case <-tooLate:
			t.Fatalf("waited too long: %s", what)
		}
	}
}
