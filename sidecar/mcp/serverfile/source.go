package serverfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// SourceOptions say how a file is followed.
type SourceOptions struct {
	Options
	// Trust says why the file must not be believed, nil if it may be. It is called after each time
	// that it was read. nil: it is believed.
	Trust func(path string) error
	// Taken is called by Run with each list that is put into force, but not with the first one.
	// It must return soon. nil: nobody is told.
	Taken func([]Server)
	// Log gets what happens to the file. nil drops it.
	Log *slog.Logger
	// Debounce is how long the file must be left alone before it is read; 0 is 10 ms.
	Debounce time.Duration
	// Poll is how often it is looked at without an event; 0 is 1 s.
	Poll time.Duration
}

// Source is a file of servers that may change. Its methods may be called from many goroutines at
// once, but Run by one only.
type Source struct {
	path    string
	o       SourceOptions
	current atomic.Pointer[[]Server]
	poke    chan struct{}

	mu   sync.Mutex
	last error
}

// Open reads the file. The error is jsontree.Faults, or says why it cannot be read.
func Open(path string, o SourceOptions) (*Source, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Trust == nil {
		o.Trust = func(string) error { return nil }
	}
	if o.Taken == nil {
		o.Taken = func([]Server) {}
	}
	o.Debounce, o.Poll = cmp.Or(o.Debounce, 10*time.Millisecond), cmp.Or(o.Poll, time.Second)
	s := &Source{path: path, o: o, poke: make(chan struct{}, 1)}
	all, err := s.load()
	if err != nil {
		return nil, err
	}
	s.current.Store(&all)
	return s, nil
}

// load reads and checks the file.
func (s *Source) load() ([]Server, error) {
	data, err := Read(s.path)
	if err != nil {
		return nil, err
	}
	if err := s.o.Trust(s.path); err != nil {
		return nil, fmt.Errorf("the MCP servers of %s are not believed: %w", s.path, err)
	}
	return Parse(s.path, data, s.o.Options)
}

// Read returns all of a regular file of at most MaxFile. It does not wait for a writer, as a named
// pipe would make it.
func Read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err
		}
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(data) > MaxFile {
		return nil, fmt.Errorf("%s has more than %d MiB", path, MaxFile>>20)
	}
	return data, err
}

// Path returns the path of the file.
func (s *Source) Path() string { return s.path }

// Servers returns the list in force, those that are disabled among them. It never blocks, and the
// list must not be changed.
func (s *Source) Servers() []Server { return *s.current.Load() }

// Reload makes Run read the file now, whether it changed or not. It does not wait for that.
func (s *Source) Reload() {
	select {
	case s.poke <- struct{}{}:
	default: // a reload is already under way
	}
}

// Last returns what was wrong with the file when it was last read, nil if nothing was. The list in
// force is then the one before.
func (s *Source) Last() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

func (s *Source) setLast(err error) {
	s.mu.Lock()
	s.last = err
	s.mu.Unlock()
}

// faultsLogged bounds how many records one bad file makes in the log.
const faultsLogged = 5

// refuse keeps the list in force whose file is bad.
func (s *Source) refuse(err error) {
	s.setLast(err)
	const says = "the file of MCP servers is bad; the servers before it stay"
	var faults jsontree.Faults
	if !errors.As(err, &faults) {
		s.o.Log.Error(says, "file", s.path, "error", err)
		return
	}
	for i, f := range faults {
		if i == faultsLogged {
			s.o.Log.Error(says, "file", s.path, "more", len(faults)-i)
			return
		}
		s.o.Log.Error(says, "error", f.String())
	}
}
