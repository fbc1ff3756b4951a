package proc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Self returns the user that this process runs as, for what is asked of any user.
func Self() *User {
	groups, _ := os.Getgroups() // without them the own group decides
	u := &User{UID: uint32(os.Geteuid()), GID: uint32(os.Getegid())}
	for _, g := range groups {
		u.Groups = append(u.Groups, uint32(g))
	}
	return u
}

// CanChange returns the file or directory by which a process of this user can change what path
// leads to, "" if there is none: the file itself if the user may write to it, one of the
// directories on the way if the user may put something else there. Symbolic links on the way are
// followed one by one, because whoever can replace a link can replace what it leads to. A file
// that does not exist can be changed by whoever can make it. It looks at owners and modes, not at
// access control lists.
func (u *User) CanChange(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for range linksMax {
		at, next, err := u.changes(path)
		if err != nil || at != "" || next == "" {
			return at, err
		}
		path = next
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: syscall.ELOOP}
}

// linksMax is how many symbolic links the kernel follows on one path.
const linksMax = 40

// changes looks at each element of an absolute path, from the root on, up to the first symbolic
// link; next is the path that the link makes of it, "" if there was none.
func (u *User) changes(path string) (at, next string, err error) {
	dir := "/"
	for rest := splitPath(path); len(rest) > 0; rest = rest[1:] {
		name := filepath.Join(dir, rest[0])
		info, err := os.Lstat(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", "", err
		}
		can, denied := u.replaces(dir, info)
		switch {
		case denied != nil:
			return "", "", denied
		case can:
			return dir, "", nil
		case info == nil:
			return "", "", nil // it does not exist, and the user cannot make it
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return "", "", err
			}
			if !filepath.IsAbs(target) {
				target = filepath.Join(dir, target)
			}
			return "", filepath.Join(append([]string{target}, rest[1:]...)...), nil
		}
		dir = name
	}
	const write = 2
	info, err := os.Stat(path)
	if err != nil {
		return "", "", err
	}
	if can, err := u.allowed(path, write); err != nil || can || u.owns(info) {
		return path, "", err
	}
	return "", "", nil
}

// replaces reports whether the user may put something else in the place of an entry of dir: the
// user may write there, and no sticky bit protects the entry. info is the entry, nil if there is
// none yet. The owner of a directory can always give itself the right.
func (u *User) replaces(dir string, info fs.FileInfo) (bool, error) {
	const write = 2
	parent, err := os.Stat(dir)
	if err != nil {
		return false, err
	}
	if u.owns(parent) {
		return true, nil
	}
	can, err := u.allowed(dir, write)
	if err != nil || !can || info == nil {
		return can, err
	}
	return parent.Mode()&fs.ModeSticky == 0 || u.owns(info), nil
}

// owns reports whether the user is root or the owner.
func (u *User) owns(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return u.UID == 0 || ok && st.Uid == u.UID
}

// splitPath returns the elements of an absolute path.
func splitPath(path string) (all []string) {
	for path != "/" {
		all = append([]string{filepath.Base(path)}, all...)
		path = filepath.Dir(path)
	}
	return all
}
