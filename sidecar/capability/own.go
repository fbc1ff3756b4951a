package capability

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Own is what an agent says that a tool of its own would do. No definition of ours stands behind
// it: what it leaves out is not known.
type Own struct {
	// Kind is the kind of the tool (manifest.ToolKinds). A kind that reads, writes, fetches or runs
	// does so, also if it does not say what.
	Kind string
	// Reads and Writes are paths, absolute or relative to the agent's directory. Hosts are hosts or URLs.
	Reads, Writes, Hosts []string
	// Command is source for a shell; Argv, if it is set, is run without one.
	Command string
	Argv    []string
	// Dir is where it is run, "" for the agent's directory.
	Dir string
}

// The pointers of what an agent's own tool uses.
const (
	pointerReads   = "/reads"
	pointerWrites  = "/writes"
	pointerHosts   = "/hosts"
	pointerCommand = "/command"
	pointerArgv    = "/argv"
)

// Untold is the doubt about a use of which an agent does not say what it is.
const Untold = "something that the agent does not name"

// OwnUses returns what an agent's own tool uses, and the directory in which it runs a command, with its
// links resolved: "" if it cannot be. What cannot be resolved to one thing is a use with a Doubt.
func (s *Scope) OwnUses(o Own) (uses []policy.Use, dir string) {
	u := ownUses{scope: s, dir: s.ownDir(o.Dir)}
	u.paths(policy.FSRead, pointerReads, o.Reads)
	u.paths(policy.FSWrite, pointerWrites, o.Writes)
	for i, h := range o.Hosts {
		u.host(pointerHosts+"/"+strconv.Itoa(i), h)
	}
	switch {
	case o.Argv != nil:
		u.add(policy.Use{Capability: policy.ShellRun, Pointer: pointerArgv, Value: CommandLine(o.Argv), Argv: o.Argv})
	case o.Command != "":
		u.add(policy.Use{Capability: policy.ShellRun, Pointer: pointerCommand, Value: o.Command})
	}
	u.untold(o.Kind)
	return u.all, u.dir
}

// ownDir returns the directory in which an agent's own tool runs a command, with its links resolved;
// "" if it cannot be. dir is "" for the agent's directory, which relative ones begin in.
func (s *Scope) ownDir(dir string) string {
	if dir == "" {
		dir = s.dir
	}
	if dir == "" {
		return ""
	}
	resolved, err := resolve(s.files, s.dir, dir)
	if err != nil {
		return ""
	}
	return resolved
}

// ownPath returns the path that an agent means, absolute and with its links resolved as far as it
// exists. The error is a clause after "the path".
func (s *Scope) ownPath(value string) (string, error) { return resolve(s.files, s.dir, value) }

// ownUses is what one use of an agent's own tool uses while it is gathered.
type ownUses struct {
	scope *Scope
	dir   string
	all   []policy.Use
}

func (u *ownUses) add(use policy.Use) { u.all = append(u.all, use) }

// paths adds paths. One that cannot be resolved stands there as it is written, so that a rule
// which denies it is heard.
func (u *ownUses) paths(c policy.Capability, pointer string, values []string) {
	for i, v := range values {
		use := policy.Use{Capability: c, Pointer: pointer + "/" + strconv.Itoa(i)}
		resolved, err := u.scope.ownPath(v)
		if use.Value = resolved; err != nil {
			use.Value, use.Doubt = u.written(v), "a path that "+err.Error()
		}
		if c == policy.FSWrite && err == nil {
			use.Written = through(u.scope.dir, v, resolved)
		}
		u.add(use)
	}
}

// written returns a path that cannot be resolved as an absolute and clean one.
func (u *ownUses) written(v string) string {
	v = strings.ReplaceAll(v, "\x00", "\ufffd")
	if !filepath.IsAbs(v) {
		v = u.scope.dir + "/" + v
	}
	return path.Clean(v)
}

func (u *ownUses) host(pointer, value string) {
	use := policy.Use{Capability: policy.NetFetch, Pointer: pointer, Value: value}
	if t, err := netguard.ParseTarget(value); err != nil {
		use.Doubt = "a host that cannot be read: " + err.Error()
	} else {
		use.Value = t.String()
	}
	u.add(use)
}

// untold adds what a tool of that kind does and the agent does not name. A search without a place is one
// in the agent's directory.
func (u *ownUses) untold(kind string) {
	var c policy.Capability
	var pointer string
	switch kind {
	case "read", "search":
		c, pointer = policy.FSRead, pointerReads
	case "edit", "delete", "move":
		c, pointer = policy.FSWrite, pointerWrites
	case "fetch":
		c, pointer = policy.NetFetch, pointerHosts
	case "execute":
		c, pointer = policy.ShellRun, pointerCommand
	default:
		return
	}
	for _, use := range u.all {
		if use.Capability == c {
			return
		}
	}
	use := policy.Use{Capability: c, Pointer: pointer, Doubt: Untold}
	if dir := u.scope.ownDir(""); kind == "search" && dir != "" && len(u.all) == 0 {
		use.Value, use.Doubt = dir, ""
	}
	u.add(use)
}
