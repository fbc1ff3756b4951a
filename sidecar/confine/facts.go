package confine

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// layers lists the layers and what each one is for.
var layers = [...]struct {
	layer sandbox.Layer
	does  string
}{
	{sandbox.Landlock, "files, TCP ports, signals and abstract sockets"},
	{sandbox.Seccomp, "sockets, namespaces, tracing and io_uring"},
	{sandbox.Capabilities, "the powers of root"},
}

// Layer is one layer of the sandbox on this machine.
type Layer struct {
	Name string
	Does string // what it is for
	On   bool
	Why  string // why it is not on
}

// Layers returns all layers.
func Layers() (all []Layer) {
	facts := sandbox.Probe()
	for _, l := range layers {
		one := Layer{Name: l.layer.String(), Does: l.does, On: facts.Layers&l.layer != 0}
		if err := facts.Why[l.layer]; err != nil {
			one.Why = err.Error()
		}
		if l.layer == sandbox.Landlock && one.On {
			one.Name = fmt.Sprintf("%s (ABI %d)", one.Name, facts.ABI)
		}
		all = append(all, one)
	}
	return all
}

// Network is the network in which a tool's program reaches the hosts that its tool requires. It
// tries to make one.
func Network(n *sandbox.Namespaces) Layer {
	l := Layer{Name: "network namespace", Does: "programs to the hosts that their tools require", On: true}
	if err := n.Fault(); err != nil {
		l.On, l.Why = false, err.Error()
	} else if n.InUserNamespaces() {
		l.Does += ", by a user namespace"
	}
	return l
}

// Networks reports whether the program of a tool that requires hosts has a network of its own in a
// mode, which it cannot leave: each connection is judged by its proxy. It may be called by many
// goroutines. The first call tries to make a network.
func Networks(mode Mode, n *sandbox.Namespaces) bool {
	on := mode == Auto || mode == Required
	return on && n != nil && sandbox.Probe().Layers == sandbox.AllLayers && n.Fault() == nil
}

// Counting is what counts the processes of a tool that limits them. It tries to make one.
func Counting() Layer {
	l := Layer{Name: "count of processes", Does: "tools that limit their processes", On: true}
	if says := (sandbox.Limits{Processes: 1}).Gaps(os.Geteuid()); len(says) > 0 {
		l.On, l.Why = false, "a tool with limits.processes: "+says[0]
	}
	return l
}

// Gaps says what the layers that are on leave open on this machine.
func Gaps() []string {
	facts := sandbox.Probe()
	if facts.Layers&sandbox.Landlock == 0 {
		return nil
	}
	return sandbox.Gaps(facts.ABI)
}

// whyNot says which layers are missing.
func whyNot(facts sandbox.Facts) string {
	var says []string
	for layer, err := range facts.Why {
		says = append(says, fmt.Sprintf("%s: %s", layer, err))
	}
	slices.Sort(says)
	return strings.Join(says, "; ")
}

// Line says in one line what confines the programs of tools.
func Line(mode Mode) string {
	var on, off []string
	for _, l := range Layers() {
		if l.On {
			on = append(on, l.Name)
		} else {
			off = append(off, l.Name+" is missing: "+l.Why)
		}
	}
	off = append(off, Gaps()...)
	switch {
	case mode == Off:
		return "off: programs of tools are not confined"
	case len(on) == 0:
		return "none: " + strings.Join(off, "; ")
	case len(off) == 0:
		return strings.Join(on, ", ")
	}
	return strings.Join(on, ", ") + "; but " + strings.Join(off, "; ")
}
