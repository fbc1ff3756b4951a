package sidecar

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
)

// openSandbox returns what confines the programs of tools, nil if nothing does. Under "required"
// the error says what cannot be held.
func (s *sidecar) openSandbox(scope *capability.Scope) (*confine.Keeper, error) {
	mode := confine.Mode(s.Config.Sandbox)
	if mode == confine.Off || mode == "" {
		s.Log.Debug("sandbox", "mode", mode)
		return nil, nil
	}
	keeper, err := confine.New(confine.Options{
		Mode: mode, User: s.Config.User, Self: s.Self, Private: ownFiles(&s.Config), Namespaces: s.rules.spaces, Log: s.Log,
	})
	if err != nil {
		return nil, err
	}
	s.Log.Info("sandbox", "mode", mode, "layers", confine.Line(mode))
	if mode == confine.Required {
		err = s.checkExposed(keeper, scope)
	}
	return keeper, err
}

// namespaces returns what makes the networks of tools' programs. self is Options.Self.
func namespaces(c *config.Config, self string) *sandbox.Namespaces {
	if c.User != nil && int(c.User.UID) != os.Geteuid() {
		self = "" // a shim is for our own user alone
	}
	return sandbox.NewNamespaces(self)
}

// ownFiles returns what the sidecar keeps and no tool may write.
func ownFiles(c *config.Config) (paths []string) {
	own := []string{c.StoreDir, c.LogFile, c.Record}
	if file := c.AuditFile(); file != "" {
		own = append(own, audit.Files(file)...)
	}
	for _, p := range own {
		if abs, err := filepath.Abs(p); p != "" && err == nil {
			paths = append(paths, abs)
		}
	}
	if abs, err := filepath.Abs(c.StateDir); c.ThreadIDCreate != "" && err == nil {
		paths = append(paths, abs)
	}
	return paths
}

// checkExposed refuses a manifest whose tools could write the sidecar's own files.
func (s *sidecar) checkExposed(keeper *confine.Keeper, scope *capability.Scope) error {
	for _, t := range s.source.Snapshot().Tools() {
		if t.Bridge.Kind != manifest.BridgeExec {
			continue
		}
		if says := keeper.Exposed(scope.Effective(t)); says != "" {
			return fmt.Errorf("--sandbox required: tool %q: %s", t.Name, says)
		}
	}
	return nil
}
