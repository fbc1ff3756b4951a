package capability

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Where a manifest has what is remarked on.
const (
	atSidecar  = "/x-sidecar"
	atRequires = "/x-sidecar/requires"
)

// Review says what is suspicious about a tool's requirements: what is assumed because it
// declares nothing, what it declares and can never use, and where a sandbox, which knows
// folders and no patterns, is wider than what is declared. files tells whether absolute
// patterns go through links.
func Review(t *manifest.Tool, files Files) []manifest.Remark {
	r, assumed := Required(t)
	all := append(reviewOwn(t, r), reviewUses(t, r)...)
	if assumed {
		return append(reviewAbsent(t, r), all...)
	}
	all = append(all, reviewPaths(r.FSRead, atRequires+"/fs/read", files)...)
	return append(all, reviewPaths(r.FSWrite, atRequires+"/fs/write", files)...)
}

// reviewAbsent says what is assumed of a tool that starts a program.
func reviewAbsent(t *manifest.Tool, r manifest.Requires) []manifest.Remark {
	if t.Bridge.Exec == nil {
		return nil
	}
	may := []string{"run " + text.Quote(t.Bridge.Exec.Command[0], allowedMax), "read {workspace}"}
	if len(r.FSWrite) > 0 {
		may = append(may, "write it")
	}
	return []manifest.Remark{{
		Pointer: atSidecar, Message: `"requires" is absent: the tool may ` + text.Enumerate(append(may, "reach no host"), "and"),
		Hint: `say what it needs, as in "requires":{"fs":{"read":["{workspace}"]}}`,
	}}
}

// reviewOwn finds a tool whose own program, or host, is not among those that it lists.
func reviewOwn(t *manifest.Tool, r manifest.Requires) []manifest.Remark {
	if x := t.Bridge.Exec; x != nil && len(x.Command) > 0 && !slices.ContainsFunc(r.Shell, func(c manifest.ShellRun) bool { return mayCover(c, x) }) {
		return []manifest.Remark{{
			Pointer: atRequires + "/shell", Message: "the tool's own command is not among these: every call will be denied",
			Hint: `add {"cmd":` + text.Quote(x.Command[0], allowedMax) + `}`,
		}}
	}
	if h := t.Bridge.HTTP; h != nil {
		if hosts, err := netguard.ParseHosts(r.NetHosts); err == nil && !hosts.MayReach(h.Host) {
			return []manifest.Remark{{
				Pointer: atRequires + "/net/hosts", Message: "the tool's own host is not among these: every call will be denied",
				Hint: "add " + text.Quote(h.Host.String(), allowedMax),
			}}
		}
	}
	return nil
}

// mayCover reports whether some arguments make the tool's command the declared one.
func mayCover(c manifest.ShellRun, x *manifest.Exec) bool {
	if strings.Contains(strings.Join(x.Command, ""), "{") { // what the arguments make of it is not known
		return c.Cmd == AnyCommand || c.Cmd == x.Command[0]
	}
	return Covers(c, x.Command)
}

// reviewUses finds arguments that name what the tool may not use at all.
func reviewUses(t *manifest.Tool, r manifest.Requires) (all []manifest.Remark) {
	for _, u := range []struct {
		key      string
		pointers []string
		nothing  bool
		add      string
	}{
		{"fs.read", t.Uses.FSRead, len(r.FSRead) == 0, "requires.fs.read"},
		{"fs.write", t.Uses.FSWrite, len(r.FSWrite) == 0, "requires.fs.write"},
		{"net.fetch", t.Uses.NetFetch, len(r.NetHosts) == 0, "requires.net.hosts"},
		{"shell.run", t.Uses.ShellRun, len(r.Shell) == 0, "requires.shell"},
	} {
		if len(u.pointers) > 0 && u.nothing {
			all = append(all, manifest.Remark{
				Pointer: jsontree.Child("/x-sidecar/uses", u.key), Message: "the tool requires nothing of this: every call that names a value will be denied",
				Hint: "add " + u.add,
			})
		}
	}
	return all
}

// reviewPaths finds patterns that a sandbox widens, and those that lead through links,
// which are not followed.
func reviewPaths(patterns []string, pointer string, files Files) (all []manifest.Remark) {
	for i, pattern := range patterns {
		variable, rest := manifest.CutVariable(pattern)
		dir := strings.TrimSuffix(pattern, rest) // the variable in its braces
		switch {
		case variable != "":
		case filepath.IsAbs(pattern):
			dir = "/"
		default:
			dir = workspace
		}
		p := newPath(pattern, dir, strings.Trim(rest, "/"))
		if p.Glob != "" && p.Glob != "**" {
			all = append(all, manifest.Remark{
				Pointer: jsontree.Item(pointer, i), Message: "a sandbox allows all of " + text.Quote(p.Root, allowedMax) + ", because it knows folders and no patterns",
				Hint: "name a folder, or leave it if that does no harm",
			})
		}
		if dir != "/" {
			continue
		}
		if to, err := files.Resolve(p.Root); err == nil && to != p.Root {
			all = append(all, manifest.Remark{
				Pointer: jsontree.Item(pointer, i), Message: text.Quote(p.Root, allowedMax) + " leads through a link, and links of a pattern are not followed",
				Hint: "write " + text.Quote(to, allowedMax),
			})
		}
	}
	return all
}
