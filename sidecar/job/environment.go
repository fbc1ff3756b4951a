package job

import (
	"slices"
	"strings"
)

// tokenName is the variable that carries a process's token. It is also the mark by
// which a process that ran away is found, so it is set without a channel too.
const tokenName = "SIDECAR_CHANNEL_TOKEN"

// private are the variables that configure the sidecar itself or belong to another
// job, in addition to every SIDECAR_* and SPRING_BOOTSTRAP_*.
var private = []string{"AGENT_CMD", "AGENT_ARGS", "AGENT_PORT", "SPRING_AGENT_ARGV", "TRACEPARENT"}

// Inherit returns the part of the sidecar's environment that a process may see: the
// variables that wanted allows (nil allows all), but never one of the sidecar's own.
func Inherit(environ []string, wanted func(name string) bool) []string {
	env := make([]string, 0, 16)
	for _, v := range environ {
		if name, _, ok := strings.Cut(v, "="); ok && inherited(name) && (wanted == nil || wanted(name)) {
			env = append(env, v)
		}
	}
	return env
}

// InheritTool returns what the program of a tool inherits: the few variables that every program
// needs, and those that its declaration names.
func InheritTool(environ, declared []string) []string {
	return Inherit(environ, func(name string) bool { return standard(name) || slices.Contains(declared, name) })
}

func standard(name string) bool {
	switch name {
	case "PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR":
		return true
	}
	return strings.HasPrefix(name, "LC_")
}

func inherited(name string) bool {
	return !strings.HasPrefix(name, "SIDECAR_") && !strings.HasPrefix(name, "SPRING_BOOTSTRAP_") &&
		!slices.Contains(private, name)
}

// variables is an environment that grows.
type variables []string

// set adds a variable. An empty value means that there is none. A value that holds
// NUL is left out, because no process could be started with it.
func (v *variables) set(name, value string) {
	if value != "" && !strings.ContainsRune(value, 0) {
		*v = append(*v, name+"="+value)
	}
}

// Environ returns inherited, followed by what each process is told of the sidecar:
// its socket, its address, the token, and the files of the folder.
func (r *Runner) Environ(inherited []string, token string, files *Folder) []string {
	env := variables(append(make([]string, 0, len(inherited)+12), inherited...)) // room for what a job adds
	if r.o.Channel != nil {
		env.set("SIDECAR_SOCKET", r.o.Channel.Path())
	}
	if r.o.URL != nil {
		env.set("SIDECAR_URL", r.o.URL())
	}
	if files != nil {
		env.set("SIDECAR_MESSAGE_FILE", files.path(messageFile))
		env.set("SIDECAR_OUTBOX", files.path(outbox))
	}
	env.set(tokenName, token)
	return env
}

// Marker returns the variable that carries the token, as it is written in the
// environment.
func Marker(token string) string { return tokenName + "=" + token }

// environ returns the whole environment of a job's process.
func (r *Runner) environ(j *Job, token string) []string {
	env := variables(r.Environ(j.Env, token, j.Files))
	t := j.Owner.work.Task
	env.set("SIDECAR_TASK_ID", t.ID())
	env.set("SIDECAR_CONTEXT_ID", t.ContextID())
	if m := t.Message(); m != nil {
		env.set("SIDECAR_MESSAGE_ID", m.ID)
	}
	env.set("SIDECAR_CALL_ID", j.CallID)
	env.set("SIDECAR_TOOL", j.Tool)
	env.set("TRACEPARENT", j.TraceParent)
	return env
}
