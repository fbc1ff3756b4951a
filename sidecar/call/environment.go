package call

import (
	"slices"
	"strings"
)

// environment is what an exec tool inherits: the few names that every program
// needs, and those that its manifest declares. Later entries win, as in a
// shell.
func environment(base, declared []string) []string {
	env := make([]string, 0, 16)
	for _, entry := range base {
		name, _, _ := strings.Cut(entry, "=")
		if standard(name) || slices.Contains(declared, name) && !private(name) {
			env = append(env, entry)
		}
	}
	return env
}

func standard(name string) bool {
	switch name {
	case "PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR":
		return true
	}
	return strings.HasPrefix(name, "LC_")
}

// private names never reach a child, declared or not: they configure the
// sidecar itself, or would pass another call's token on.
func private(name string) bool {
	switch name {
	case "AGENT_CMD", "AGENT_ARGS", "AGENT_PORT", "SPRING_AGENT_ARGV":
		return true
	}
	return strings.HasPrefix(name, "SIDECAR_") || strings.HasPrefix(name, "SPRING_BOOTSTRAP_")
}

// callEnvironment is what an exec tool learns of its call.
func (p *Pipeline) callEnvironment(inv *Invocation, token string, s *scratch) []string {
	var env []string
	set := func(name, value string) {
		if value != "" && !strings.ContainsRune(value, 0) {
			env = append(env, name+"="+value)
		}
	}
	set("SIDECAR_TASK_ID", inv.task.ID())
	set("SIDECAR_CONTEXT_ID", inv.task.ContextID())
	set("SIDECAR_MESSAGE_ID", inv.task.Message().ID)
	set("SIDECAR_CALL_ID", inv.id)
	set("SIDECAR_TOOL", inv.tool.Name)
	set(tokenName, token)
	if p.opts.Channel != nil {
		set("SIDECAR_SOCKET", p.opts.Channel.Path())
	}
	if p.opts.URL != nil {
		set("SIDECAR_URL", p.opts.URL())
	}
	if s != nil {
		set("SIDECAR_MESSAGE_FILE", s.message)
		set("SIDECAR_OUTBOX", s.outbox)
	}
	set("TRACEPARENT", inv.request.TraceParent)
	return env
}
