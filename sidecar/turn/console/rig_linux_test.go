package console_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// consoleOf returns the console of a program without a profile, which looks at what the program waits
// for. Both end with the test.
func consoleOf(t *testing.T, c proc.Command) *console.Console {
	t.Helper()
	terminal := proctest.StartTerminal(t, proctest.NewHost(t), c)
	con := console.New(console.Options{
		Log: slog.New(slog.DiscardHandler), TTY: terminal, Profile: profile.Generic(), PID: terminal.Child().PID(),
		Size: tty.Size{Cols: 80, Rows: 24}, Waits: waits.Of(terminal.Child().PID()).Look,
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { con.Run(ctx) })
	running.Go(func() { terminal.Output(con.Write) })
	t.Cleanup(func() {
		cancel()
		terminal.Child().Stop()
		running.Wait()
	})
	return con
}
