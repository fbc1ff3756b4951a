package call

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

// confine returns the sandbox for a call's program, nil for none, and the environment that it
// has there: its TMPDIR is in its own folder and, unless it may read its home, so is HOME.
func (p *Pipeline) confine(inv *Invocation, dir string, env []string, files *job.Folder) (*sandbox.Sandbox, []string, error) {
	if p.opts.Sandbox == nil {
		return nil, env, nil
	}
	c, err := p.opts.Sandbox.For(confine.Call{Tool: inv.tool, Set: inv.input.set, Argv: inv.input.argv, Dir: dir, Env: env})
	if err != nil || c.Box == nil {
		return nil, env, err
	}
	temp, err := files.Temp()
	if err != nil || temp == "" {
		return c.Box, env, err
	}
	env = replace(env, "TMPDIR", temp)
	if !c.Home {
		env = replace(env, "HOME", temp)
	}
	return c.Box, env, nil
}

// replace returns an environment in which a variable has a value.
func replace(env []string, name, value string) []string {
	all := make([]string, 0, len(env)+1)
	for _, v := range env {
		if !strings.HasPrefix(v, name+"=") {
			all = append(all, v)
		}
	}
	return append(all, name+"="+value)
}
