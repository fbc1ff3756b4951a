package output

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Options is what a Store is made of.
type Options struct {
	// Dir is a directory that nobody else uses, 0700 and outside of what tools and agents
	// may write. The Store removes its own files from it when it is closed.
	Dir string
	// Limit is the most bytes that one file may have, at least 1.
	Limit int64
	// Total is the most bytes that all files may have together: the oldest that are whole make room
	// for another. 0: no limit.
	Total int64
	// Log is told what could not be removed. nil: nobody.
	Log *slog.Logger
}

// Store keeps side files, each under an id: that of its task. Its methods may be called
// from many goroutines. A nil Store keeps nothing.
type Store struct {
	o    Options
	dir  string // o.Dir with its links resolved
	root *os.Root

	mu     sync.Mutex
	files  map[string]*entry
	whole  []string      // ids of files that are whole, the oldest first
	used   int64         // bytes of all files
	gone   []string      // ids of files to be removed
	wake   chan struct{} // something is in gone
	ended  chan struct{} // the remover has ended
	closed bool
}

// entry is a file that the store knows.
type entry struct {
	made  fs.FileInfo // what was made: something else of that name is not ours
	media string
	done  bool // it is whole
	// session is what the file is forgotten with, and size are its bytes.
	session string
	size    int64
}

// ErrClosed says that the store was closed.
var ErrClosed = errors.New("the side files are gone: the sidecar ends")

// ErrNotFound says that there is no such file, or not any more.
var ErrNotFound = errors.New("there is no such output, or it is gone with its task")

// NewStore returns a store. Close releases it.
func NewStore(o Options) (*Store, error) {
	if o.Limit < 1 {
		return nil, fmt.Errorf("output: a limit of %d bytes keeps nothing", o.Limit)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("the directory of side files: %w", err)
	}
	dir, err := filepath.EvalSymlinks(o.Dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the directory of side files: %w", err), root.Close())
	}
	s := &Store{o: o, dir: dir, root: root, files: map[string]*entry{}, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go s.remover()
	return s, nil
}

// Limit returns the most bytes that one file may have, 0 for a nil Store.
func (s *Store) Limit() int64 {
	if s == nil {
		return 0
	}
	return s.o.Limit
}

// Dir returns the directory of the files, with its links resolved; "" for a nil Store.
func (s *Store) Dir() string {
	if s == nil {
		return ""
	}
	return s.dir
}

// Total returns the most bytes that all files may have together, 0 for no limit.
func (s *Store) Total() int64 {
	if s == nil {
		return 0
	}
	return s.o.Total
}

// Create begins the file with that id, of a session. The id must be the name of a file, without a
// separator, and be used once.
func (s *Store) Create(id, session string) (*File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if s.files[id] != nil {
		return nil, fmt.Errorf("the side file %s exists", id)
	}
	f, err := s.root.OpenFile(id, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the side file: %w", err)
	}
	made, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	s.files[id] = &entry{made: made, session: session}
	return &File{s: s, id: id, f: f, path: filepath.Join(s.o.Dir, id)}, nil
}

// Forget removes files, if there are any with these ids. It does not wait for the disk.
func (s *Store) Forget(ids ...string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(ids...)
}

// SessionEnded removes the files of a session that are whole, "" for those of all sessions. One that
// is still written is of a call that goes on without the session: it goes with its task. It does not
// wait for the disk.
func (s *Store) SessionEnded(session string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for _, id := range s.whole {
		if session == "" || s.files[id].session == session {
			ids = append(ids, id)
		}
	}
	s.forget(ids...)
}

// forget is Forget with the lock held.
func (s *Store) forget(ids ...string) {
	for _, id := range ids {
		if s.drop(id) {
			s.gone = append(s.gone, id)
		}
	}
	if len(s.gone) > 0 && !s.closed {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// drop takes a file out of those that the store knows, and reports whether it was one. The lock is
// held.
func (s *Store) drop(id string) bool {
	e := s.files[id]
	if e == nil {
		return false
	}
	delete(s.files, id)
	s.used -= e.size
	if e.done {
		s.whole = slices.DeleteFunc(s.whole, func(o string) bool { return o == id })
	}
	return true
}

// remover removes what was forgotten: to remove a large file may take a while.
func (s *Store) remover() {
	defer close(s.ended)
	for range s.wake {
		s.mu.Lock()
		gone := s.gone
		s.gone = nil
		s.mu.Unlock()
		for _, id := range gone {
			if err := s.root.Remove(id); err != nil {
				s.o.Log.Warn("a side file could not be removed", "task", id, "error", err)
			}
		}
	}
}

// Close removes all files. Files that are still written get ErrClosed. It may be called
// more than once.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.wake)
	s.mu.Unlock()
	<-s.ended
	s.mu.Lock()
	left := s.gone
	for id := range s.files {
		left = append(left, id)
	}
	clear(s.files)
	s.gone = nil
	s.mu.Unlock()
	var faults []error
	for _, id := range left {
		if err := s.root.Remove(id); !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, err)
		}
	}
	return errors.Join(append(faults, s.root.Close())...)
}
