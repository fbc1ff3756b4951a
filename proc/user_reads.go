package proc

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// CanRead reports whether a process of this user can open a file for reading. It looks at the
// owners and modes of the file and of the directories on the way to it, but not at access
// control lists.
func (u *User) CanRead(path string) (bool, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return false, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return false, err
	}
	const read, search = 4, 1
	if ok, err := u.allowed(path, read); err != nil || !ok {
		return false, err
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if ok, err := u.allowed(dir, search); err != nil || !ok {
			return false, err
		}
		if dir == filepath.Dir(dir) {
			return true, nil
		}
	}
}

// allowed reports whether the mode grants this user the permission bit.
func (u *User) allowed(path string, bit fs.FileMode) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	return u.May(info, bit), nil
}

// May reports whether the mode and the owner of a file grant this user a permission: 4 to read,
// 2 to write, 1 to execute it, or to pass a directory. It does not look at access control lists, or at the
// directories on the way.
func (u *User) May(info fs.FileInfo, bit fs.FileMode) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	mode := info.Mode().Perm()
	switch {
	case u.UID == 0:
		return true
	case ok && owner.Uid == u.UID:
		mode >>= 6
	case ok && (owner.Gid == u.GID || slices.Contains(u.Groups, owner.Gid)):
		mode >>= 3
	}
	return mode&bit != 0
}
