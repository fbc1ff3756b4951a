package policyfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/follow"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// presetPrefix begins the name of rules that come with the program.
const presetPrefix = "preset:"

// Files say where rules are.
type Files struct {
	// Policy is a file, or "preset:" and a name; "" for neither.
	Policy string
	// Project is the workspace's own file, which need not exist; "" for none.
	Project string
}

// Path returns the file that Policy names, "" for none.
func (f Files) Path() string {
	if strings.HasPrefix(f.Policy, presetPrefix) {
		return ""
	}
	return f.Policy
}

// follows returns the files whose directories are watched.
func (f Files) follows() []string {
	if path := f.Path(); path != "" {
		return []string{path}
	}
	return nil
}

// glance is the last look at the project's file.
type glance struct {
	path   string
	looked bool        // there was one
	seen   fs.FileInfo // nil: there was no file
}

// fresh is how old a change must be before the same time of modification proves that there was no
// other one since: the clocks of file systems are coarse.
const fresh = 2 * time.Second

// changed reports whether the file may have changed since the last look.
func (g *glance) changed() bool {
	if g.path == "" {
		return false
	}
	info, err := os.Stat(g.path)
	if err != nil {
		info = nil
	}
	before, first := g.seen, !g.looked
	g.seen, g.looked = info, true
	return first || !follow.Same(before, info) || info != nil && time.Since(info.ModTime()) < fresh
}

// Read reads the files. The error names the one that cannot be read, or the presets that there
// are.
func (f Files) Read() (all []policy.File, err error) {
	all, err = f.operators()
	if err != nil {
		return nil, err
	}
	project, err := f.project()
	return append(all, project...), err
}

// operators reads the rules of Policy.
func (f Files) operators() ([]policy.File, error) {
	var file policy.File
	var err error
	switch name, preset := strings.CutPrefix(f.Policy, presetPrefix); {
	case f.Policy == "":
		return nil, nil
	case preset:
		file, err = policy.Preset(name)
	default:
		file, err = read(policy.ScopeManifest, f.Policy)
	}
	if err != nil {
		return nil, err
	}
	return []policy.File{file}, nil
}

// project reads the workspace's own rules, if there are any.
func (f Files) project() ([]policy.File, error) {
	if f.Project == "" {
		return nil, nil
	}
	file, err := read(policy.ScopeProject, f.Project)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return []policy.File{file}, nil
}

// read reads one file.
func read(scope, path string) (policy.File, error) {
	f, err := open(scope, path)
	if err != nil {
		return policy.File{}, fmt.Errorf("the rules cannot be read: %w", err)
	}
	defer f.Close()
	data, err := contents(f)
	if err != nil {
		return policy.File{}, fmt.Errorf("the rules cannot be read: %w", err)
	}
	return policy.File{Scope: scope, Name: path, Data: data}, nil
}

// open opens a file of rules. It does not wait for a writer, as a named pipe would make it. The
// project's must be in the project: whoever can make a link there could else have any file
// of this machine opened, and read parts of it among the faults.
func open(scope, path string) (*os.File, error) {
	const flags = os.O_RDONLY | syscall.O_NONBLOCK
	if scope != policy.ScopeProject {
		return os.OpenFile(path, flags, 0)
	}
	folder := filepath.Dir(path)
	root, err := os.OpenRoot(filepath.Dir(folder))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenFile(filepath.Join(filepath.Base(folder), filepath.Base(path)), flags, 0)
}

// contents returns all of a regular file.
func contents(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", f.Name())
	}
	data, err := io.ReadAll(io.LimitReader(f, policy.MaxFile+1))
	if err == nil && len(data) > policy.MaxFile {
		return nil, fmt.Errorf("%s has more than %d MiB", f.Name(), policy.MaxFile>>20)
	}
	return data, err
}
