package files

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// maxEntries is how many entries of one directory are read: each takes some hundred bytes of memory.
const maxEntries = 200_000

// count counts what was left out, by all workers together.
type count = atomic.Int64

// view is the files as the work on one thread has them.
type view struct {
	f       *Files
	way     way
	skipped *count
	fault   error // why there are none: the thread could not be confined
}

var _ tool.FS = (*view)(nil)

// Path implements tool.FS.
func (v *view) Path(path string) (resolved, shown string, err error) {
	resolved, given := v.f.o.Given[path]
	switch {
	case given:
	case path == "" || strings.ContainsRune(path, 0):
		return "", "", v.fail("open", path, fs.ErrInvalid)
	case filepath.IsAbs(path):
		resolved = filepath.Clean(path)
	default:
		resolved = filepath.Join(v.f.o.Dir, path)
	}
	return resolved, v.shown(resolved), nil
}

// shown returns the name by which a path is shown.
func (v *view) shown(resolved string) string {
	if rest, ok := below.Rest(resolved, v.f.o.Dir); ok {
		return cmp.Or(rest, ".")
	}
	return resolved
}

// fail returns an error of a path.
func (v *view) fail(op, path string, err error) error {
	return &fs.PathError{Op: op, Path: text.Show(v.shown(path)), Err: err}
}

// at returns where a path is that the call may use: its directory and its name there.
func (v *view) at(c policy.Capability, resolved string, make func(parent int, name, path string) error) (parent int, name string, err error) {
	if v.fault != nil {
		return -1, "", v.fault
	}
	if err := v.f.allowed(c, resolved); err != nil {
		return -1, "", err
	}
	parent, err = v.way.to(filepath.Dir(resolved), make)
	if resolved == "/" {
		return parent, ".", err
	}
	return parent, filepath.Base(resolved), err
}

// Stat implements tool.FS.
func (v *view) Stat(path string) (fs.FileInfo, error) {
	resolved, _, err := v.Path(path)
	if err != nil {
		return nil, err
	}
	if k := v.f.o.Kept[resolved]; k != nil {
		return k.Stat()
	}
	parent, name, err := v.at(v.looks(resolved), resolved, nil)
	if err != nil {
		return nil, v.fail("stat", resolved, err)
	}
	now, err := lookAt(parent, name)
	if err != nil {
		return nil, v.fail("stat", resolved, err)
	}
	return now, nil
}

// looks returns what a look at a path counts as. To look at what is written is a part of writing.
func (v *view) looks(resolved string) policy.Capability {
	if named, beneath := judged(v.f.o.Writes, resolved); named || beneath {
		if v.f.allowed(policy.FSWrite, resolved) == nil {
			return policy.FSWrite
		}
	}
	return policy.FSRead
}

// Open implements tool.FS.
func (v *view) Open(path string) (tool.Opened, error) {
	resolved, _, err := v.Path(path)
	if err != nil {
		return nil, err
	}
	if k := v.f.o.Kept[resolved]; k != nil {
		return newKept(k)
	}
	o, err := v.open(resolved)
	if err != nil {
		return nil, v.fail("open", resolved, err)
	}
	return o, nil
}

// open opens a regular file. It is looked at first: to open a device can do something.
func (v *view) open(resolved string) (*opened, error) {
	parent, name, err := v.at(policy.FSRead, resolved, nil)
	if err != nil {
		return nil, err
	}
	now, err := lookAt(parent, name)
	if err == nil {
		err = regular(now)
	}
	if err != nil {
		return nil, err
	}
	fd, err := openAt(parent, name, unix.O_RDONLY)
	if errors.Is(err, unix.ELOOP) {
		return nil, tool.ErrLink
	}
	if err != nil {
		return nil, err
	}
	if now, err = lookInto(fd, name); err == nil {
		err = regular(now) // another one has come in its place
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return &opened{fd, now}, nil
}

// regular returns an error for what is no regular file.
func regular(i *info) error {
	switch mode := i.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return tool.ErrLink
	case mode.IsDir():
		return tool.ErrIsDir
	case !mode.IsRegular():
		return tool.ErrKind
	}
	return nil
}

// ReadDir implements tool.FS.
func (v *view) ReadDir(path string) ([]fs.DirEntry, error) {
	resolved, _, err := v.Path(path)
	if err != nil {
		return nil, err
	}
	all, err := v.entries(resolved)
	if err != nil {
		return nil, v.fail("open", resolved, err)
	}
	if v.f.o.May == nil {
		return all, nil
	}
	kept := all[:0]
	for _, e := range all {
		if v.f.allowed(policy.FSRead, filepath.Join(resolved, e.Name())) == nil {
			kept = append(kept, e)
		}
	}
	v.skipped.Add(int64(len(all) - len(kept)))
	return kept, nil
}

func (v *view) entries(resolved string) ([]fs.DirEntry, error) {
	if _, _, err := v.at(policy.FSRead, resolved, nil); err != nil {
		return nil, err
	}
	fd, err := v.way.to(resolved, nil)
	if err != nil {
		return nil, err
	}
	if fd, err = openAt(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY); err != nil {
		return nil, err
	}
	dir := os.NewFile(uintptr(fd), resolved)
	defer dir.Close()
	found, err := dir.ReadDir(maxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(found) == maxEntries {
		if more, _ := dir.ReadDir(1); len(more) > 0 {
			return nil, fmt.Errorf("it has more than %d entries", maxEntries)
		}
	}
	all := make([]fs.DirEntry, len(found))
	for i, e := range found {
		all[i] = &entry{DirEntry: e, v: v, dir: resolved}
	}
	return all, nil
}

// entry is an entry of a directory. Its Info belongs to the goroutine of its view.
type entry struct {
	fs.DirEntry
	v   *view
	dir string
}

func (e *entry) Info() (fs.FileInfo, error) { return e.v.Stat(filepath.Join(e.dir, e.Name())) }

// Skipped implements tool.FS.
func (v *view) Skipped() int { return int(v.skipped.Load()) }
