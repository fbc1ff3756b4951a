package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
)

// compile makes the sandbox of a tool.
func (k *Keeper) compile(c *Call, path string) (*Confined, error) {
	made := &Confined{Home: k.readsHome(c)}
	if exposed := k.exposed(c.Set.Write.Expanded); exposed != "" {
		made.Wider = append(made.Wider, exposed)
	}
	rules := sandbox.System()
	rules.Off = k.o.Off
	needs := needs{dir: c.Dir, env: c.Env}
	needs.program(path)
	for _, s := range c.Set.Shell {
		if s.Cmd == capability.AnyCommand {
			needs.everything()
		}
		needs.command(s.Cmd)
	}
	if k.o.Self != "" {
		needs.file(k.o.Self)
	}
	rules.Exec = append(rules.Exec, needs.roots...)
	for _, p := range c.Set.Read.Expanded {
		rules.Exec = append(rules.Exec, rootOf(p)) // who can read a program can run it through its interpreter
	}
	for _, p := range c.Set.Write.Expanded {
		if err := k.prepare(p); err != nil {
			return nil, err
		}
		rules.Write = append(rules.Write, rootOf(p))
	}
	made.Wider = append(made.Wider, Wider(c.Set)...)
	k.limit(c, &rules, made)
	k.network(c, &rules, made)
	if k.o.Mode == Required && len(made.Wider) > 0 {
		return nil, fmt.Errorf("its sandbox would be wider than what it declares: %s (--sandbox required)", text.Enumerate(made.Wider, "and"))
	}
	box, err := sandbox.New(rules)
	if errors.Is(err, errors.ErrUnsupported) && k.o.Mode == Auto {
		return made, nil
	}
	made.Box = box
	return made, err
}

// limit gives the program the limits of its tool.
func (k *Keeper) limit(c *Call, rules *sandbox.Rules, made *Confined) {
	l := c.Tool.Limits
	limits := sandbox.Limits{Memory: l.Memory, CPU: l.CPU, Processes: l.Processes, Disk: l.Disk}
	if limits != (sandbox.Limits{}) && k.o.Self == "" {
		made.Wider = append(made.Wider, "its limits are not held: the sidecar does not know its own program, which would set them")
		return
	}
	rules.Limits, rules.Shim = limits, k.o.Self
	made.Wider = append(made.Wider, limits.Gaps(k.uid())...)
}

// uid returns the user of the programs.
func (k *Keeper) uid() int {
	if k.o.User != nil {
		return int(k.o.User.UID)
	}
	return os.Geteuid()
}

// network gives the program the network of its tool's hosts.
func (k *Keeper) network(c *Call, rules *sandbox.Rules, made *Confined) {
	if len(c.Set.NetHosts) == 0 {
		return
	}
	rules.Read = append(rules.Read, sandbox.Resolver()...)
	if k.o.Namespaces == nil {
		k.everyHost(c, rules, made, "")
		return
	}
	if err := k.o.Namespaces.Fault(); err != nil {
		k.everyHost(c, rules, made, ": "+err.Error())
		return
	}
	// What the program does within its own network reaches nobody else.
	rules.Net = &sandbox.Net{Listen: true}
	made.Hosts, made.Namespaces = c.Set.NetHosts, k.o.Namespaces
}

// everyHost gives the program our own network. If the kernel can, it reaches nothing there but
// one TCP port, that of its proxy, at whatever address.
func (k *Keeper) everyHost(c *Call, rules *sandbox.Rules, made *Confined, why string) {
	says := "it can reach every host"
	rules.Net = &sandbox.Net{Datagrams: true}
	if facts := sandbox.Probe(); facts.ABI >= portsABI && facts.Layers&^k.o.Off&onePort == onePort {
		says += " that listens at the port of its proxy"
		rules.Net = &sandbox.Net{Connect: []uint16{}}
		made.Hosts = c.Set.NetHosts
	}
	made.Wider = append(made.Wider, says+": this machine cannot hold it to "+text.Enumerate(c.Set.NetHosts, "and")+why)
}

// What it takes to hold a program to one TCP port: the version of Landlock, and the layers.
const (
	portsABI = 4
	onePort  = sandbox.Landlock | sandbox.Seccomp
)

// rootOf returns what the kernel can hold of a pattern: its literal beginning.
func rootOf(p capability.Path) sandbox.Root {
	rel, err := filepath.Rel(p.Dir, p.Root)
	if err != nil {
		rel = "." // Root is below Dir
	}
	return sandbox.Root{Base: p.Dir, Path: rel}
}

// Wider says which patterns of a set the kernel cannot hold, and what it holds instead.
func Wider(set *capability.Set) (says []string) {
	for _, kind := range []struct {
		verb  string
		paths capability.Paths
	}{{"read", set.Read}, {"write", set.Write}} {
		for _, p := range kind.paths.Expanded {
			if p.Glob != "" && strings.Trim(p.Glob, "*") != "" || p.Glob == "*" {
				says = append(says, fmt.Sprintf("it can %s everything in %s, not only %s", kind.verb, p.Root, p.Pattern))
			}
		}
	}
	return says
}
