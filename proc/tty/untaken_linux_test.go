package tty_test

import (
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

// TestUntaken: what a program has not read is counted, and nothing that it has read.
func TestUntaken(t *testing.T) {
	for name, want := range map[string]int{"deaf": 3, "raw": 0} {
		t.Run(name, func(t *testing.T) {
			s := terminal(t, proctest.NewHost(t), "terminal", name)
			s.Line("size")
			if _, err := s.Terminal.Type(t.Context(), "abc"); err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(proctest.Patience); ; {
				n, ok := s.Terminal.Untaken()
				if ok && n == want {
					break
				}
				if !ok || time.Now().After(end) {
					t.Fatalf("%d (%v) bytes are not read, want %d", n, ok, want)
				}
			}
		})
	}
}
