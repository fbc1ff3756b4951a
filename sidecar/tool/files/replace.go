package files

import (
	"crypto/rand"
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// tempName is how much of a file's name, in bytes, stands in the name of the one that will replace it.
const tempName = 64

// Replace implements tool.FS.
func (v *view) Replace(path string, content []byte, old fs.FileInfo) error {
	return v.replaceAt(path, content, nil, old)
}

// Restore implements tool.FS.
func (v *view) Restore(path string, content []byte, mode fs.FileMode, old fs.FileInfo) error {
	return v.replaceAt(path, content, &mode, old)
}

// replaceAt replaces a file. It gets the permissions mode, if they are not nil.
func (v *view) replaceAt(path string, content []byte, mode *fs.FileMode, old fs.FileInfo) error {
	resolved, _, err := v.Path(path)
	if err != nil {
		return err
	}
	if err := v.replace(resolved, content, mode, old); err != nil {
		return v.fail("write", resolved, err)
	}
	return nil
}

func (v *view) replace(resolved string, content []byte, mode *fs.FileMode, old fs.FileInfo) error {
	if err := v.f.changeable(resolved); err != nil {
		return err
	}
	parent, name, err := v.at(policy.FSWrite, resolved, v.mkdir)
	if err != nil {
		return err
	}
	now, err := still(parent, name, old)
	if err != nil {
		return err
	}
	if now != nil {
		if err := writes(parent, name); err != nil {
			return err
		}
	}
	temp := "." + text.Cut(name, tempName) + "." + rand.Text() + ".tmp"
	if err = v.fill(parent, temp, content, mode, now); err == nil {
		err = v.exchange(resolved, parent, name, temp, content, now)
	}
	if err != nil {
		_ = unix.Unlinkat(parent, temp, 0) // it may not be there
		return err
	}
	return syncDir(parent)
}

// exchange gives a file that was filled the name of old, nil for none. Before that the journal has the change.
func (v *view) exchange(resolved string, parent int, name, temp string, content []byte, old *info) error {
	after, err := made(parent, temp, content)
	if err != nil {
		return err
	}
	forget, err := v.record(resolved, parent, name, old, after)
	if err != nil {
		return err
	}
	if _, err = still(parent, name, seen(old)); err == nil {
		err = put(parent, temp, name, old == nil)
	}
	if err != nil {
		forget()
	}
	return err
}

// seen returns what still compares with.
func seen(old *info) fs.FileInfo {
	if old == nil {
		return nil
	}
	return old
}

// mkdir makes a directory that is missing, beneath a root.
func (v *view) mkdir(parent int, name, path string) error {
	if v.f.rootOf(path) == "" || v.f.rootOf(path) == path {
		return fs.ErrNotExist
	}
	return unix.Mkdirat(parent, name, 0o777)
}

// still returns what is at a name, nil for nothing. ErrChanged says that it is not what the caller believes.
func still(parent int, name string, old fs.FileInfo) (*info, error) {
	now, err := lookAt(parent, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		now = nil
	case err != nil:
		return nil, err
	default:
		if err := regular(now); err != nil {
			return nil, err
		}
	}
	if !now.same(old) {
		return nil, tool.ErrChanged
	}
	return now, nil
}

// writes returns an error if the file may not be written: a rename would not ask.
func writes(parent int, name string) error {
	fd, err := openAt(parent, name, unix.O_WRONLY)
	switch {
	case errors.Is(err, unix.ETXTBSY): // a program that runs: it keeps the old file
		return nil
	case errors.Is(err, unix.ELOOP):
		return tool.ErrLink
	case err != nil:
		return err
	}
	return unix.Close(fd)
}

// fill makes the file that will replace old, nil for none, and brings it to the disk. It gets the permissions wanted, nil for those of old.
func (v *view) fill(parent int, temp string, content []byte, wanted *fs.FileMode, old *info) error {
	mode := uint32(0o666)
	if old != nil || wanted != nil {
		mode = 0o600 // until it has the mode of the old one, or the one that is wanted
	}
	fd, err := again(func() (int, error) {
		return unix.Openat(parent, temp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
	})
	if err != nil {
		return err
	}
	for len(content) > 0 && err == nil {
		var n int
		n, err = again(func() (int, error) { return unix.Write(fd, content) })
		content = content[max(n, 0):]
	}
	if err == nil && old != nil {
		err = likeOld(fd, old)
	}
	if err == nil && wanted != nil {
		err = unix.Fchmod(fd, uint32(wanted.Perm()))
	}
	if err == nil {
		_, err = again(func() (struct{}, error) { return struct{}{}, unix.Fsync(fd) })
	}
	return errors.Join(err, unix.Close(fd))
}

// likeOld gives a file the owner of another one, as far as we may, and its permissions. A file that we
// cannot give away stays ours, as with any editor.
func likeOld(fd int, old *info) error {
	now, err := lookInto(fd, "")
	if err != nil {
		return err
	}
	uid, gid := int(old.st.Uid), int(old.st.Gid)
	if now.st.Uid != old.st.Uid || now.st.Gid != old.st.Gid {
		if err := unix.Fchown(fd, uid, gid); errors.Is(err, unix.EPERM) {
			err = unix.Fchown(fd, -1, gid)
			if err != nil && !errors.Is(err, unix.EPERM) {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	return unix.Fchmod(fd, uint32(old.Mode().Perm()))
}

// put gives the file its name. A new one never takes the place of another, where the file system
// can link.
func put(parent int, temp, name string, isNew bool) error {
	if isNew {
		switch err := unix.Linkat(parent, temp, parent, name, 0); {
		case err == nil:
			return unix.Unlinkat(parent, temp, 0)
		case errors.Is(err, fs.ErrExist):
			return tool.ErrChanged
		}
	}
	return unix.Renameat(parent, temp, parent, name)
}

// syncDir brings the names of a directory to the disk. One that may not be read cannot be opened for that.
func syncDir(parent int) error {
	fd, err := openAt(parent, ".", unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil
	}
	_, err = again(func() (struct{}, error) { return struct{}{}, unix.Fsync(fd) })
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil // a file system without it
	}
	return errors.Join(err, unix.Close(fd))
}
