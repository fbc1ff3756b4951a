package sidecar

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/dial"
)

// openKeeper makes what confines the programs of tools and of MCP servers.
func (s *sidecar) openKeeper(context.Context) (err error) {
	s.keeper, err = s.openSandbox(s.rules.scope)
	return err
}

// openSandbox returns what confines the programs of tools, nil if nothing does. Under "required"
// the error says what cannot be held.
func (s *sidecar) openSandbox(scope *capability.Scope) (*confine.Keeper, error) {
	mode := confine.Mode(s.Config.Sandbox)
	if mode == confine.Off || mode == "" {
		s.Log.Debug("sandbox", "mode", mode)
		return nil, nil
	}
	keeper, err := confine.New(confine.Options{
		Mode: mode, User: s.Config.User, Self: s.Self, Private: s.ownFiles(), Namespaces: s.rules.spaces, Log: s.Log,
	})
	if err != nil {
		return nil, err
	}
	sandbox.SweepGroups()
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

// ownFiles returns what the sidecar keeps and no tool may write. What judges the agent is among it
// if nothing but the sandbox keeps the agent's user from writing it.
func (s *sidecar) ownFiles() (own []confine.Private) {
	c := &s.Config
	add := func(setting string, paths ...string) {
		for _, p := range paths {
			if p != "" {
				own = append(own, confine.Private{Path: absolute(p), Setting: setting})
			}
		}
	}
	add("--state-dir", c.StoreDir)
	if c.ThreadIDCreate != "" && c.StateDir != c.StoreDir {
		add("--state-dir", c.StateDir)
	}
	if file := c.AuditFile(); file != "" {
		add("--audit", audit.Files(file)...)
	}
	add("--log-file", c.LogFile)
	add("--record", c.Record)
	add("--runtime-dir", s.files)
	if s.outputDir != nil {
		add("TMPDIR", s.outputDir.Path())
	}
	for _, j := range s.judgingFiles() {
		if can, _ := s.changeable(j.file); can {
			add(j.setting, j.file)
		}
	}
	if program := strings.TrimPrefix(c.Watchdog, "unix:"); filepath.IsAbs(program) {
		if can, _ := s.changeable(program); can {
			add("--watchdog", program)
		}
	}
	return own
}

// programs returns the tools of the image that are programs, and a tool for each MCP server that is
// one.
func (s *sidecar) programs() []*manifest.Tool {
	all := slices.DeleteFunc(slices.Clone(s.source.Snapshot().Tools()), func(t *manifest.Tool) bool { return t.Bridge.Kind != manifest.BridgeExec })
	if s.servers == nil {
		return all
	}
	for _, one := range s.servers.file.Servers() {
		if one.Command != nil && !one.Disabled {
			all = append(all, dial.Tool(&one))
		}
	}
	return all
}

// checkExposed refuses a manifest, or MCP servers, whose programs could write the sidecar's own files.
func (s *sidecar) checkExposed(keeper *confine.Keeper, scope *capability.Scope) error {
	for _, t := range s.programs() {
		if says := keeper.Exposed(scope.Effective(t)); says != "" {
			return fmt.Errorf("--sandbox required: tool %q: %s", t.Name, says)
		}
	}
	return nil
}
