package capability

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Set is what a tool may use, in directories of this machine. It must not be changed.
type Set struct {
	// Tool is the tool's name.
	Tool string
	// Assumed: the tool declares nothing, and the paths are the defaults.
	Assumed     bool
	Read, Write Paths
	// NetHosts are patterns of hosts, Shell the commands, with the tool's own.
	NetHosts     []string
	Shell        []manifest.ShellRun
	Capabilities []string
}

// Paths are what a tool may read, or write.
type Paths struct {
	// Patterns are as declared.
	Patterns []string
	// Expanded has a Path for each pattern and each directory of its variable.
	Expanded []Path
	// Empty is the first pattern whose variable stands for nothing, "" if there is none.
	Empty string
}

// Path is a pattern in a directory of this machine.
type Path struct {
	// Pattern is as declared.
	Pattern string
	// Dir is the directory for which the variable stands, with its links resolved; "/" for
	// an absolute pattern.
	Dir string
	// Root is the literal beginning of the pattern, absolute and cleaned. It is Dir or
	// below it, and no element after Dir may be a link.
	Root string
	// Glob is the rest of the pattern, relative to Root; "" means Root and everything
	// below it, and so does "**", of a directory.
	Glob string
}

// Effective returns what a tool may use.
func (s *Scope) Effective(t *manifest.Tool) *Set {
	r, assumed := s.Required(t)
	set := s.Expand(r)
	set.Tool, set.Assumed = t.Name, assumed
	return set
}

// Expand returns what requirements mean on this machine, such as those of Union.
func (s *Scope) Expand(r manifest.Requires) *Set {
	return &Set{
		Read: s.paths(r.FSRead), Write: s.paths(r.FSWrite),
		NetHosts: r.NetHosts, Shell: r.Shell, Capabilities: r.Capabilities,
	}
}

func (s *Scope) paths(patterns []string) Paths {
	p := Paths{Patterns: patterns}
	for _, pattern := range patterns {
		variable, rest := manifest.CutVariable(pattern)
		dirs := s.dirs[variable]
		switch {
		case variable == "" && filepath.IsAbs(pattern):
			dirs = []string{"/"}
		case variable == "":
			dirs = s.dirs[manifest.VariableWorkspace][:min(1, len(s.dirs[manifest.VariableWorkspace]))]
		}
		if len(dirs) == 0 && p.Empty == "" {
			p.Empty = pattern
		}
		for _, d := range dirs {
			p.Expanded = append(p.Expanded, newPath(pattern, d, strings.Trim(rest, "/")))
		}
	}
	return p
}

// newPath puts a relative pattern into a directory.
func newPath(pattern, dir, rest string) Path {
	p := Path{Pattern: pattern, Root: dir, Dir: dir}
	elements := slices.DeleteFunc(strings.Split(rest, "/"), func(e string) bool { return e == "" || e == "." })
	literal := 0
	for literal < len(elements) && !strings.ContainsAny(elements[literal], `*?[{\`) {
		literal++
	}
	p.Root = filepath.Join(append([]string{dir}, elements[:literal]...)...)
	p.Glob = strings.Join(elements[literal:], "/")
	return p
}

// Contains reports whether a path, absolute and resolved, is one that the pattern means.
func (p Path) Contains(path string) bool {
	rest, ok := below.Rest(path, p.Root)
	if !ok || p.Glob == "" {
		return ok
	}
	matched, err := doublestar.Match(p.Glob, rest)
	return matched && err == nil
}

// String returns the pattern as rules see it: absolute, and in the syntax of path
// patterns.
func (p Path) String() string {
	root := strings.TrimSuffix(escapeGlob(p.Root), "/")
	if p.Glob == "" {
		return root + "/**"
	}
	return root + "/" + p.Glob
}

// escapeGlob writes a path as a pattern that means it alone.
func escapeGlob(path string) string {
	if !strings.ContainsAny(path, `*?[]{}\`) {
		return path
	}
	var b strings.Builder
	for _, r := range path {
		if strings.ContainsRune(`*?[]{}\`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Contains reports whether any pattern means the path, which is absolute and resolved.
func (p Paths) Contains(path string) bool {
	return slices.ContainsFunc(p.Expanded, func(one Path) bool { return one.Contains(path) })
}

// void reports whether paths were declared and all of them stand for nothing.
func (p Paths) void() bool { return len(p.Patterns) > 0 && len(p.Expanded) == 0 }

// of returns the paths of a capability.
func (s *Set) of(c policy.Capability) Paths {
	if c == policy.FSWrite {
		return s.Write
	}
	return s.Read
}

// reaches reports whether a pattern of hosts allows the target.
func (s *Set) reaches(t netguard.Target) bool {
	hosts, err := netguard.ParseHosts(s.NetHosts)
	return err == nil && hosts.MayReach(t)
}
