package sidecar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/relocate"
	"github.com/a2a-sidecar/sidecar/sidecar/task/disk"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/oneshot"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/stream"
)

// area is a directory in which the agent or a tool may write.
type area struct {
	dir string // absolute
	why string // what it is, to follow "in"
}

// areas returns where the agent and the tools may write: in the workspace, in the further roots,
// and what tools declare.
func (s *sidecar) areas() []area {
	all := []area{{absolute(s.Config.Workspace), "the workspace"}}
	for _, root := range s.Config.Roots {
		all = append(all, area{absolute(root), "--root"})
	}
	for _, t := range s.programs() {
		if t.Requires == nil {
			continue // without requires a tool has the workspace
		}
		for _, p := range s.rules.scope.Effective(t).Write.Expanded {
			if !slices.ContainsFunc(all, func(a area) bool { return a.dir == p.Root }) {
				all = append(all, area{p.Root, fmt.Sprintf("what the tool %q may write", t.Name)})
			}
		}
	}
	return all
}

// areaOf returns the area that a path is in, as it is written or after its links, nil for none.
func areaOf(all []area, path string) *area {
	path = absolute(path)
	for i, a := range all {
		if below.Is(path, a.dir) || below.Is(resolved(path), resolved(a.dir)) {
			return &all[i]
		}
	}
	return nil
}

// absolute returns a path as an absolute one. It stays as it is if there is no current directory.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// resolved returns an absolute path without links, as far as it exists.
func resolved(path string) string {
	if real, err := capability.OS().Resolve(path); err == nil {
		return real
	}
	return path
}

// checkPlaces keeps what the sidecar writes for itself out of the directories in which the agent
// and the tools may write. Under "required", a place in one of these is an error; under "auto",
// another one is used.
func (s *sidecar) checkPlaces(context.Context) (err error) {
	c := &s.Config
	if !s.confines() {
		return nil
	}
	areas := s.areas()
	if c.StoreDir != "" || c.ThreadIDCreate != "" || c.Talks() && c.StateDir != "" {
		kept := kept{what: "the sidecar's state", setting: "--state-dir", path: c.StateDir, dir: c.StateDir}
		kept.names = slices.Concat(oneshot.Files(), stream.Files(), []string{disk.File})
		kept.locks = []string{disk.LockFile, filepath.Join("audit", audit.LockFile("audit.ndjson"))}
		for _, name := range audit.Files("audit.ndjson") {
			kept.names = append(kept.names, filepath.Join("audit", name))
		}
		kept.dirs = []string{changesDir}
		was := c.StateDir
		if c.StateDir, err = s.outside(areas, &kept); err != nil {
			return err
		}
		if c.StoreDir == was {
			c.StoreDir = c.StateDir
		}
	}
	if c.Audit != "" && c.Audit != config.AuditOff {
		name := filepath.Base(c.Audit)
		kept := kept{what: "the audit", setting: "--audit", path: c.Audit, dir: filepath.Dir(c.Audit), names: audit.Files(name), locks: []string{audit.LockFile(name)}}
		c.Audit, err = s.outside(areas, &kept)
	}
	return err
}

// confines reports whether there is a sandbox for tools.
func (s *sidecar) confines() bool {
	return s.Config.Sandbox != config.SandboxOff && s.Config.Sandbox != ""
}

// kept is something that the sidecar writes for itself: a directory, or a file and those beside it.
type kept struct {
	what, setting string
	path          string // of the directory, or of the file
	dir           string // that the files are in
	// See relocate.Move.
	names, dirs, locks []string
}

// outside returns the path at which something is kept: its own, or one outside of the areas.
func (s *sidecar) outside(areas []area, k *kept) (string, error) {
	path := absolute(k.path)
	in := areaOf(areas, path)
	if in == nil || !s.changes(path) {
		return k.path, nil
	}
	if s.Config.Sandbox == config.SandboxRequired {
		return "", fmt.Errorf("--sandbox required: %s is in %s, where the agent and tools may write (%s, %s); keep it outside of that: %s %s",
			k.what, path, in.why, in.dir, k.setting, placeholder(k))
	}
	to := config.Elsewhere(s.Environ, path)
	if to == "" {
		return k.path, s.stays(k, path, in, errors.New("neither XDG_STATE_HOME nor HOME says where else it could be"))
	}
	if other := areaOf(areas, to); other != nil {
		return k.path, s.stays(k, path, in, fmt.Errorf("%s, the other place for it, is in %s (%s) too", to, other.why, other.dir))
	}
	if target := resolved(path); areaOf(areas, target) == nil && !exists(to) {
		return target, s.follows(k, path, target, in)
	}
	return s.move(k, path, to, in)
}

// told returns the names of files as the log has them: of a directory that was moved with all that is in it, its own once.
func (k *kept) told(names []string) (all []string) {
	for _, name := range names {
		if dir := filepath.Dir(name); slices.Contains(k.dirs, dir) {
			name = dir
		}
		all = append(all, name)
	}
	return slices.Compact(all)
}

// placeholder is what is written after the setting.
func placeholder(k *kept) string {
	if k.path == k.dir {
		return "DIR"
	}
	return "FILE"
}

// changes reports whether the agent's user can change what is at a path, and so can we: there is
// else nothing to keep there.
func (s *sidecar) changes(path string) bool {
	if by, err := s.agentUser().CanChange(path); err == nil && by == "" {
		return false
	}
	for !exists(path) && path != filepath.Dir(path) {
		path = filepath.Dir(path)
	}
	return unix.Access(path, unix.W_OK) == nil
}

// agentUser returns the user of the agent and of tools.
func (s *sidecar) agentUser() *proc.User {
	if s.Config.User != nil {
		return s.Config.User
	}
	return proc.Self()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// stays says that something is kept where the agent may write, because there is no other place.
func (s *sidecar) stays(k *kept, path string, in *area, why error) error {
	s.Log.Warn("the agent and tools may change "+k.what+": keep it outside of where they may write by "+k.setting, "path", path, "in", in.dir, "because", why)
	return nil
}

// follows says that something is kept where a link leads, whatever becomes of the link.
func (s *sidecar) follows(k *kept, path, target string, in *area) error {
	s.Log.Warn("a link says where "+k.what+" is, and the agent and tools may change it: name the place itself by "+k.setting, "link", path, "to", target, "in", in.dir)
	return nil
}

// move takes the files over into the directory to, and returns what path is there.
func (s *sidecar) move(k *kept, path, to string, in *area) (string, error) {
	now := to
	if k.path != k.dir {
		now = filepath.Join(to, filepath.Base(path))
	}
	from, root := absolute(k.dir), in.dir
	if !below.Is(from, root) { // by its links it is
		path, from, root = resolved(path), resolved(from), resolved(root)
	}
	m := relocate.Move{Root: root, From: from, To: to, Names: k.names, Dirs: k.dirs, Locks: k.locks}
	taken, err := m.Take()
	switch {
	case errors.Is(err, relocate.ErrInUse):
		return "", fmt.Errorf("%s in %s has to be moved, because the agent and tools may write there (%s): %w; stop that sidecar, or name another place by %s",
			k.what, path, in.why, err, k.setting)
	case err != nil:
		return k.path, s.stays(k, path, in, err)
	}
	did := " was moved"
	if len(taken) == 0 { // there was nothing yet, or an earlier start has moved it
		did = " is kept"
	}
	s.Log.Warn(k.what+did+" out of where the agent and tools may write: name a place outside of it by "+k.setting,
		"from", path, "to", now, "in", in.dir, "files", strings.Join(k.told(taken), " "))
	if err := m.Link(path, now); errors.Is(err, fs.ErrExist) {
		s.Log.Warn("what else is in the old place of "+k.what+" is not used", "path", path)
	} else if err != nil {
		s.Log.Debug("no link could be left in the old place of "+k.what, "path", path, "error", err)
	}
	return now, nil
}
