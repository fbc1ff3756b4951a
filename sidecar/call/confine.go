package call

import (
	"errors"
	"slices"

	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// confinement is what a call's program runs in.
type confinement struct {
	box *sandbox.Sandbox // nil: none
	net *confine.Net     // nil: none of its own
	env []string
	// files is the call's folder; nil: there is none.
	files *job.Folder
}

// remove removes the program's folder.
func (c confinement) remove() { _ = c.files.Remove() } // Close removes what could not be removed

// sandboxOf returns the sandbox of a call's tool. Without its Box, nothing confines the program.
func (p *Pipeline) sandboxOf(inv *Invocation, argv []string, dir string, env []string) (*confine.Confined, error) {
	if p.opts.Sandbox == nil {
		return &confine.Confined{}, nil
	}
	c, err := p.opts.Sandbox.For(confine.Call{Tool: inv.tool, Set: inv.input.set, Argv: argv, Dir: dir, Env: env})
	if err == nil && (c.Box == nil || c.Namespaces == nil) && slices.ContainsFunc(inv.input.uses, atConnect) {
		err = errors.New("it was allowed because each of its connections would be judged, and now it has no network of its own")
	}
	return c, err
}

// confine returns what a call's program runs in, with its environment: its TMPDIR is in its own
// folder and, unless it may read its home, so is HOME; and if its tool requires hosts, there are
// the variables that lead to its proxy. net.Close must follow when the program has ended.
func (p *Pipeline) confine(inv *Invocation, c *confine.Confined, env []string, files *job.Folder) (confinement, error) {
	in := confinement{box: c.Box, env: env, files: files}
	if c.Box == nil {
		return in, nil
	}
	inv.layers = c.Box.Layers()
	temp, err := files.Temp()
	if err != nil {
		return in, err
	}
	in.env = c.Environ(env, temp)
	in.net, err = c.Open(egress.Dialer{Judge: p.hostRules(inv), Log: p.logOf(inv)}, inv.egress.tell)
	if err != nil {
		return in, err
	}
	in.env = in.net.Environ(in.env)
	return in, nil
}

// atConnect reports whether the hosts of a use are judged when they are connected to.
func atConnect(u policy.Use) bool { return u.AtConnect }
