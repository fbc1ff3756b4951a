package call

import (
	"path"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// maxGrants is how much of what a turn was allowed is remembered: paths and commands. The oldest is
// forgotten, and asked for again.
const maxGrants = 1024

// grants are what a turn was allowed, the oldest first. It is used under its owner's lock.
type grants struct {
	order []string
	known map[string]struct{}
}

func (g *grants) add(key string) {
	if _, ok := g.known[key]; ok {
		return
	}
	if g.known == nil {
		g.known = map[string]struct{}{}
	}
	if len(g.order) == maxGrants {
		delete(g.known, g.order[0])
		g.order = slices.Delete(g.order, 0, 1)
	}
	g.order = append(g.order, key)
	g.known[key] = struct{}{}
}

func (g *grants) holds(key string) bool {
	_, ok := g.known[key]
	return ok
}

// grant remembers what the agent was allowed by a Permit, so that it is not asked for again when the agent
// has us do it.
func (n *native) grant(inv *Invocation) {
	kind := peer.Kind(inv.tool.Kind)
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, u := range inv.input.uses {
		switch {
		case u.Doubt != "" || u.Value == "":
		case u.Capability == policy.FSRead, u.Capability == policy.FSWrite && (kind == peer.Edit || kind == peer.Move):
			n.allowed.add(fileGrant(u.Capability, u.Value))
		case u.Capability == policy.ShellRun && kind == peer.Execute && inv.own.dir != "":
			n.allowed.add(commandGrant(u.Value, inv.own.dir))
		}
	}
}

func fileGrant(c policy.Capability, path string) string { return string(c) + "\x00" + path }

func commandGrant(source, dir string) string {
	return string(policy.ShellRun) + "\x00" + dir + "\x00" + source
}

// grantedFile reports whether the turn was allowed to read, or to write, the one file that is used.
func (n *native) grantedFile(_ string, uses []policy.Use) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(uses) == 1 && uses[0].Doubt == "" && n.allowed.holds(fileGrant(uses[0].Capability, uses[0].Value))
}

// grantedCommand reports whether the turn was allowed exactly this command in this directory: its words, or
// the source that it hands to a shell.
func (n *native) grantedCommand(argv []string, dir string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.allowed.holds(commandGrant(capability.CommandLine(argv), dir)) {
		return true
	}
	return len(argv) == 3 && isShell(argv[0]) && (argv[1] == "-c" || argv[1] == "-lc") && n.allowed.holds(commandGrant(argv[2], dir))
}

// isShell reports whether a program is a shell of the system.
func isShell(program string) bool {
	name, dir := path.Base(program), strings.TrimSuffix(path.Dir(program), "/")
	return slices.Contains([]string{"sh", "bash", "zsh", "dash"}, name) && slices.Contains([]string{".", "/bin", "/usr/bin"}, dir) && program != "./"+name
}
