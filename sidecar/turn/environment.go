package turn

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

// environment returns what every process of the agent inherits. The result is not
// changed afterwards.
func environment(o Options) []string {
	env := job.Inherit(o.Env, nil)
	if o.Mode == ModePTY {
		return terminalEnv(env, o.Person != nil)
	}
	return env
}

// terminalEnv describes our terminal. A person's own terminal describes itself,
// unless it is a terminal that agents refuse.
func terminalEnv(base []string, person bool) []string {
	terminal, colour := "TERM=xterm-256color", "COLORTERM=truecolor"
	out := make([]string, 0, len(base)+2)
	for _, v := range base {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case name == "LINES" || name == "COLUMNS":
		case name == "TERM" || name == "COLORTERM":
			if person && name == "TERM" && value != "" && value != "dumb" && value != "vt100" {
				terminal = v
			}
			if person && name == "COLORTERM" && value != "" {
				colour = v
			}
		default:
			out = append(out, v)
		}
	}
	return append(out, terminal, colour)
}
