package confine

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
)

// Agent is what the sandbox of a wrapped agent's own process is made for.
type Agent struct {
	Argv []string
	// Script is the file that the program of Argv runs, as in "node agent.js", "" for none.
	Script string
	Dir    string   // the directory that it runs in, "" for our own
	Env    []string // its environment
	// Read and Write are absolute paths of its own: what else it starts with, and its state. Links in
	// them are followed, and what does not exist gives nothing.
	Read, Write []string
	// Hosts are patterns of the hosts that it reaches, those of its model.
	Hosts []string
	// Set is what it may use in addition, nil for nothing.
	Set *capability.Set
}

// ForAgent returns the sandbox for a process of the wrapped agent, which is always held: by all
// layers, and in a network of its own. The error says what cannot be held on this machine, or what
// of the sidecar's own the agent could write.
func (k *Keeper) ForAgent(a Agent) (*Confined, error) {
	if err := k.AgentFault(); err != nil {
		return nil, err
	}
	path, err := proc.LookPath(a.Argv[0], a.Dir, a.Env)
	if err != nil {
		return nil, err
	}
	rules := sandbox.System()
	// Its terminal: whatever process opens it gets its own.
	rules.Devices = append(rules.Devices, sandbox.Root{Path: "/dev/tty"})
	rules.Read = append(rules.Read, sandbox.Resolver()...)
	needs := needs{dir: a.Dir, env: a.Env}
	needs.program(path)
	needs.modules(path)
	if a.Script != "" {
		script := a.Script
		if !filepath.IsAbs(script) {
			script = filepath.Join(a.Dir, script)
		}
		needs.program(script)
		needs.modules(script)
	}
	if k.o.Self != "" {
		needs.file(k.o.Self)
	}
	rules.Exec = append(rules.Exec, needs.roots...)
	for _, p := range a.Read {
		rules.Read = append(rules.Read, sandbox.Root{Path: p})
	}
	made := &Confined{Home: true, Hosts: a.Hosts}
	if err := k.agentWrites(&a, &rules); err != nil {
		return nil, err
	}
	if a.Set != nil {
		if wider := Wider(a.Set); len(wider) > 0 {
			return nil, fmt.Errorf("its sandbox would be wider than what the policy file requires: %s", text.Enumerate(wider, "and"))
		}
		for _, p := range a.Set.Read.Expanded {
			rules.Exec = append(rules.Exec, rootOf(p))
		}
		made.Hosts = append(made.Hosts[:len(made.Hosts):len(made.Hosts)], a.Set.NetHosts...)
	}
	rules.Net, made.Namespaces = &sandbox.Net{Listen: true}, k.o.Namespaces
	made.Box, err = sandbox.New(rules)
	return made, err
}

// AgentFault says what of the sandbox of an agent cannot be held on this machine, nil for nothing. It
// tries to make a network.
func (k *Keeper) AgentFault() error {
	facts := sandbox.Probe()
	if lacks := sandbox.AllLayers &^ (facts.Layers &^ k.o.Off); lacks != 0 {
		return errors.New(strings.TrimSuffix(fmt.Sprintf("there is no %s: %s", lacks, whyNot(facts)), ": "))
	}
	if k.o.Namespaces == nil {
		return errors.New("it could reach every host: there are no network namespaces here")
	}
	if err := k.o.Namespaces.Fault(); err != nil {
		return fmt.Errorf("it could reach every host: %w", err)
	}
	return nil
}

// AgentLine says in one line what an agent's process is held by.
func (k *Keeper) AgentLine() string {
	var on []string
	for _, l := range Layers() {
		on = append(on, l.Name)
	}
	on = append(on, "network namespace")
	line := strings.Join(on, ", ")
	if gaps := Gaps(); len(gaps) > 0 {
		line += "; but " + strings.Join(gaps, "; ")
	}
	return line
}

// agentWrites lets an agent write its own state and what it may write in addition, but nothing of
// the sidecar's.
func (k *Keeper) agentWrites(a *Agent, rules *sandbox.Rules) error {
	var all []capability.Path
	for _, p := range a.Write {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			real = p // it does not exist
		}
		all = append(all, capability.Path{Pattern: p, Dir: "/", Root: real})
		rules.Write = append(rules.Write, sandbox.Root{Path: p})
	}
	if a.Set != nil {
		for _, p := range a.Set.Write.Expanded {
			if err := k.prepare(p); err != nil {
				return err
			}
			all = append(all, p)
			rules.Write = append(rules.Write, rootOf(p))
		}
	}
	if exposed := k.exposed(all); exposed != "" {
		return errors.New(exposed)
	}
	return nil
}

// OpenAgent is Open for an agent, whose programs also reach the sidecar's channel by the proxy.
func (c *Confined) OpenAgent(dialer egress.Dialer, tell func(egress.Attempt), channel func() (net.Conn, error)) (*Net, error) {
	return c.openNetwork(dialer, egress.Options{Tell: tell, Channel: channel})
}

// ChannelAddress returns the address of the channel in the network: see [egress.Proxy].
func (n *Net) ChannelAddress() string { return n.proxy.ChannelAddress() }

// modules adds the outermost directory of packages that a program is in, which holds those that it
// needs.
func (n *needs) modules(path string) {
	const dir = "/node_modules/"
	file, err := filepath.EvalSymlinks(path)
	if at := strings.Index(file, dir); err == nil && at > 0 {
		n.roots = append(n.roots, sandbox.Root{Path: file[:at+len(dir)-1]})
	}
}
