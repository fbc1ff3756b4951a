package sidecar

import (
	"sync"
	"time"
)

// drainTasks is how many of the tasks that a drain waits for are named in the log.
const drainTasks = 10

// patience is how long running work may take to end by itself.
func (s *sidecar) patience(why ending) time.Duration {
	if why.agent {
		return 0 // the agent is gone: nothing that runs can end well
	}
	return s.Config.DrainTimeout
}

// tellDrain logs why the sidecar ends and what it waits for.
func (s *sidecar) tellDrain(why ending) {
	line := []any{"timeout", s.patience(why).String()}
	switch {
	case why.signal != nil:
		line = append(line, "signal", why.signal.String())
	case why.agent:
		line = append(line, "reason", "the agent has ended")
	case why.err != nil:
		line = append(line, "reason", why.err.Error())
	}
	s.Log.Info("draining", append(line, s.underWay()...)...)
}

// watchDrain logs what still runs when patience has passed. The caller calls done
// when nothing runs any more.
func (s *sidecar) watchDrain(patience time.Duration) (done func()) {
	if patience == 0 {
		return func() {} // tellDrain has logged what it stops
	}
	ended := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-ended:
		case <-time.After(patience):
			if left := s.underWay(); len(left) > 0 {
				s.Log.Warn("stopping what still runs", append(left, "grace", s.Config.CancelGrace.String())...)
			}
		}
	})
	return func() { close(ended); watching.Wait() }
}

// underWay returns the work that runs, and the work that waits for its turn, as
// attributes of a log line. It returns nothing if there is none.
func (s *sidecar) underWay() []any {
	turns, turnsWait := s.runner.Load()
	calls, callsWait := s.calls.Load()
	if turns+turnsWait+calls+callsWait == 0 {
		return nil
	}
	ids := []string{} // not nil, which is written as null
	for _, t := range s.tasks.Running() {
		if len(ids) < drainTasks && !t.State().Interrupted() {
			ids = append(ids, t.ID())
		}
	}
	return []any{"turns", turns, "calls", calls, "waiting", turnsWait + callsWait, "tasks", ids}
}
