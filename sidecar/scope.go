package sidecar

import (
	"fmt"
	"path/filepath"

	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
)

// newScope returns the directories for which the variables of requirements stand: the
// workspace with each further root, and the user's data. The programs of tools have the networks
// that spaces makes.
func newScope(c *config.Config, environ []string, spaces *sandbox.Namespaces) (*capability.Scope, error) {
	var roots capability.Roots
	for _, dir := range append([]string{c.Workspace}, c.Roots...) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("the directory %q: %w", dir, err)
		}
		roots.Workspace = append(roots.Workspace, abs)
	}
	if data := config.UserData(environ); data != "" {
		roots.UserData = []string{data}
	}
	scope, err := capability.NewScope(capability.OS(), roots)
	if err != nil {
		return nil, err
	}
	return scope.WithNetworks(func() bool { return confine.Networks(confine.Mode(c.Sandbox), spaces) }), nil
}
