package console_test

import (
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// slowTTY is a terminal whose settings are slow to read once.
type slowTTY struct {
	plainTTY
	slow   chan struct{} // has a value if the next one is slow
	reads  chan struct{} // closed when a slow one has begun
	resume chan struct{} // ends it
}

func (s *slowTTY) Mode() (tty.Mode, error) {
	select {
	case <-s.slow:
		close(s.reads)
		<-s.resume
	default:
	}
	return s.plainTTY.Mode()
}

// TestNewestScreen: a goroutine that has looked at the screen earlier publishes nothing over a newer one.
func TestNewestScreen(t *testing.T) {
	term := &slowTTY{slow: make(chan struct{}, 1), reads: make(chan struct{}), resume: make(chan struct{})}
	c := console.New(console.Options{
		Log: slog.New(slog.DiscardHandler), TTY: term, Profile: profile.Generic(), Size: tty.Size{Cols: 80, Rows: 24},
	})
	c.Write([]byte("old"))
	term.slow <- struct{}{}
	var running sync.WaitGroup
	running.Go(c.Exited)
	await.One(t, term.reads, "the first look at the screen")
	c.Write([]byte(" and new"))
	c.Exited()
	close(term.resume)
	running.Wait()
	if got := c.Look().Screen.Lines[0].Text; !strings.Contains(got, "new") {
		t.Errorf("published %q", got)
	}
}

// TestSentCharacters: a long message is remembered without half a character at its end.
func TestSentCharacters(t *testing.T) {
	c := console.New(console.Options{Log: slog.New(slog.DiscardHandler), TTY: plainTTY{}, Profile: profile.Generic(), Size: tty.Size{Cols: 80, Rows: 24}})
	c.Submitted("x" + strings.Repeat("é", 4<<10))
	if got := c.Sent()[0]; !strings.HasSuffix(got, "é") || len(got) != 4095 {
		t.Errorf("%d bytes that end in %q", len(got), got[len(got)-3:])
	}
}
