package turn

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
)

// The pauses before a restart. Each is twice as long as the one before; they begin
// again after a session that lived for restartCalm.
const (
	restartFirst = 250 * time.Millisecond
	restartLast  = 30 * time.Second
	restartCalm  = time.Minute
)

// sharedSession is the one process for all contexts: they share its conversation, unless it is
// spoken to in messages and holds one for each. If the process ends, the agent has ended, unless
// it is restarted.
type sharedSession struct {
	r *Runner

	mu        sync.Mutex
	cur       *session
	changed   chan struct{}   // closed when cur was replaced, or never will be
	used      chan struct{}   // closed when the turn that uses cur has settled; nil: no turn uses it
	met       map[string]bool // true: the context spoke to an earlier process
	over      chan struct{}   // closed when the agent has ended for good
	exitValue proc.Exit
	finished  chan struct{} // closed when supervise has returned; nil: never started
}

var _ sessions = (*sharedSession)(nil)

func newSharedSession(r *Runner) *sharedSession {
	return &sharedSession{r: r, changed: make(chan struct{}), over: make(chan struct{}), met: map[string]bool{}}
}

func (o *sharedSession) start(ctx context.Context) error {
	s, err := o.r.startSession("1", "")
	if err != nil {
		return err
	}
	o.mu.Lock()
	o.cur, o.finished = s, make(chan struct{})
	o.mu.Unlock()
	go o.supervise(s) // waited for by close
	err = s.connected(ctx)
	if _, ended := Ended(err); ended {
		return nil // supervise tells of it
	}
	return err
}

// supervise waits for the end of the process, and of each process that replaces it.
func (o *sharedSession) supervise(s *session) {
	defer close(o.finished)
	pause := restartFirst
	for {
		s.gone()
		o.r.o.SessionEnded("")
		o.settled()
		exit := s.exit()
		if time.Since(s.started) >= restartCalm {
			pause = restartFirst
		}
		if o.restarts(exit) {
			s = o.restart(&pause)
		} else {
			s = nil
		}
		if s == nil {
			o.end(exit)
			return
		}
	}
}

// settled waits until the turn that saw the end has told its client.
func (o *sharedSession) settled() {
	o.mu.Lock()
	used := o.used
	o.mu.Unlock()
	if used != nil {
		<-used
	}
}

func (o *sharedSession) restarts(exit proc.Exit) bool {
	if o.r.drain.Err() != nil || o.r.BrokenBy() != nil {
		return false
	}
	switch o.r.o.Restart {
	case RestartAlways:
		return true
	case RestartOnFailure:
		return !exit.Success()
	}
	return false
}

// restart starts the process again after a pause that grows. It returns nil if
// everything has to stop.
func (o *sharedSession) restart(pause *time.Duration) *session {
	for {
		o.r.o.Log.Warn("the agent is restarted", "after", pause.String())
		timer := time.NewTimer(*pause)
		select {
		case <-timer.C:
		case <-o.r.drain.Done():
			timer.Stop()
			return nil
		}
		*pause = min(2**pause, restartLast)
		s, err := o.r.startSession("1", "")
		if err == nil {
			o.replace(s)
			return s
		}
		o.r.o.Log.Error("the agent could not be restarted", "error", err)
	}
}

func (o *sharedSession) replace(s *session) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id := range o.met {
		o.met[id] = true
	}
	o.cur = s
	close(o.changed)
	o.changed = make(chan struct{})
}

// end tells everybody that no further process comes.
func (o *sharedSession) end(exit proc.Exit) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.exitValue = exit
	close(o.over)
}

// errGone says that the agent has ended and is not restarted.
var errGone = errors.New("the agent has ended")

func (o *sharedSession) acquire(ctx context.Context, t *turn) (*session, error) {
	for {
		o.mu.Lock()
		s, changed := o.cur, o.changed
		if s != nil && s.life.Err() == nil {
			o.used = make(chan struct{})
			if o.r.shared() {
				o.introduce(t)
			}
			o.mu.Unlock()
			return s, nil
		}
		o.mu.Unlock()
		select {
		case <-changed:
		case <-o.over:
			return nil, errGone
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// maxMet is how many contexts are remembered, to tell them of a restart.
const maxMet = 1000

// introduce tells the client that it shares the conversation with others, and that
// an earlier conversation is lost. The lock is held.
func (o *sharedSession) introduce(t *turn) {
	id := t.task.ContextID()
	if id != o.r.o.SessionContext {
		t.Note("sharedSession", true)
	}
	if o.met[id] {
		t.Note("newSession", true)
	}
	if _, known := o.met[id]; known || len(o.met) < maxMet {
		o.met[id] = false
	}
}

func (o *sharedSession) release(*session) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.used)
	o.used = nil
}

func (o *sharedSession) ready() error {
	o.mu.Lock()
	s := o.cur
	o.mu.Unlock()
	if s == nil {
		return a2a.ErrUnavailable.With("the agent has not been started")
	}
	return s.alive()
}

func (o *sharedSession) exited() <-chan struct{} { return o.over }

func (o *sharedSession) exit() proc.Exit {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.exitValue
}

func (o *sharedSession) signal(sig os.Signal) {
	o.mu.Lock()
	s := o.cur
	o.mu.Unlock()
	if s != nil {
		s.signal(sig)
	}
}

func (o *sharedSession) Close() {
	o.mu.Lock()
	finished := o.finished
	o.mu.Unlock()
	if finished != nil {
		<-finished
	}
}
