package capability

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Uses returns what a call uses: the tool's own program (argv, which is nil for a tool
// without one) or its own host; each value of the arguments that the tool's "uses" name;
// and, for a capability of which no argument speaks, what the tool requires of it. The
// error is *schema.ArgumentsError: a value that cannot be what it is used for. set is
// the tool's effective set.
func (s *Scope) Uses(t *manifest.Tool, set *Set, args *schema.Arguments, argv []string) ([]policy.Use, error) {
	u := uses{scope: s, set: set, dir: s.runsIn(t), args: &args.Root}
	u.own(t, argv)
	u.named(policy.FSRead, t.Uses.FSRead, u.path)
	u.named(policy.FSWrite, t.Uses.FSWrite, u.path)
	u.named(policy.NetFetch, t.Uses.NetFetch, u.host)
	u.named(policy.ShellRun, t.Uses.ShellRun, u.command)
	u.text(t.Uses.Text)
	if runsAny(t) && !u.spoken[index(policy.ShellRun)] && len(t.Uses.ShellRun) > 0 {
		return u.all, u.invalid() // it runs nothing
	}
	if err := u.invalid(); err != nil {
		return nil, err
	}
	u.declared(t)
	return u.all, nil
}

// invalid returns an error if a value cannot be what it is used for.
func (u *uses) invalid() error {
	if len(u.faults) == 0 {
		return nil
	}
	return &schema.ArgumentsError{Faults: u.faults}
}

// runsIn returns the directory in which the tool's program runs.
func (s *Scope) runsIn(t *manifest.Tool) string {
	switch x := t.Bridge.Exec; {
	case x == nil || x.Cwd == "" || x.Cwd == ".":
		return s.dir
	case filepath.IsAbs(x.Cwd):
		return x.Cwd
	default:
		return filepath.Join(s.dir, x.Cwd)
	}
}

// uses is what one call uses while it is gathered.
type uses struct {
	scope  *Scope
	set    *Set
	dir    string // the directory of relative paths
	args   *jsontree.Node
	all    []policy.Use
	spoken [4]bool // the capabilities of which an argument speaks, as in index
	faults []schema.ArgumentFault
}

// index returns the place of a capability in uses.spoken.
func index(c policy.Capability) int {
	switch c {
	case policy.FSRead:
		return 0
	case policy.FSWrite:
		return 1
	case policy.NetFetch:
		return 2
	}
	return 3
}

// own adds the tool's own program or host.
func (u *uses) own(t *manifest.Tool, argv []string) {
	if len(argv) > 0 {
		u.all = append(u.all, policy.Use{Capability: policy.ShellRun, Value: CommandLine(argv), Argv: argv})
	}
	if h := t.Bridge.HTTP; h != nil {
		u.all = append(u.all, policy.Use{Capability: policy.NetFetch, Value: h.Host.String()})
	}
}

// named adds the values of the arguments at some pointers.
func (u *uses) named(c policy.Capability, pointers []string, read func(value string) (string, error)) {
	for _, p := range pointers {
		u.value(c, p, u.args.At(p), read, true)
	}
}

// value adds one value, or those of an array of them. An absent argument, like null,
// has none.
func (u *uses) value(c policy.Capability, pointer string, n *jsontree.Node, read func(string) (string, error), list bool) {
	switch {
	case n == nil || n.Kind == jsontree.Null:
	case n.Kind == jsontree.Array && list:
		for i := range n.Children {
			u.value(c, jsontree.Item(pointer, i), &n.Children[i], read, false)
		}
	case n.Kind != jsontree.String:
		u.fault(pointer, "must be a string: it says what the call uses ("+string(c)+")")
	default:
		v, err := read(n.Text)
		if err != nil {
			u.fault(pointer, err.Error())
			return
		}
		u.add(c, pointer, n.Text, v)
	}
}

// add adds a value as it is written, and as it was read.
func (u *uses) add(c policy.Capability, pointer, written, v string) {
	u.spoken[index(c)] = true
	use := policy.Use{Capability: c, Pointer: pointer, Value: v}
	if c == policy.FSWrite {
		use.Written = through(u.dir, written, v)
	}
	u.all = append(u.all, use)
}

// fault adds a fault, once: an argument may be used for two things.
func (u *uses) fault(pointer, message string) {
	f := schema.ArgumentFault{Pointer: pointer, Message: message}
	if !slices.Contains(u.faults, f) {
		u.faults = append(u.faults, f)
	}
}

func (u *uses) path(value string) (string, error) { return resolve(u.scope.files, u.dir, value) }

func (u *uses) host(value string) (string, error) {
	t, err := netguard.ParseTarget(value)
	if err != nil {
		return "", hostError{err}
	}
	return t.String(), nil
}

// hostError makes a clause of an error that quotes the value.
type hostError struct{ error }

func (e hostError) Error() string { return "must be a host or a URL: " + e.error.Error() }

func (u *uses) command(value string) (string, error) {
	if strings.ContainsRune(value, 0) {
		return "", errNUL
	}
	return value, nil
}

// declared adds what the tool requires of the capabilities that no argument speaks of.
// What is only assumed is added for a tool that starts a program: nothing else is known
// to touch the workspace.
func (u *uses) declared(t *manifest.Tool) {
	if u.set.Assumed && t.Bridge.Exec == nil {
		return
	}
	named := runsAny(t)
	add := func(c policy.Capability, value string) {
		u.all = append(u.all, policy.Use{Capability: c, Value: value, Declared: true, Named: named && c != policy.ShellRun})
	}
	for _, c := range [...]policy.Capability{policy.FSRead, policy.FSWrite} {
		if !u.spoken[index(c)] {
			for _, p := range u.set.of(c).Expanded {
				add(c, p.String())
			}
		}
	}
	if t.Requires == nil {
		return
	}
	hosts := t.Requires.NetHosts
	if named {
		hosts = u.set.NetHosts // with those that are granted
	}
	if !u.spoken[index(policy.NetFetch)] && len(hosts) > 0 {
		atConnect := u.scope.judgesConnections(t)
		for _, h := range hosts {
			u.all = append(u.all, policy.Use{Capability: policy.NetFetch, Value: h, Declared: true, AtConnect: atConnect})
		}
	}
	if !u.spoken[index(policy.ShellRun)] {
		for _, c := range t.Requires.Shell {
			if x := t.Bridge.Exec; x == nil || len(x.Command) == 0 || c.Cmd != x.Command[0] {
				add(policy.ShellRun, commandPattern(c))
			}
		}
	}
}
