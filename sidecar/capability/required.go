package capability

import (
	"slices"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// Required returns what a tool requires, with its own program and its own host, and
// reports whether the paths are assumed because the tool declares nothing. A tool that
// lists commands, or hosts, has to list its own program, or host, with them.
func Required(t *manifest.Tool) (r manifest.Requires, assumed bool) {
	if t.Requires != nil {
		r = *t.Requires
	} else {
		assumed = true
		r.FSRead = []string{workspace}
		if t.Effects != manifest.EffectsRead {
			r.FSWrite = []string{workspace}
		}
	}
	if x := t.Bridge.Exec; x != nil && len(r.Shell) == 0 && len(x.Command) > 0 {
		r.Shell = []manifest.ShellRun{{Cmd: x.Command[0]}}
	}
	if h := t.Bridge.HTTP; h != nil && len(r.NetHosts) == 0 {
		r.NetHosts = []string{h.Host.String()}
	}
	return r, assumed
}

// workspace is the pattern of the whole workspace.
const workspace = "{" + manifest.VariableWorkspace + "}"

// Union returns everything that a policy file (nil for none) and all tools require:
// adding a tool widens it, and removing the tool narrows it. The order is that of the
// first mention.
func Union(base *manifest.Requires, tools []*manifest.Tool) manifest.Requires {
	var u manifest.Requires
	add := func(r manifest.Requires) {
		u.FSRead, u.FSWrite = merge(u.FSRead, r.FSRead), merge(u.FSWrite, r.FSWrite)
		u.NetHosts, u.Capabilities = merge(u.NetHosts, r.NetHosts), merge(u.Capabilities, r.Capabilities)
		for _, s := range r.Shell {
			same := func(o manifest.ShellRun) bool {
				return o.Cmd == s.Cmd && (o.Args == nil) == (s.Args == nil) && slices.Equal(o.Args, s.Args)
			}
			if !slices.ContainsFunc(u.Shell, same) {
				u.Shell = append(u.Shell, s)
			}
		}
	}
	if base != nil {
		add(*base)
	}
	for _, t := range tools {
		r, _ := Required(t)
		add(r)
	}
	return u
}

func merge(all, more []string) []string {
	for _, s := range more {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
