package console_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// TestLooksCost: looks at real programs cost nothing while the programs are idle, and less than half
// a percent of a processor while they work.
func TestLooksCost(t *testing.T) {
	span := 2 * time.Second
	if testing.Verbose() {
		span = 10 * time.Second
	}
	for _, c := range []struct {
		name, script string
		submitted    bool
		most         uint64 // looks in a second
	}{
		{"idle at its prompt", "printf '> '; cat", false, 0},
		{"asks and waits", "sleep 0.3; printf 'Name, please '; cat", true, 0},
		{"works silently", "sleep 0.1; sleep 100", true, 5},
		{"prints every 30 ms", "while printf 'a line\\n'; do sleep 0.03; done", true, 80},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			terminal := proctest.StartTerminal(t, proctest.NewHost(t), proctest.Shell(c.script))
			con := console.New(console.Options{
				Log: slog.New(slog.DiscardHandler), TTY: terminal, Profile: profile.Generic(), PID: terminal.Child().PID(),
				Size: tty.Size{Cols: 80, Rows: 24}, Waits: waits.Of(terminal.Child().PID()).Look,
			})
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { con.Run(ctx) })
			running.Go(func() { terminal.Output(con.Write) })
			defer running.Wait()
			defer terminal.Child().Stop()
			defer cancel()
			if c.submitted {
				con.Submitted("")
				con.Entering()
			}
			wait := time.NewTimer(2 * time.Second)
			<-wait.C
			before := con.Looks()
			wait.Reset(span)
			<-wait.C
			after := con.Looks()
			looks, took := after.Times-before.Times, after.Took-before.Took
			share := 100 * took.Seconds() / span.Seconds()
			t.Logf("%s: %d looks in %v, %v of processor: %.3f %% (%s)", c.name, looks, span, took, share, con.Look().Verdict.State)
			if looks > c.most*uint64(span/time.Second) {
				t.Errorf("%d looks in %v", looks, span)
			}
			edge := 100 * took.Seconds() / float64(max(looks, 1)) / span.Seconds() // the pause after the last look is not over
			if share > 0.5+edge {
				t.Errorf("%.3f %% of a processor", share)
			}
		})
	}
}
