package client

import "time"

// State is what a server is doing.
type State string

// The states of a server.
//
//	event        | idle     | starting    | running     | backing off          | closed
//	-------------|----------|-------------|-------------|----------------------|-------
//	wanted       | starting |             |             | starting, when it is |
//	             |          |             |             | time                 |
//	has started  |          | running     |             |                      |
//	failed/ended |          | backing off | backing off |                      |
//	not used     |          |             | idle        |                      |
//	closed       | closed   | closed      | closed      | closed               |
const (
	StateIdle       State = "idle"        // it is started by the next call
	StateStarting   State = "starting"    // it is being started
	StateRunning    State = "running"     // calls are sent to it
	StateBackingOff State = "backing off" // it has failed and is not started before its time
	StateClosed     State = "closed"      // it is not started any more
)

// The times after which a server that failed may be started again. They double from
// backoffFirst to backoffLast; one that ran for backoffHealthy begins from the start.
const (
	backoffFirst   = 250 * time.Millisecond
	backoffLast    = 30 * time.Second
	backoffHealthy = time.Minute
)

// life is the state machine of one server. It has no clock and no lock of its own.
type life struct {
	state    State
	since    time.Time // when the state began
	retry    time.Time // when it may be started again, while it backs off
	failures int       // in a row
	starts   int       // how often it has been running
	last     error     // of the last failure, nil after it has started
}

// mayStart reports whether the server may be started now.
func (l *life) mayStart(now time.Time) bool {
	return l.state == StateIdle || l.state == StateBackingOff && !now.Before(l.retry)
}

func (l *life) enter(s State, now time.Time) { l.state, l.since = s, now }

func (l *life) started(now time.Time) {
	l.enter(StateRunning, now)
	l.starts++
	l.last = nil
}

// failed is for a start that failed and for a server that ended by itself.
func (l *life) failed(now time.Time, err error) {
	if l.state == StateRunning && now.Sub(l.since) >= backoffHealthy {
		l.failures = 0
	}
	l.retry = now.Add(backoff(l.failures))
	l.failures++
	l.last = err
	l.enter(StateBackingOff, now)
}

// backoff returns how long to wait after so many failures before this one.
func backoff(failures int) time.Duration {
	d := backoffFirst
	for range failures {
		if d *= 2; d >= backoffLast {
			return backoffLast
		}
	}
	return d
}
