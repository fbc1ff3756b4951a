package capability

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Roots are the directories for which the variables of path patterns stand. Each is an
// absolute path.
type Roots struct {
	Workspace []string // the workspace, and each further root
	AdHoc     []string // what a client named for a task
	UserData  []string
}

// Scope knows what the variables stand for. It is immutable, and many goroutines may use
// it at once.
type Scope struct {
	files Files
	dirs  map[string][]string // by variable, resolved
	dir   string              // the workspace as it was given: relative paths begin here
	// networks reports whether each program has a network of its own. nil: none has.
	networks func() bool
	// grants returns what the policy file grants. nil: there is none.
	grants func() *manifest.Requires
}

// NewScope resolves the roots, which need not exist yet. The first of Roots.Workspace is
// the workspace. The error names the root that cannot be resolved.
func NewScope(files Files, roots Roots) (*Scope, error) {
	s := &Scope{files: files, dirs: map[string][]string{}}
	if len(roots.Workspace) > 0 {
		s.dir = filepath.Clean(roots.Workspace[0])
	}
	for variable, dirs := range map[string][]string{
		manifest.VariableWorkspace: roots.Workspace, manifest.VariableAdHoc: roots.AdHoc, manifest.VariableUserData: roots.UserData,
	} {
		resolved, err := resolveAll(files, dirs)
		if err != nil {
			return nil, fmt.Errorf("the directories of {%s}: %w", variable, err)
		}
		s.dirs[variable] = resolved
	}
	return s, nil
}

func resolveAll(files Files, dirs []string) ([]string, error) {
	out := make([]string, 0, len(dirs))
	for _, d := range dirs {
		if !filepath.IsAbs(d) {
			return nil, fmt.Errorf("%q is not an absolute path", d)
		}
		resolved, err := files.Resolve(d)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, resolved) {
			out = append(out, resolved)
		}
	}
	return out, nil
}

// For returns the scope of one task, for which a client named directories (see
// ParseAdHoc). The error names the one that cannot be used.
func (s *Scope) For(adHoc []string) (*Scope, error) {
	if len(adHoc) == 0 {
		return s, nil
	}
	dirs, err := resolveAll(s.files, adHoc)
	if err != nil {
		return nil, err
	}
	for i, d := range dirs {
		if !s.files.IsDir(d) {
			return nil, fmt.Errorf("%q is not a directory here", adHoc[i])
		}
	}
	own := &Scope{files: s.files, dir: s.dir, networks: s.networks, grants: s.grants, dirs: map[string][]string{manifest.VariableAdHoc: dirs}}
	for _, v := range []string{manifest.VariableWorkspace, manifest.VariableUserData} {
		own.dirs[v] = s.dirs[v]
	}
	return own, nil
}

// WithNetworks returns the scope of a sidecar that knows whether each program of an exec tool that
// requires hosts has a network of its own, in which every connection is judged. has is asked
// when such a tool is called, by many goroutines.
func (s *Scope) WithNetworks(has func() bool) *Scope {
	own := *s
	own.networks = has
	return &own
}

// WithGrants returns the scope of a sidecar whose policy file grants something in addition to what tools
// require, which a tool that runs any command gets. grants is asked at each call, by many goroutines;
// it returns nil for nothing, and what it returns is not changed.
func (s *Scope) WithGrants(grants func() *manifest.Requires) *Scope {
	own := *s
	own.grants = grants
	return &own
}

// judgesConnections reports whether each connection of the tool is judged when it is made.
func (s *Scope) judgesConnections(t *manifest.Tool) bool {
	switch {
	case t.Handler != nil:
		return false
	case t.Bridge.HTTP != nil, t.Bridge.Kind == manifest.BridgeCore:
		return true
	}
	return (t.Bridge.Exec != nil || runsAny(t)) && s.networks != nil && s.networks()
}

// Directories returns the directories for which a variable stands, with their links
// resolved. They must not be changed.
func (s *Scope) Directories(variable string) []string { return s.dirs[variable] }

// Below returns the directories below which an agent may have us read and write: the roots of the
// workspace, and what the client named for the task, with their links resolved.
func (s *Scope) Below() []string {
	return slices.Concat(s.dirs[manifest.VariableWorkspace], s.dirs[manifest.VariableAdHoc])
}

// Roots returns what the variables in the patterns of rules stand for. They must not be
// changed.
func (s *Scope) Roots() policy.Roots { return s.dirs }

// RunsIn returns the directory in which a tool's program runs, with its links resolved: ""
// if it cannot be.
func (s *Scope) RunsIn(t *manifest.Tool) string {
	dir := s.runsIn(t)
	if !filepath.IsAbs(dir) {
		return ""
	}
	dir, err := s.files.Resolve(dir)
	if err != nil {
		return ""
	}
	return dir
}
