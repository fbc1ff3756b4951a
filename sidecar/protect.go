package sidecar

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// protection returns the protected paths of a sidecar with these settings, in addition to those that always are.
func protection(c *config.Config, environ []string, scope *capability.Scope) policy.Protection {
	p := policy.Protection{Anywhere: agent.Protected(), Home: resolved(config.Home(environ))}
	for _, root := range scope.Roots()[manifest.VariableWorkspace] {
		p.Places = append(p.Places, gitDirs(root)...)
	}
	for _, path := range c.Unprotect {
		if !filepath.IsAbs(path) {
			path = filepath.Join(cmp.Or(c.Workspace, "."), path)
		}
		p.Except = append(p.Except, resolved(absolute(path)), linkItself(absolute(path)))
	}
	slices.Sort(p.Except)
	p.Except = slices.Compact(p.Except)
	return p
}

// linkItself returns where a path's last name is, without following it if it is a link.
func linkItself(path string) string {
	return filepath.Join(resolved(filepath.Dir(path)), filepath.Base(path))
}

// gitDirs returns the directories that hold git's settings and hooks of a directory whose .git is a file, as it is in a
// worktree, in a submodule and after git init --separate-git-dir.
func gitDirs(root string) (dirs []string) {
	line, err := firstLine(filepath.Join(root, ".git"))
	dir, ok := strings.CutPrefix(line, "gitdir:")
	if err != nil || !ok {
		return nil
	}
	dir = against(root, strings.TrimSpace(dir))
	dirs = append(dirs, resolved(dir))
	if common, err := firstLine(filepath.Join(dir, "commondir")); err == nil {
		dirs = append(dirs, resolved(against(dir, common)))
	}
	return dirs
}

// against returns a path that is relative to a directory unless it is absolute.
func against(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// firstLine returns the first line of a file.
func firstLine(path string) (string, error) {
	content, err := spec.ReadUserFile(path)
	line, _, _ := strings.Cut(string(content), "\n")
	return strings.TrimSuffix(line, "\r"), err
}
