package files

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// info is what is known of a file. Its Sys is a *unix.Stat_t.
type info struct {
	name string
	st   unix.Stat_t
}

var _ fs.FileInfo = (*info)(nil)

func (i *info) Name() string       { return i.name }
func (i *info) Size() int64        { return i.st.Size }
func (i *info) ModTime() time.Time { return time.Unix(i.st.Mtim.Unix()) }
func (i *info) IsDir() bool        { return i.Mode().IsDir() }
func (i *info) Sys() any           { return &i.st }

// Links returns how many names the file has.
func (i *info) Links() int { return int(i.st.Nlink) }

func (i *info) Mode() fs.FileMode {
	mode := fs.FileMode(i.st.Mode & 0o777)
	switch i.st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	}
	if i.st.Mode&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if i.st.Mode&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if i.st.Mode&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

// same reports whether i, which may be nil, still is what the caller has seen, which may be nil too.
func (i *info) same(seen fs.FileInfo) bool {
	old, ours := seen.(*info)
	switch {
	case i == nil || seen == nil:
		return i == nil && seen == nil
	case ours && (i.st.Dev != old.st.Dev || i.st.Ino != old.st.Ino):
		return false
	}
	return i.Size() == seen.Size() && i.ModTime().Equal(seen.ModTime())
}

// lookAt returns what is in a directory. A link is not followed.
func lookAt(parent int, name string) (*info, error) {
	i := &info{name: name}
	_, err := again(func() (struct{}, error) {
		return struct{}{}, unix.Fstatat(parent, name, &i.st, unix.AT_SYMLINK_NOFOLLOW)
	})
	if err != nil {
		return nil, err
	}
	return i, nil
}

// lookInto returns what is open.
func lookInto(fd int, name string) (*info, error) {
	i := &info{name: name}
	if err := unix.Fstat(fd, &i.st); err != nil {
		return nil, err
	}
	return i, nil
}
