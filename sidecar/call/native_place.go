package call

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// The permissions of a file, as in its mode.
const (
	mayRead  = 4
	mayWrite = 2
	mayPass  = 1
)

// may reports whether the agent's user has a permission: with --user we could open more than the agent.
func (n *native) may(info fs.FileInfo, bit fs.FileMode) bool {
	return n.p.opts.User == nil || n.p.opts.User.May(info, bit)
}

var (
	errOutside = errors.New("it is outside of the directories of the task")
	errLink    = errors.New("a link has come into its way")
	errKind    = errors.New("it is no regular file")
)

// place is a file's directory, opened below a root, and its name there.
type place struct {
	n    *native
	dir  *os.Root
	name string
}

func (p *place) close() { _ = p.dir.Close() } // it was only used to find what is in it

// place opens the directory of the file that was judged. The path was resolved, so no element of it
// is a link: one that has become a link since leads to something that nobody has judged. make
// makes directories that are missing.
func (n *native) place(roots []string, use policy.Use, make bool) (*place, error) {
	if use.Doubt != "" {
		return nil, errors.New(use.Doubt)
	}
	root, rest := "", ""
	for _, r := range roots {
		if in, ok := below.Rest(use.Value, r); ok && len(r) > len(root) {
			root, rest = r, in
		}
	}
	switch {
	case root == "":
		return nil, errOutside
	case rest == "":
		return nil, errKind
	}
	dir, err := openRoot(root)
	if err != nil {
		return nil, err
	}
	at := &place{n: n, dir: dir}
	if info, err := dir.Stat("."); err != nil || !n.may(info, mayPass) {
		at.close()
		return nil, fs.ErrPermission
	}
	elements := strings.Split(rest, "/")
	for _, e := range elements[:len(elements)-1] {
		if err := at.enter(e, make); err != nil {
			at.close()
			return nil, err
		}
	}
	at.name = elements[len(elements)-1]
	return at, nil
}

// openRoot opens a root, whose path was resolved.
func openRoot(path string) (*os.Root, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, bare(err)
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		return nil, bare(err)
	}
	if now, err := dir.Stat("."); err != nil || !os.SameFile(info, now) {
		_ = dir.Close()
		return nil, errLink
	}
	return dir, nil
}

// enter goes into a directory.
func (p *place) enter(name string, make bool) error {
	info, err := p.dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) && make {
		if err = p.mkdir(name); err == nil {
			info, err = p.dir.Lstat(name)
		}
	}
	switch {
	case err != nil:
		return bare(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return errLink
	case !info.IsDir():
		return fmt.Errorf("%s is no directory", text.Quote(name, shownName))
	case !p.n.may(info, mayPass):
		return fs.ErrPermission
	}
	next, err := p.dir.OpenRoot(name)
	if err != nil {
		return bare(err)
	}
	if now, err := next.Stat("."); err != nil || !os.SameFile(info, now) {
		_ = next.Close()
		return errLink
	}
	p.close()
	p.dir = next
	return nil
}

// mkdir makes a directory for the agent's user.
func (p *place) mkdir(name string) error {
	if err := p.writable(); err != nil {
		return err
	}
	if err := p.dir.Mkdir(name, 0o777); err != nil {
		return err
	}
	if u := p.n.p.opts.User; u != nil {
		return p.dir.Lchown(name, int(u.UID), int(u.GID))
	}
	return nil
}

// writable returns an error if the agent's user may not make files in the directory.
func (p *place) writable() error {
	info, err := p.dir.Stat(".")
	if err != nil {
		return bare(err)
	}
	if !p.n.may(info, mayWrite) || !p.n.may(info, mayPass) {
		return fs.ErrPermission
	}
	return nil
}

// look returns what is there, which is a regular file: a link, a pipe or a device is refused.
func (p *place) look() (fs.FileInfo, error) {
	info, err := p.dir.Lstat(p.name)
	switch {
	case err != nil:
		return nil, bare(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, errLink
	case !info.Mode().IsRegular():
		return nil, errKind
	}
	return info, nil
}

// open opens the file for reading. What is opened is what was looked at.
func (p *place) open() (*os.File, fs.FileInfo, error) {
	info, err := p.look()
	if err != nil {
		return nil, nil, err
	}
	f, err := p.dir.OpenFile(p.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, bare(err)
	}
	now, err := f.Stat()
	if err != nil || !os.SameFile(info, now) {
		_ = f.Close()
		return nil, nil, errLink
	}
	return f, now, nil
}

// bare returns an error of a file without its path, which the caller names.
func bare(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
