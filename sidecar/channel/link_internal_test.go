package channel

import (
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// A peer that reads nothing is cut off when some frames, or some megabytes, wait for
// it: no sooner, and not much later for what the socket itself takes.
func TestQueueOfAPeerThatReadsNothing(t *testing.T) {
	for name, c := range map[string]struct{ text, least, most int }{
		"short frames": {1, 256, 1200},
		"long frames":  {256 << 10, 12, 32},
	} {
		t.Run(name, func(t *testing.T) {
			ln, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			near, err := net.Dial("unix", ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			far, err := ln.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer far.Close()
			l := newLink(near.(*net.UnixConn), false, MaxCalls)
			defer l.writer.Wait()
			defer l.kill()
			sent, text := 0, strings.Repeat("x", c.text)
			for ; err == nil && sent <= c.most; sent++ {
				err = l.notify("task/status", statusParams{Text: text})
			}
			if sent < c.least || sent > c.most || !errors.Is(err, ErrLost) {
				t.Errorf("after %d frames: %v, want between %d and %d", sent, err, c.least, c.most)
			}
		})
	}
}
