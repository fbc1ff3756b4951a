package sidecar

import (
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// signals are the signals that the process gets while Run owns them.
type signals struct{ ch chan os.Signal }

// notify takes every signal that means something here. SIGPIPE is among them so that
// a closed stdout is a write error and does not end the process; it is not ignored,
// because children would inherit that.
func notify() *signals {
	s := &signals{ch: make(chan os.Signal, 16)}
	signal.Notify(s.ch, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGCONT, syscall.SIGPIPE)
	return s
}

func (s *signals) stop() { signal.Stop(s.ch) }

// dumpGoroutines writes every goroutine's stack to the log.
func dumpGoroutines(log *slog.Logger) {
	buf := make([]byte, 1<<20)
	log.Warn("goroutines", "stacks", string(buf[:runtime.Stack(buf, true)]))
}
