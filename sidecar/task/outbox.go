package task

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// These constants bound what is taken from an outbox at a time.
const (
	maxOutboxFiles = 100
	maxOutboxNames = 10 * maxOutboxFiles
	maxOutboxBytes = 8 << 20
	maxOutboxDepth = 8
)

// Left is a file that a process left in its outbox. Name is its path in the outbox,
// made safe to show. Part is its content, as text if it is text.
type Left struct {
	Name string
	Part a2a.Part
}

// OutboxFlags are the flags to open an outbox, or a directory in one. If its owner
// puts a link or a FIFO in its place, opening it is an error and does not block.
const OutboxFlags = os.O_RDONLY | syscall.O_DIRECTORY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// ReadOutbox reads what a process left in its outbox, opened with OutboxFlags, in
// the order of the names. It takes at most 100 files, 8 MiB in all, 8 folders deep.
// It takes only plain files with one name: a link, or a file with a second hard
// link, may be somebody else's. It looks at no more than 1,000 names, in the order
// in which the file system lists them, and sorts those; the other names in the
// outbox cost nothing. skipped counts what was left out; the names beyond the limit
// count as one. Files of the outbox itself whose names are private are neither taken nor
// counted. ReadOutbox leaves outbox open.
func ReadOutbox(outbox *os.File, private func(name string) bool) (found []Left, skipped int) {
	r := outboxReader{names: maxOutboxNames, room: maxOutboxBytes, private: private}
	r.dir(outbox, "", 0)
	return r.found, r.skipped
}

// outboxReader reads one outbox. It opens each entry by its single name in an open
// directory, so that nothing can be swapped on the way.
type outboxReader struct {
	names   int   // how many names may still be looked at
	room    int64 // how many bytes may still be taken
	private func(name string) bool
	found   []Left
	skipped int
}

// dir takes the files in a directory that is depth folders down.
func (r *outboxReader) dir(dir *os.File, name string, depth int) {
	entries, err := r.list(dir)
	if err != nil {
		r.skipped++
	}
	for _, e := range entries {
		inner := path.Join(name, e.Name())
		switch {
		case depth == 0 && !e.IsDir() && r.private(e.Name()):
		case !e.IsDir():
			r.file(dir, e.Name(), inner)
		case depth == maxOutboxDepth:
			r.skipped++
		default:
			r.enter(dir, e.Name(), inner, depth+1)
		}
	}
}

// enter takes the files in a subdirectory.
func (r *outboxReader) enter(dir *os.File, base, name string, depth int) {
	inner, err := openIn(dir, base, OutboxFlags)
	if err != nil {
		r.skipped++
		return
	}
	defer inner.Close()
	r.dir(inner, name, depth)
}

// openIn opens an entry of a directory.
func openIn(dir *os.File, base string, flags int) (*os.File, error) {
	fd, err := unix.Openat(int(dir.Fd()), base, flags|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "openat", Path: base, Err: err}
	}
	return os.NewFile(uintptr(fd), base), nil
}

// errManyNames means that not all of a directory was looked at.
var errManyNames = errors.New("too many names")

// list returns the names of a directory in order. If it also returns an error, these
// are only some of the names.
func (r *outboxReader) list(dir *os.File) ([]fs.DirEntry, error) {
	entries, err := dir.ReadDir(r.names + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if len(entries) > r.names {
		entries, err = entries[:r.names], errManyNames
	}
	r.names -= len(entries)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// file takes a file, or skips it if it may not be taken or there is no room.
func (r *outboxReader) file(dir *os.File, base, name string) {
	data, err := readPlain(dir, base, r.room)
	if err != nil || len(r.found) == maxOutboxFiles {
		r.skipped++
		return
	}
	r.room -= int64(len(data))
	r.found = append(r.found, left(name, data))
}

var errNotPlain = errors.New("not a plain file")

// readPlain reads a plain file of at most room bytes. It checks the opened file, so
// that nobody can swap the file between the check and the read.
func readPlain(dir *os.File, base string, room int64) ([]byte, error) {
	f, err := openIn(dir, base, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); !info.Mode().IsRegular() || ok && s.Nlink > 1 {
		return nil, errNotPlain
	}
	data, err := io.ReadAll(io.LimitReader(f, room+1))
	if err == nil && int64(len(data)) > room {
		err = fmt.Errorf("larger than the %d bytes that are left", room)
	}
	return data, err
}

func left(name string, data []byte) Left {
	shown := text.Name(name)
	part := a2a.Part{Kind: a2a.PartRaw, Raw: data, Filename: path.Base(shown), MediaType: mime.TypeByExtension(path.Ext(name))}
	if text.IsText(data) {
		part.Kind, part.Raw, part.Text = a2a.PartText, nil, string(data)
	}
	return Left{Name: shown, Part: part}
}
