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

// bodies maps each mode in which an agent lives through many turns to its body, and
// with it to the driver that speaks to the agent.
var bodies = map[string]func(s *session) body{
	ModePTY:    newTerminal,
	ModeLines:  newLines,
	ModeMCP:    newMCP,
	ModeACP:    newTalker,
	ModeStream: newTalker,
}

// body is what a session's process lives in: a terminal, or pipes. start is called
// first, then open; run is called once after them. The other methods may then be
// called from many goroutines.
type body interface {
	// start starts the process.
	start(c proc.Command) (*proc.Child, error)
	// open makes the driver that speaks to the started process.
	open(plan spec.Plan, hooked bool) error
	// agent returns the driver that speaks to the process through the body.
	agent() driver.Live
	// run passes on what the process writes, until the process has ended and all
	// its output was read.
	run() proc.Exit
	// abandon releases the files of a process that was killed before run.
	abandon()
	// release releases everything else. exit is nil if the process was abandoned.
	release(exit *proc.Exit)

	// lastWords returns what a program that failed wrote last, "" if nothing.
	lastWords(exit proc.Exit) string
	// attended reports whether a person is at the terminal.
	attended() bool
	// quit asks an idle agent to end by itself, so that it can put its data in
	// order, and waits a short time for its end.
	quit()
	// begins says that the nth turn of the session begins.
	begins(n int, task string)
	// report takes what a hook said of the agent.
	report(r channel.Report)
	// verdict returns what the agent is doing.
	verdict() state.Verdict
}

// maxWords is how much of an agent's last output is reported, in runes.
const maxWords = 200

// shortWords returns the beginning of a program's last line as plain text.
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

// stop ends the session's process. An idle agent is first asked to end by itself;
// the stop ladder ends what is left. Some programs ignore a SIGTERM.
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
