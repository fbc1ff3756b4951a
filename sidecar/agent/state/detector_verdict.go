package state

import (
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// Failed is the state in a Report of a turn that ended with an error: the agent is
// ready again, and the verdict's Failed is set. It is never a verdict's State.
const Failed profile.State = "failed"

// The sources of a verdict, the most trusted first.
const (
	SourceExit         = "exit"         // the process has ended
	SourceChannel      = "channel"      // the agent said so over the channel
	SourceHook         = "hook"         // one of the agent's own hooks said so
	SourceOSC7501      = "osc7501"      // the agent's program status
	SourceOSC133       = "osc133"       // marks of a shell or REPL (OSC 133, 633)
	SourceProgress     = "progress"     // OSC 9;4
	SourceNotification = "notification" // OSC 9, 777, 99
	SourceKernel       = "kernel"       // the kernel says what the program that has the terminal waits for
	// then come profile.SourceTitle and profile.SourceScreen, in turns,
	SourceReadline = "readline" // bracketed paste and echo, as line editors switch them
	// then profile.SourcePrompt,
	SourceResult = "result" // the program wrote the line that answers a call
	SourceQuiet  = "quiet"  // only silence: inferred
	SourceSubmit = "submit" // a message was typed and nothing has contradicted since
	SourceStart  = "start"  // nothing has been seen yet
)

// Verdict is what a Detector concludes from all its sources.
type Verdict struct {
	State profile.State
	// Kind of Asking and Dialogue: permission, question or auth; "" if it is not known.
	Kind string
	// Source is the source that decided (Source…), and Rule the reason, in words.
	Source string
	Rule   string
	// Confidence is from 0 to 1: 1 if the process or the agent itself said so, 0.9 for a
	// hook or mark, 0.8 for the profile and the kernel, 0.6 for a rule for every agent, and
	// 0.3 if the verdict is inferred from silence.
	Confidence float64
	// Since is the time when State and Kind became what they are.
	Since time.Time
	// Message is for people: the question, or what went wrong. It comes from the agent,
	// is bounded to 4 KiB and may hold anything but control characters.
	Message string
	// Failed, of Ready, is true if the last turn ended with an error: see Message.
	Failed bool
}

// Inferred reports whether the verdict rests on silence alone.
func (v Verdict) Inferred() bool { return v.Source == SourceQuiet }

// Report is what the agent itself reported out of band: by a hook or over the channel.
type Report struct {
	// Source is SourceChannel or SourceHook; "" is a hook.
	Source string
	// State is Starting, Ready, Working, Asking, Failed or Exited; "" means that the
	// report says nothing of the state.
	State profile.State
	// Kind of Asking: permission, question or auth.
	Kind string
	// Text is the exact text of the answer so far or, with Final, all of it.
	// The Detector does not look at it.
	Text string
	// Message is for people: the question, or what went wrong.
	Message string
	// ID distinguishes this question, or this answer, from others of the same agent.
	ID string
	// Final is true if the turn has ended.
	Final bool
}

// TTY is the state of the terminal as its master side shows it.
type TTY struct {
	Canonical bool // ICANON: the terminal edits lines
	Echo      bool // the terminal shows what is typed
	// ChildForeground is true if a process group other than the agent's own is in the
	// foreground, as when a shell runs a command.
	ChildForeground bool
}
