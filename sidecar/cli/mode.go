package cli

import (
	"path/filepath"

	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// chooseMode settles --mode auto: a person at the terminal gets the agent; otherwise it is the best that
// is known of the command, and its terminal is the last resort.
func (o *runOptions) chooseMode(c *config.Config) (mode, why string) {
	if c.Person(tty.IsForegroundTerminal(o.std.In, o.std.Out)) {
		return config.ModePTY, "a person is at the terminal"
	}
	if mode, why = agent.Best(c.Command); mode != "" {
		return mode, why
	}
	return config.ModePTY, "no other mode is known to suit " + filepath.Base(c.Command[0])
}
