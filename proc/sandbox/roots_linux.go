package sandbox

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// opened is a root that was found. The descriptor is only a handle (O_PATH), and a bare one: an
// os.File asks the kernel several more things, for each root of each start.
type opened struct {
	name string
	fd   int
	dir  bool
	id   fileID
}

// fileID identifies a file however it is called.
type fileID struct{ device, inode uint64 }

// open finds the root. A symbolic link below the base is an error, even if it leads to a place
// that is in the base.
func (r Root) open() (*opened, error) {
	fd, err := r.openPath()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: r.Name(), Err: err}
	}
	o := &opened{name: r.Name(), fd: fd}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		o.close()
		return nil, &fs.PathError{Op: "stat", Path: r.Name(), Err: err}
	}
	o.id, o.dir = fileID{uint64(st.Dev), st.Ino}, st.Mode&unix.S_IFMT == unix.S_IFDIR
	return o, nil
}

// close lets go of the handle.
func (o *opened) close() { _ = unix.Close(o.fd) }

func (r Root) openPath() (int, error) {
	if r.Base == "" {
		return unix.Open(r.Path, unix.O_PATH|unix.O_CLOEXEC, 0)
	}
	base, err := unix.Open(r.Base, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(base)
	fd, err := unix.Openat2(base, r.Path, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	switch {
	case errors.Is(err, unix.ELOOP):
		return -1, fmt.Errorf("a part of it is a symbolic link: name the place itself: %w", err)
	case errors.Is(err, unix.EXDEV):
		return -1, fmt.Errorf("it leads out of %s: %w", r.Base, err)
	}
	return fd, err
}

// sighting is what was at a root when a ruleset was made; the zero fileID means nothing.
type sighting struct {
	root Root
	id   fileID
}

// changed reports whether something else is at the root now. What belongs to the system changes too:
// a file such as /etc/resolv.conf or /etc/ld.so.cache is replaced by another one.
func (s *sighting) changed() bool {
	look := unix.Lstat
	if s.root.Base == "" {
		look = unix.Stat // links in it are followed
	}
	var st unix.Stat_t
	if look(s.root.Name(), &st) != nil {
		return s.id != fileID{}
	}
	return s.id != fileID{uint64(st.Dev), st.Ino}
}
