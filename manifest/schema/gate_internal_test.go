package schema

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// Two calls are checked at a time, of large arguments one; who waits for too long
// gives up, and a place that was left is taken.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		enter := func(size int) (leave func(), err error) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return g.enter(ctx, size)
		}
		must := func(size int) func() {
			t.Helper()
			leave, err := enter(size)
			if err != nil {
				t.Fatal(err)
			}
			return leave
		}
		large := must(16<<10 + 1)
		if _, err := enter(16<<10 + 1); err == nil {
			t.Error("two with large arguments at once")
		}
		small := must(16 << 10)
		if _, err := enter(1); err == nil {
			t.Error("three at once")
		}
		large()
		again := must(1)
		small()
		must(16<<10 + 1)
		again()
		must(1)
	})
}

// Who has gone before it began takes no place, free as it may be.
func TestGateOfWhoHasGone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := newGate()
	for range 30 { // a choice of two would fall on each
		if _, err := g.enter(ctx, 1); err == nil {
			t.Fatal("it began")
		}
	}
}
