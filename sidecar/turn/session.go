package turn

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// session is one agent that lives through many turns: its process, under a terminal
// or on pipes. It runs one turn at a time.
type session struct {
	r    *Runner
	name string
	// conversation is the one that the process was told to resume, "" for none.
	conversation string
	log          *slog.Logger
	child        *proc.Child
	grant        *channel.Grant
	files        *job.Folder
	cell         *cell // nil: the process runs in no sandbox
	body         body
	tools        *peer.Server // our tools, as the agent is told in its conversations; nil: it is not

	// life ends, with an *driver.EndedError as its cause, when the process has ended
	// and all its output was read.
	life context.Context
	end  context.CancelCauseFunc
	wg   sync.WaitGroup // counts the goroutines that run for the session

	started time.Time

	mu      sync.Mutex
	cur     *turn
	conn    *channel.Conn // the connection that offers something
	offered chan struct{} // closed while conn is set
	listed  chan struct{} // closed when the agent has the list of our tools, or is not waited for any more
	turns   int
	has     bool          // listed is closed
	opened  bool          // the process can be spoken to
	closed  bool          // no turn may begin any more
	stopped bool          // we have asked the process to end, or passed a signal on
	stuck   chan struct{} // closed when the agent is idle again; nil: it is not stuck
}

// guard stops the process when everything has to stop.
func (s *session) guard() {
	select {
	case <-s.r.drain.Done():
	case <-s.life.Done():
		if s.r.drain.Err() == nil {
			return
		}
	}
	s.stop()
}

// pump reads the agent's output until it ends.
func (s *session) pump() {
	defer context.AfterFunc(s.r.hard, func() { s.child.Kill() })()
	exit := s.body.run()
	end := &driver.EndedError{Exit: exit, Words: s.body.lastWords(exit)}
	s.tellEnd(end)
	s.hint(exit)
	s.body.agent().Close()
	s.end(end)
}

// tellEnd logs the agent's end. An unexpected end is a warning if it came during a
// turn, before the first turn, or by a signal, unless a person is at the terminal
// and has seen it.
func (s *session) tellEnd(end *driver.EndedError) {
	s.mu.Lock()
	cur, stopped, turns := s.cur, s.stopped, s.turns
	s.mu.Unlock()
	exit := end.Exit
	expected := stopped || s.body.attended() || s.r.drain.Err() != nil || exit.Success()
	switch {
	case !expected && turns == 0 && end.Words != "": // it could not start, and nobody else learns why
		s.log.Warn("the agent ended", "exit", exit.String(), "reason", end.Words)
	case expected, cur == nil && exit.Signal == 0:
		s.log.Info("the agent ended", "exit", exit.String())
	case cur == nil:
		s.log.Warn("the agent ended", "exit", exit.String())
	default:
		s.log.Warn("the agent ended in the middle of a turn", "task", cur.task.ID(), "exit", exit.String())
	}
}

// hint logs a hint if a program does not live like a session.
func (s *session) hint(exit proc.Exit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if exit.Success() && s.turns <= 1 && s.r.o.MCP == nil && s.r.speech == nil && !s.stopped && !s.body.attended() && s.r.drain.Err() == nil {
		s.log.Warn("the agent ended after its first answer; a program that runs once per message wants --mode oneshot")
	}
}

// used is told of each tool that the agent has used, in a mode in which it is spoken to in messages.
func (s *session) used(tool string) {
	if g := s.r.governing; g != nil && g.recipe.Told {
		s.r.used(tool, s.breakOff)
	}
}

// breakOff ends the process of an agent that has broken what it is held to: it gets no time to go on.
func (s *session) breakOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.life == nil || s.life.Err() != nil {
		return
	}
	s.stopped = true
	s.wg.Go(func() { s.child.Stop() })
}

// gone waits until the process has ended and nothing runs for the session any more,
// and releases the rest.
func (s *session) gone() {
	<-s.life.Done()
	s.mu.Lock()
	s.closed = true // from here on, nobody adds to what is waited for
	s.mu.Unlock()
	s.wg.Wait()
	s.release()
}

// release releases what the session holds in addition to its process.
func (s *session) release() {
	if s.grant != nil {
		s.grant.Revoke()
	}
	if s.body != nil {
		s.body.release(s.ended())
	}
	s.cell.close()
	if s.files != nil {
		_ = s.files.Remove() // Close removes what could not be removed
	}
}

// signal passes a signal on.
func (s *session) signal(sig os.Signal) {
	_ = s.child.Signal(sig) // a process that has ended needs no signal
}

// exit returns how the process ended. life must be over.
func (s *session) exit() proc.Exit { return *s.ended() }

// ended returns how the process ended. It returns nil if the process has not ended,
// or had hardly begun.
func (s *session) ended() *proc.Exit {
	if e := (*driver.EndedError)(nil); s.life != nil && errors.As(context.Cause(s.life), &e) {
		return &e.Exit
	}
	return nil
}

// alive returns why the session takes no turn now, nil if it does.
func (s *session) alive() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.life.Err() != nil:
		return a2a.ErrUnavailable.With("the agent has ended")
	case s.stuck != nil:
		return a2a.ErrUnavailable.With("the agent has not acknowledged an interrupt")
	}
	return nil
}

// during returns a context that ends with ctx or with the agent.
func (s *session) during(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	forget := context.AfterFunc(s.life, func() { cancel(context.Cause(s.life)) })
	return ctx, func() { forget(); cancel(nil) }
}

// deliver runs a turn.
func (s *session) deliver(ctx context.Context, t *turn) driver.Outcome {
	var o driver.Outcome
	err := s.run(ctx, t, pickMessages, func(ctx context.Context, d driver.Driver) error {
		if d == driver.Driver(s.body.agent()) { // this driver gets the whole message
			defer s.files.RemoveMessage()
			if err := s.files.WriteMessage(t.msg); err != nil {
				o = driver.Failed(err)
				return nil
			}
		}
		o = d.Deliver(ctx, t)
		return nil
	})
	return s.explain(o, err)
}

// call runs a call.
func (s *session) call(ctx context.Context, t *turn) (driver.CallResult, error) {
	var res driver.CallResult
	err := s.run(ctx, t, pickTools, func(ctx context.Context, d driver.Driver) (err error) {
		if d == driver.Driver(s.body.agent()) { // a typed call is a part of the conversation
			if _, err := s.r.take(t.task.Owner()); err != nil {
				return err
			}
		}
		res, err = d.Call(ctx, t)
		return err
	})
	return res, err
}

// explain returns the outcome of a turn whose run returned err.
func (s *session) explain(o driver.Outcome, err error) driver.Outcome {
	var gone *driver.EndedError
	var late *unacknowledged
	switch {
	case err == nil:
		return o
	case errors.As(err, &gone) && s.r.BrokenBy() != nil:
		return driver.Failed(s.r.BrokenBy()).WithExit(gone.Exit)
	case errors.As(err, &gone):
		f := driver.Failed(err).WithExit(gone.Exit)
		if gone.Exit.Success() {
			f = f.With("exitCode", 0)
		}
		if gone.Exit.Success() && s.r.speech == nil {
			f.Text += "; a program that runs once per message wants --mode oneshot"
		}
		return f
	case errors.As(err, &late):
		return driver.Failed(late.cause).With("interrupt", "unacknowledged")
	}
	return driver.Failed(err)
}

// run runs one turn of the session: it waits until the agent can be spoken to,
// speaks, and interrupts the agent if the turn has to stop. The error says how the
// turn ended if not by itself: an *driver.EndedError, an *unacknowledged, or the
// context's cause.
func (s *session) run(ctx context.Context, t *turn, pick picker, speak func(context.Context, driver.Driver) error) error {
	ctx, cancel := s.during(ctx)
	defer cancel()
	if err := s.begin(ctx, t); err != nil {
		return err
	}
	defer s.finish()
	d, err := pick(ctx, s)
	if err != nil {
		return err // the agent knows nothing of the turn
	}
	err = speak(ctx, d)
	t.publish(s.files.Collect(t.Owner))
	if ctx.Err() == nil {
		return err
	}
	cause := context.Cause(ctx)
	if s.life.Err() != nil {
		return cause
	}
	if errors.Is(cause, task.ErrDraining) {
		<-s.life.Done() // guard stops the process
		return cause
	}
	return s.interrupt(ctx, d, cause)
}

// begin makes t the turn that the agent speaks for.
func (s *session) begin(ctx context.Context, t *turn) error {
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return context.Cause(s.life)
		}
		stuck := s.stuck
		if stuck == nil {
			s.cur = t
			s.turns++
			n := s.turns
			s.wg.Add(1) // until finish
			s.mu.Unlock()
			s.body.begins(n, t.task.ID())
			return nil
		}
		s.mu.Unlock()
		select {
		case <-stuck:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// finish ends what begin began.
func (s *session) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cur = nil
	s.wg.Done()
}

// unacknowledged says that the agent was interrupted and did not become idle in
// time.
type unacknowledged struct{ cause error }

func (e *unacknowledged) Error() string { return e.cause.Error() }

func (e *unacknowledged) Unwrap() error { return e.cause }

// leastInterrupt is how long an agent may take to react to an interrupt if there is
// no grace: the key or signal has to reach it.
const leastInterrupt = time.Second

// interrupt asks the agent to stop and gives it the grace.
func (s *session) interrupt(ctx context.Context, d driver.Driver, cause error) error {
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(s.r.o.CancelGrace, leastInterrupt))
	defer cancel()
	grace, stop := s.during(grace)
	defer stop()
	defer context.AfterFunc(s.r.drain, cancel)()
	if d.Interrupt(grace) == nil || s.life.Err() != nil {
		return cause
	}
	s.recover(d)
	return &unacknowledged{cause}
}

// recover makes the session take no turn until the agent is idle again. A session
// that can be replaced is replaced.
func (s *session) recover(d driver.Driver) {
	stuck := make(chan struct{})
	s.mu.Lock()
	s.stuck = stuck
	s.mu.Unlock()
	s.log.Warn("the agent has not acknowledged an interrupt")
	s.wg.Go(func() {
		if !s.body.attended() && (s.r.pooled() || s.r.o.Restart != RestartNever) {
			s.child.Stop()
			return // life ends; nobody waits for this session any more
		}
		if d.Idle(s.life) != nil {
			return
		}
		s.mu.Lock()
		s.stuck = nil
		s.mu.Unlock()
		close(stuck)
	})
}
