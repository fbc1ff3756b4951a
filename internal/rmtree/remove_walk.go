package rmtree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

const (
	// removePiece is how many names of a directory are read at a time.
	removePiece = 1024
	// removeHeld is how many directories may wait to be emptied, counted over all directories
	// on the way to the current one. Above that limit, each directory on the way holds one.
	removeHeld = 16 * removePiece
	// removeShown is how many directories on the way an error names.
	removeShown = 8
)

// errMoved says that a directory is not where it was, and that the way back leads elsewhere.
var errMoved = errors.New("it is not where it was")

// remover empties a directory. Only the current directory is open: the depth of a tree was
// chosen by whoever made it, and it costs neither descriptors nor stack.
type remover struct {
	dir  *os.File
	way  []emptying // from the first directory to the current one
	held int        // how many names are in their full lists
}

// emptying is a directory that is being emptied, piece by piece. Each piece is read from the
// beginning, because it is not specified what a directory lists while it changes.
type emptying struct {
	name    string
	id      identity
	full    []string // the directories of the piece that are not empty
	removed bool     // something of the piece was removed, so another look is worth it
	fault   error    // the first error of the piece
}

// identity identifies a directory.
type identity struct{ dev, ino uint64 }

// emptyAt removes the content of a directory inside a directory.
func emptyAt(parent *os.File, name string) error {
	r := &remover{dir: parent}
	if err := r.down(name); err != nil {
		return err
	}
	defer func() { _ = r.dir.Close() }() // only read
	for {
		at := &r.way[len(r.way)-1]
		switch {
		case len(at.full) > 0:
			if err := r.down(r.next(at)); err != nil {
				at.failed(err)
			}
		case at.removed && r.piece(at):
		case len(r.way) == 1:
			return at.fault
		default:
			if err := r.up(); err != nil {
				return err
			}
		}
	}
}

// next removes the next directory to empty from the list and returns its name.
func (r *remover) next(at *emptying) string {
	last := len(at.full) - 1
	name := at.full[last]
	at.full, r.held = at.full[:last], r.held-1
	return name
}

// piece reads the next names and removes those that can be removed at once. It reports whether
// there were any names.
func (r *remover) piece(at *emptying) bool {
	at.removed, at.fault = false, nil
	_, err := r.dir.Seek(0, io.SeekStart)
	var names []string
	if err == nil {
		names, err = r.dir.Readdirnames(removePiece)
	}
	if len(names) == 0 {
		if !errors.Is(err, io.EOF) {
			at.fault = err
		}
		return false
	}
	for _, name := range names {
		switch full, err := removeAt(r.dir, name); {
		case err != nil:
			at.failed(r.shown(err))
		case !full:
			at.removed = true
		case len(at.full) == 0 || r.held < removeHeld:
			at.full, r.held = append(at.full, name), r.held+1
		}
	}
	return true
}

// failed keeps the first error.
func (e *emptying) failed(err error) {
	if e.fault == nil {
		e.fault = err
	}
}

// down enters a directory, if there is a way back.
func (r *remover) down(name string) error {
	dir, err := enterAt(r.dir, name)
	if err != nil {
		return r.shown(&fs.PathError{Op: "open", Path: name, Err: err})
	}
	var own, back unix.Stat_t
	err = errors.Join(unix.Fstat(int(dir.Fd()), &own), unix.Fstatat(int(dir.Fd()), "..", &back, 0))
	if n := len(r.way); err == nil && n > 0 && identityOf(&back) != r.way[n-1].id {
		err = errMoved
	}
	if err != nil {
		_ = dir.Close() // only read
		return r.shown(&fs.PathError{Op: "stat", Path: name, Err: err})
	}
	if len(r.way) > 0 {
		_ = r.dir.Close() // only read
	}
	r.dir, r.way = dir, append(r.way, emptying{name: name, id: identityOf(&own), removed: true})
	return nil
}

// up leaves a directory that is done, and removes it.
func (r *remover) up() error {
	done, above := r.way[len(r.way)-1], &r.way[len(r.way)-2]
	fd, err := unix.Openat(int(r.dir.Fd()), "..", enterFlags, 0)
	if err != nil {
		return r.shown(os.NewSyscallError("openat", err))
	}
	dir := os.NewFile(uintptr(fd), "..")
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil && identityOf(&st) != above.id {
		err = errMoved
	}
	if err != nil {
		_ = dir.Close() // only read
		return r.shown(err)
	}
	_ = r.dir.Close() // only read
	r.dir, r.way = dir, r.way[:len(r.way)-1]
	if done.fault == nil {
		if err := rmdirAt(r.dir, done.name); err != nil {
			done.fault = r.shown(err)
		}
	}
	if done.fault == nil {
		above.removed = true
	} else {
		above.failed(done.fault)
	}
	return nil
}

func identityOf(st *unix.Stat_t) identity { return identity{uint64(st.Dev), uint64(st.Ino)} }

// shown adds to an error where it occurred, naming at most removeShown directories.
func (r *remover) shown(err error) error {
	where := ""
	for i, e := range r.way {
		if i == removeShown {
			where = path.Join(where, "…")
			break
		}
		where = path.Join(where, e.name)
	}
	if where == "" {
		return err
	}
	return fmt.Errorf("%s: %w", where, err)
}
