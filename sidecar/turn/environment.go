package turn

import (
	"slices"
	"strings"
)

// private are the variables of the sidecar's own that an agent never sees,
// beside every SIDECAR_* and SPRING_BOOTSTRAP_*.
var private = []string{"AGENT_CMD", "AGENT_ARGS", "AGENT_PORT", "SPRING_AGENT_ARGV", "TRACEPARENT"}

// environment is what every process of the agent inherits, and what it is told
// of the sidecar. It is not changed after it was made.
type environment struct {
	base   []string
	socket string
	url    func() string
}

func newEnvironment(o Options) environment {
	e := environment{url: o.URL}
	for _, v := range o.Env {
		if name, _, ok := strings.Cut(v, "="); ok && inherited(name) {
			e.base = append(e.base, v)
		}
	}
	if o.Mode == ModePTY {
		e.base = terminalEnv(e.base, o.Person != nil)
	}
	if o.Channel != nil {
		e.socket = o.Channel.Path()
	}
	return e
}

// inherited reports whether the agent may see a variable of ours.
func inherited(name string) bool {
	return !strings.HasPrefix(name, "SIDECAR_") && !strings.HasPrefix(name, "SPRING_BOOTSTRAP_") &&
		!slices.Contains(private, name)
}

// terminalEnv describes our terminal. A person's own terminal describes itself,
// unless it is one that agents refuse.
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

// sidecar is what each process is told of us. The token is also the mark by
// which a process that ran away is found, so it is there without a channel too.
func (e environment) sidecar(token string) []string {
	env := append(make([]string, 0, len(e.base)+12), e.base...) // and what a turn adds
	if e.socket != "" {
		env = append(env, "SIDECAR_SOCKET="+e.socket)
	}
	if e.url != nil {
		if u := e.url(); u != "" {
			env = append(env, "SIDECAR_URL="+u)
		}
	}
	return append(env, marker(token))
}

// marker is the entry that carries the token.
func marker(token string) string { return "SIDECAR_CHANNEL_TOKEN=" + token }

// environment is that of a process that is there for this turn only.
func (t *turn) environment(token string) []string {
	env := append(t.r.env.sidecar(token),
		"SIDECAR_TASK_ID="+t.task.ID(),
		"SIDECAR_CONTEXT_ID="+t.task.ContextID())
	if m := t.task.Message(); m != nil {
		env = append(env, "SIDECAR_MESSAGE_ID="+m.ID)
	}
	if t.files != nil {
		env = append(env, "SIDECAR_MESSAGE_FILE="+t.files.path(messageFile), "SIDECAR_OUTBOX="+t.files.path(outbox))
	}
	if t.call != nil {
		env = append(env, "SIDECAR_CALL_ID="+t.call.ID, "SIDECAR_TOOL="+t.call.Tool)
	}
	if t.trace != "" {
		env = append(env, "TRACEPARENT="+t.trace)
	}
	return env
}
