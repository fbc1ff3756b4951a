package tty_test

import (
	"sync/atomic"
	"testing"
)

// TestKeysAreHeldBack: but for Ctrl-C, in both spellings; what is dropped is told.
func TestKeysAreHeldBack(t *testing.T) {
	s, a := leased(t)
	var told atomic.Int64
	a.HoldBack(func() { told.Add(1) })
	at := a.Lease()
	defer at.Release()
	press(t, at, "!touch x\r")
	press(t, at, "\x03")
	press(t, at, "\x1b[99;5uy\x1b[A")
	gets(t, s, "\x03\x1b[99;5u")
	if told.Load() != 2 {
		t.Errorf("it was told %d times", told.Load())
	}
}
