package call

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

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
