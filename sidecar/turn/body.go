package turn

import (
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// bodies are the modes in which an agent lives through many turns: what it lives
// in, and with that the driver that speaks to it.
var bodies = map[string]func(s *session) body{
	ModePTY:   newTerminal,
	ModeLines: newLines,
}

// body is what a session's process lives in: a terminal, or pipes. start and open
// come first, run once after them; the rest may then be called from many
// goroutines.
type body interface {
	// start starts the process.
	start(c proc.Command) (*proc.Child, error)
	// open makes what speaks to the process that was started.
	open(plan spec.Plan, hooked bool) error
	// agent speaks to the process through the body.
	agent() driver.Live
	// run passes on what the process writes until it has ended and all of it was
	// read.
	run() proc.Exit
	// abandon lets go of the files of a process that was killed before run.
	abandon()
	// release lets go of the rest; exit is nil when the process was abandoned.
	release(exit *proc.Exit)

	// lastWords is what a program that failed said last, "" for nothing.
	lastWords(exit proc.Exit) string
	// attended reports whether a person sits there.
	attended() bool
	// quit asks an idle agent to end by itself, so that it can put its things in
	// order, and waits a little for its end.
	quit()
	// begins says that a turn begins, the nth of the session.
	begins(n int, task string)
	// report takes what a hook said of the agent.
	report(r channel.Report)
	// verdict is what the agent is doing.
	verdict() state.Verdict
}

// maxWords is how much of an agent's last words is told, in runes.
const maxWords = 200

// shortWords is the beginning of a program's last words as plain text.
func shortWords(line string) string {
	words := []rune(console.PlainText(line))
	if len(words) > maxWords {
		words = append(words[:maxWords], '…')
	}
	return string(words)
}

// quitTime is how long an agent may take to end by itself before the stop ladder
// begins.
const quitTime = 750 * time.Millisecond

// stop ends the session's process: by itself if it is idle, and what is left by
// the ladder. Some programs take no notice of a SIGTERM.
func (s *session) stop() {
	s.mu.Lock()
	s.stopped = true
	busy := s.cur != nil || s.stuck != nil
	s.mu.Unlock()
	if !busy {
		s.body.quit()
	}
	s.child.Stop()
}
