package capability

import (
	"errors"
	"slices"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// runsAny reports whether a tool of the sidecar's own runs any command line that it is given. Such a tool
// has what the policy file grants; which files a line uses, only the line says.
func runsAny(t *manifest.Tool) bool {
	return t.Bridge.Kind == manifest.BridgeCore && t.Handler == nil && t.Requires != nil && slices.ContainsFunc(t.Requires.Shell, everyCommand)
}

// everyCommand reports whether a declared command stands for every command line.
func everyCommand(c manifest.ShellRun) bool { return c.Cmd == AnyCommand && c.Args == nil }

// Required is the function of this name, with what the policy file grants to a tool that runs any command.
func (s *Scope) Required(t *manifest.Tool) (r manifest.Requires, assumed bool) {
	r, assumed = Required(t)
	if s.grants == nil || !runsAny(t) {
		return r, assumed
	}
	if g := s.grants(); g != nil {
		r.FSRead, r.FSWrite = merge(slices.Clip(r.FSRead), g.FSRead), merge(slices.Clip(r.FSWrite), g.FSWrite)
		r.NetHosts, r.Capabilities = merge(slices.Clip(r.NetHosts), g.NetHosts), merge(slices.Clip(r.Capabilities), g.Capabilities)
	}
	return r, assumed
}

// Runs returns the directory in which a call's command lines run, absolute and with its links resolved:
// what the argument at Uses.Dir names, which must be a directory of the workspace, of a further root, or
// one that the client named for the task. Without that argument, it is RunsIn. The error is
// *schema.ArgumentsError.
func (s *Scope) Runs(t *manifest.Tool, args *schema.Arguments) (string, error) {
	var named *jsontree.Node
	if t.Uses.Dir != "" {
		named = args.Root.At(t.Uses.Dir)
	}
	if named == nil || named.Kind != jsontree.String || named.Text == "" {
		return s.RunsIn(t), nil
	}
	dir, err := s.Directory(named.Text)
	if err != nil {
		return "", &schema.ArgumentsError{Faults: []schema.ArgumentFault{{Pointer: t.Uses.Dir, Message: err.Error()}}}
	}
	return dir, nil
}

// Directory returns a directory of the workspace, of a further root, or one that the client named for the
// task: absolute, and with its links resolved as they are now. name may be relative to the workspace, and "" is the
// workspace. The error is a clause after the name.
func (s *Scope) Directory(name string) (string, error) {
	if name == "" {
		name = "."
	}
	dir, err := resolve(s.files, s.dir, name)
	switch {
	case err != nil:
		return "", err
	case !slices.ContainsFunc(s.Below(), func(root string) bool { return below.Is(dir, root) }):
		return "", errors.New("is outside of the workspace and of the other directories of the task")
	case !s.files.IsDir(dir):
		return "", errors.New("is no directory: make it first, or leave it out for the workspace")
	}
	return dir, nil
}

// Leads returns where an absolute path leads, with its links resolved as they are now.
func (s *Scope) Leads(path string) (string, error) { return resolve(s.files, "", path) }
