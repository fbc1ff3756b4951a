package gemini

import (
	"fmt"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// gemini without a terminal takes a message on stdin, answers it and ends. Seen with 0.61: a session
// whose first message failed is not kept, and --session-id of one that is kept is refused.

// exitInput is the exit code of a gemini that does not like what it was given: a session that it does not
// know, for one. It then has said nothing on stdout.
const exitInput = 42

// streamFormat is the output format that is read.
const streamFormat = "stream-json"

// once says how a process is started that serves one message.
func once() *spec.Once {
	return &spec.Once{Plan: speakOnce, Create: "--session-id", Resume: "--resume", Forgotten: exitInput}
}

// speakOnce has gemini write events.
func speakOnce(l *spec.Launch) (spec.Plan, error) {
	plan := spec.Plan{Env: whole(l)}
	for _, name := range []string{"-o", "--output-format"} {
		switch at, value := l.Flag(name); {
		case at == 0:
		case value != streamFormat:
			return spec.Plan{}, fmt.Errorf("%s %s is not what is read here; leave it out", name, value)
		default:
			return plan, nil
		}
	}
	plan.Argv = l.With("-o", streamFormat)
	return plan, nil
}
