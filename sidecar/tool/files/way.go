package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// way is the open directories from "/" to the one that was used last. What is used next is mostly near
// it.
type way struct{ steps []step }

type step struct {
	path string
	fd   int
}

// shownName is how much of a name an error shows, in bytes.
const shownName = 80

// to returns the descriptor of a directory, which is good until the next call. Directories that are
// missing are made with make, which may be nil.
func (w *way) to(dir string, make func(parent int, name, path string) error) (int, error) {
	if len(w.steps) == 0 {
		fd, err := openAt(unix.AT_FDCWD, "/", passDir)
		if err != nil {
			return -1, err
		}
		w.steps = append(w.steps, step{"/", fd})
	}
	for last := len(w.steps) - 1; !below.Is(dir, w.steps[last].path); last-- {
		_ = unix.Close(w.steps[last].fd) // it was only used to find what is in it
		w.steps = w.steps[:last]
	}
	for {
		at := w.steps[len(w.steps)-1]
		rest, _ := below.Rest(dir, at.path)
		if rest == "" {
			return at.fd, nil
		}
		name, _, _ := strings.Cut(rest, "/")
		next := path.Join(at.path, name)
		fd, err := enter(at.fd, name)
		if errors.Is(err, fs.ErrNotExist) && make != nil {
			if err = make(at.fd, name, next); err == nil || errors.Is(err, fs.ErrExist) {
				fd, err = enter(at.fd, name)
			}
		}
		if err != nil {
			return -1, err
		}
		w.steps = append(w.steps, step{next, fd})
	}
}

// enter opens a directory that is no link.
func enter(parent int, name string) (int, error) {
	fd, err := openAt(parent, name, passDir)
	if !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.ELOOP) {
		return fd, err
	}
	info, err := lookAt(parent, name)
	switch {
	case err != nil:
		return -1, err
	case info.Mode()&fs.ModeSymlink != 0:
		return -1, tool.ErrLink
	}
	return -1, fmt.Errorf("%s is no directory", text.Quote(name, shownName))
}

// close closes the directories.
func (w *way) close() {
	for _, s := range w.steps {
		_ = unix.Close(s.fd)
	}
	w.steps = nil
}

// openAt opens what is in a directory. A link is an error.
func openAt(parent int, name string, flags int) (int, error) {
	return again(func() (int, error) {
		return unix.Openat(parent, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	})
}

// again repeats a system call that a signal has interrupted.
func again[T any](call func() (T, error)) (v T, err error) {
	for {
		if v, err = call(); err != unix.EINTR {
			return v, err
		}
	}
}
