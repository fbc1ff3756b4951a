package tui

import (
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// view is what the terminal shows at one moment, and how it is set.
type view struct {
	console.Observation
	mode    tty.Mode
	modeErr error
}

// ready reports whether the agent waits for a message.
func (v *view) ready() bool { return v.Verdict.State == profile.Ready }

// event is everything that the machine may know at one moment: whatever has happened
// since the last step is in it.
type event struct {
	view
	seen uint64 // the number of the observation, which grows with each new one
	now  time.Time

	reports console.Reports // what hooks have said of this turn
	// history returns the rows that have scrolled off, from the one with that number on,
	// and the number of the first that is still kept.
	history func(from uint64) (rows []term.Line, first uint64)
	sent    []string // the last messages that were submitted
	// untaken returns how many bytes the agent has not read of what was typed; ok is false if
	// nobody knows.
	untaken func() (n int, ok bool)

	occupied bool   // a person is at the terminal
	keys     uint64 // how many keys people have typed

	over   bool      // the agent said that the turn is done
	stop   error     // why the run has to stop; nil: it has not
	held   bool      // the machine has the terminal: nobody else types now
	answer *answered // how the question to the caller has ended; nil: it has not
	failed error     // why the last keys could not be typed
}

// answered is the end of a question to the caller.
type answered struct {
	task.Answer
	err error // nobody has answered
}
