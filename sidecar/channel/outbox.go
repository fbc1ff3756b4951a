package channel

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Outbox is the directory in which a process leaves files for the sidecar. What exceeds a frame
// goes through it: arguments to the sidecar, results to the process.
type Outbox struct {
	// Path is where the process finds it.
	Path string
	// Open opens the directory, which the caller closes. It may be called from many goroutines,
	// and fails when the directory is gone.
	Open func() (*os.File, error)
	// UID and GID are those of the process: it owns what the sidecar writes, and what it has
	// written belongs to UID.
	UID, GID int
}

// OutboxOwner is an Owner whose process may have an outbox.
type OutboxOwner interface {
	Owner
	// Outbox returns the process's outbox, nil for none.
	Outbox() *Outbox
}

// outboxOf returns the outbox of an owner's process, nil for none.
func outboxOf(o Owner) *Outbox {
	if with, ok := o.(OutboxOwner); ok {
		return with.Outbox()
	}
	return nil
}

const (
	// framePrefix begins the names of files that are parts of frames, and frameRandom is how
	// many characters of crypto/rand.Text follow.
	framePrefix = ".sidecar-frame-"
	frameRandom = 26
	// frameLetters are the characters of crypto/rand.Text.
	frameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// FrameFile reports whether a file in an outbox with this name is a part of a frame: it is never
// published.
func FrameFile(name string) bool {
	random, ok := strings.CutPrefix(name, framePrefix)
	return ok && len(random) == frameRandom && strings.Trim(random, frameLetters) == ""
}

// outboxFlags open an outbox. A link in its place is an error, and a FIFO does not block.
const outboxFlags = os.O_RDONLY | syscall.O_DIRECTORY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// openPath opens an outbox by its path.
func openPath(path string) (*os.File, error) { return os.OpenFile(path, outboxFlags, 0) }

// frameFileError says what is wrong with a file that is a part of a frame.
func frameFileError(name, format string, args ...any) error {
	return fmt.Errorf("the file %s of the outbox "+format, append([]any{name}, args...)...)
}

// readFrameFile reads a file of an outbox and removes it, whatever comes of it. The file must be
// uid's, and have at most most bytes; no link is followed. It takes as much memory as the file is
// long.
func readFrameFile(dir *os.File, name string, uid int, most int64) ([]byte, error) {
	if !FrameFile(name) {
		return nil, fmt.Errorf("%q is not the name of a file for a frame: want %s and %d letters of %s", name, framePrefix, frameRandom, frameLetters)
	}
	defer removeFrameFile(dir, name)
	fd, err := unix.Openat(int(dir.Fd()), name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil, frameFileError(name, "is not there")
	case errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK):
		return nil, frameFileError(name, "is a link")
	case err != nil:
		return nil, frameFileError(name, "cannot be opened: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, frameFileError(name, "cannot be read: %w", err)
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		return nil, frameFileError(name, "is not a plain file: it is %s", kindOf(info.Mode()))
	case !ok || int(s.Uid) != uid:
		return nil, frameFileError(name, "belongs to another user: want uid %d", uid)
	case s.Nlink > 1:
		return nil, frameFileError(name, "has a second name")
	case info.Size() > most:
		return nil, frameFileError(name, "has %d bytes, at most %d are taken (--max-body)", info.Size(), most)
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, frameFileError(name, "became shorter while it was read")
	}
	if n, _ := f.Read(make([]byte, 1)); n > 0 {
		return nil, frameFileError(name, "became longer while it was read")
	}
	return data, nil
}

// kindOf names what a mode is of.
func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a FIFO"
	}
	return m.Type().String()
}

// writeFrameFile makes a private file in an outbox, which belongs to that user, and returns its
// name. Nothing stays of a file that could not be written.
func writeFrameFile(ctx context.Context, dir *os.File, data []byte, uid, gid int) (name string, err error) {
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	name = framePrefix + rand.Text()
	fd, err := unix.Openat(int(dir.Fd()), name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return "", &fs.PathError{Op: "create", Path: name, Err: err}
	}
	f := os.NewFile(uintptr(fd), name)
	if uid != os.Geteuid() {
		err = f.Chown(uid, gid)
	}
	if err == nil {
		_, err = f.Write(data)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		removeFrameFile(dir, name)
		return "", err
	}
	return name, nil
}

// removeFrameFile removes a file, or an empty directory in its place.
func removeFrameFile(dir *os.File, name string) {
	if unix.Unlinkat(int(dir.Fd()), name, 0) != nil {
		_ = unix.Unlinkat(int(dir.Fd()), name, unix.AT_REMOVEDIR) // what stays goes with the outbox
	}
}

// isThere reports whether a directory has an entry.
func isThere(dir *os.File, name string) bool {
	var s unix.Stat_t
	return unix.Fstatat(int(dir.Fd()), name, &s, unix.AT_SYMLINK_NOFOLLOW) == nil
}
