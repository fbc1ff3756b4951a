package capability

import (
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Declared returns what every call of a tool uses, whatever its arguments are: its own program or
// host, and what it requires.
func (s *Scope) Declared(t *manifest.Tool, set *Set) []policy.Use {
	u := uses{scope: s, set: set}
	for c, pointers := range map[policy.Capability][]string{
		policy.FSRead: t.Uses.FSRead, policy.FSWrite: t.Uses.FSWrite, policy.NetFetch: t.Uses.NetFetch, policy.ShellRun: t.Uses.ShellRun,
	} {
		u.spoken[index(c)] = len(pointers) > 0 // some of it, which only a call says
	}
	if t.Uses.Text != nil {
		u.spoken[index(policy.FSRead)], u.spoken[index(policy.FSWrite)] = true, true
	}
	var argv []string
	if x := t.Bridge.Exec; x != nil && x.Fixed() {
		argv = x.Command
	}
	u.own(t, argv)
	u.declared(t)
	return u.all
}
