package call

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/a2a-sidecar/sidecar/a2a"
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

// write replaces the file that was judged, or makes it, at once: whoever reads it sees the old one or
// the new one. The mode and the owner stay; a new file is the agent's user's.
func (n *native) write(roots []string, use policy.Use, content string) error {
	at, err := n.place(roots, use, true)
	if err != nil {
		return err
	}
	defer at.close()
	old, err := at.look()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = nil
	case err != nil:
		return err
	case !n.may(old, mayWrite):
		return fs.ErrPermission
	}
	if err := at.writable(); err != nil {
		return err
	}
	temp := "." + text.Cut(at.name, tempName) + "." + a2a.NewID() + ".tmp"
	if err := at.fill(temp, old, content); err != nil {
		_ = at.dir.Remove(temp) // it may not be there
		return bare(err)
	}
	if err := at.dir.Rename(temp, at.name); err != nil {
		_ = at.dir.Remove(temp)
		return bare(err)
	}
	return nil
}

// tempName is how much of a file's name, in bytes, stands in the name of the one that will replace it.
const tempName = 64

// fill makes the file that will replace old, nil for none.
func (p *place) fill(temp string, old fs.FileInfo, content string) error {
	f, err := p.dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, p.own(f, old), f.Close())
}

// own gives the file the owner and the mode of old, or the agent's user.
func (p *place) own(f *os.File, old fs.FileInfo) error {
	if old == nil {
		if u := p.n.p.opts.User; u != nil {
			return f.Chown(int(u.UID), int(u.GID))
		}
		return nil
	}
	if was, ok := old.Sys().(*syscall.Stat_t); ok {
		if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil && p.n.p.opts.User != nil {
			return err
		} // without --user it stays ours, as with any editor
	}
	return f.Chmod(old.Mode().Perm())
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
