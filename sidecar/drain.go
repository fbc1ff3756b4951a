package sidecar

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// goodbye is how long open streams have to carry their last event after all work has
// ended.
const goodbye = time.Second

// ending says why Run ends.
type ending struct {
	agent  bool      // the agent ended by itself
	err    error     // the server cannot go on
	signal os.Signal // the signal that asked for the end, nil for none
}

// asked reports whether Run was asked to end, or cannot go on, while there was an agent.
func (e ending) asked() bool { return e.err != nil || e.signal != nil }

// wait returns when it is time to end: the agent is gone, a signal asks for it, ctx
// has ended, or the server has failed.
func (s *sidecar) wait(ctx context.Context, signals *signals) ending {
	for {
		select {
		case <-ctx.Done():
			return ending{}
		case <-s.runner.Exited():
			return ending{agent: true}
		case <-s.runner.Broken():
			return ending{err: s.runner.BrokenBy()}
		case err := <-s.served:
			s.served <- http.ErrServerClosed // closeServer waits for it too
			return ending{err: fmt.Errorf("serving %s: %w", s.url(), err)}
		case sig := <-signals.ch:
			if s.ends(sig) {
				return ending{signal: sig}
			}
		}
	}
}

// ends handles one signal and reports whether the sidecar must end.
func (s *sidecar) ends(sig os.Signal) bool {
	switch sig {
	case syscall.SIGTERM:
		return true
	case syscall.SIGINT:
		return !s.person
	case syscall.SIGHUP:
		if !s.person {
			s.source.Reload()
			s.rules.Reload()
			s.reloadSurface()
			s.servers.Reload()
		}
		return s.person
	case syscall.SIGQUIT:
		dumpGoroutines(s.Log)
	case syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGCONT:
		s.runner.Signal(sig)
	}
	return false
}

// drain takes no new work, gives running work its time, then stops it, and says
// goodbye to the clients. A second TERM skips the rest of the waiting. It returns the
// exit code.
func (s *sidecar) drain(why ending, signals *signals) int {
	s.gate.Drain()
	s.tellDrain(why)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.stopWork(ctx, why)
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case sig := <-signals.ch:
			// A terminal that closes sends more than one HUP: none of them counts as
			// a second TERM.
			if sig != syscall.SIGHUP && s.ends(sig) {
				s.Log.Info("stopping at once", "signal", sig.String())
				cancel()
			}
		}
	}
	return s.code(why)
}

// stopWork ends all turns and calls, then the streams that report them.
func (s *sidecar) stopWork(ctx context.Context, why ending) {
	patience := s.patience(why)
	began := time.Now()
	late := s.watchDrain(patience)
	var work sync.WaitGroup
	work.Go(func() { s.runner.Drain(ctx, patience) })
	work.Go(func() { s.calls.Drain(ctx, patience) })
	work.Wait()
	late()
	s.Log.Info("drained", "duration_ms", time.Since(began).Milliseconds())
	for _, t := range s.tasks.Running() { // those that wait for their client: nobody runs them
		// The only error is task.ErrFinished: the task has then ended by itself.
		_ = t.Finish(a2a.StateFailed, &a2a.Message{Parts: []a2a.Part{a2a.TextPart("shutting down")}}, nil)
	}

	ctx, cancel := context.WithTimeout(ctx, goodbye)
	defer cancel()
	if s.push != nil {
		work.Go(func() { s.push.Drain(ctx) })
		defer work.Wait()
	}
	if err := s.server.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		s.Log.Warn("closing connections", "error", err)
	}
}

// code returns the process's exit code: the agent's code if one agent is the whole
// session.
func (s *sidecar) code(why ending) int {
	switch {
	case why.err != nil:
		return ExitFault
	case s.runner.PerTurn() || s.Config.Sessions > 1:
		return 0
	}
	return s.runner.Exit().Status()
}
