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

// action is something that the machine wants done before the next step.
type action interface{ do(*run) error }

type (
	// typeKeys types bytes in one write.
	typeKeys string
	// submitted says that the Enter of this message comes next.
	submitted string
	// holdKeys asks for the terminal. line reports how far a person's line has come;
	// any goroutine may call it.
	holdKeys struct{ line func(view) tty.Line }
	// releaseKeys gives the terminal back, or no longer waits for it.
	releaseKeys struct{}
	// dropKeys drops people's keys that come within that time.
	dropKeys time.Duration
	// shrink makes the terminal a little smaller; restore ends that.
	shrink  struct{}
	restore struct{}
	// putQuestion asks the caller; withdraw takes the question back.
	putQuestion struct{ task.Question }
	withdraw    struct{}
	// writeText passes a further part of the answer on, replaceText all of it.
	writeText   string
	replaceText string
	// note is a fact for the task's metadata: the text, else the count, else true.
	note struct {
		key, text string
		count     int
	}
	// say sets the status of the task.
	say string
	// waitFor says what only a person can end, "" for nothing.
	waitFor string
	// tellState keeps the agent's state in the task's metadata.
	tellState console.AgentState
	// info is a line of the log.
	info struct{ text, key, value string }
)
