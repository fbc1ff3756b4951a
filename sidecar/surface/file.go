package surface

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/follow"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// FileOptions say how a file is followed. The zero value is valid.
type FileOptions struct {
	// Trust says why a file must not be believed, nil if it may be. It is called after each time
	// that it was read. nil: every file is believed.
	Trust func(path string) error
	// Judged is called with nil for each content that is taken, and with an error for one that is
	// refused. It must not block. nil: nobody is told.
	Judged func(error)
	// Log gets what happens to the file. nil drops it.
	Log *slog.Logger
	// Debounce is how long the file must be left alone before it is read; 0 is 10 ms.
	Debounce time.Duration
	// Poll is how often it is looked at without an event; 0 is 1 s.
	Poll time.Duration
}

// File is a grants file (OpenGrants), a preference file (OpenPreferences) or another one (OpenFile) that may change. Its
// methods may be called from many goroutines at once, but Run by one only.
type File[T any] struct {
	what, path string
	parse      func(file string, data []byte) (*T, error)
	opts       FileOptions
	current    atomic.Pointer[T]
	poke       chan struct{}
	text       string // what was last judged; Run's own after the start

	mu      sync.Mutex // guards the fields below
	last    error
	changed chan struct{}
}

// OpenGrants reads a grants file. The error is jsontree.Faults, or says why it cannot be read.
func OpenGrants(path string, o FileOptions) (*File[Grants], error) {
	return OpenFile("grants file", path, ParseGrants, o)
}

// OpenPreferences reads a preference file. The error is jsontree.Faults, or says why it cannot be
// read.
func OpenPreferences(path string, o FileOptions) (*File[Preferences], error) {
	return OpenFile("preference file", path, ParsePreferences, o)
}

// OpenFile reads a file that changes what callers see. what names it in messages. The error is that of parse, or says why the
// file cannot be read.
func OpenFile[T any](what, path string, parse func(string, []byte) (*T, error), o FileOptions) (*File[T], error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Judged == nil {
		o.Judged = func(error) {}
	}
	if o.Trust == nil {
		o.Trust = func(string) error { return nil }
	}
	o.Debounce, o.Poll = cmp.Or(o.Debounce, 10*time.Millisecond), cmp.Or(o.Poll, time.Second)
	f := &File[T]{what: what, path: path, parse: parse, opts: o, poke: make(chan struct{}, 1), changed: make(chan struct{})}
	value, content, err := f.read()
	if err != nil {
		return nil, err
	}
	f.current.Store(value)
	f.text = content
	return f, nil
}

// read reads and checks the file. The error is of its content unless content is "".
func (f *File[T]) read() (value *T, content string, err error) {
	data, err := manifest.ReadFile(f.path)
	if err != nil {
		return nil, "", fmt.Errorf("the %s cannot be read: %w", f.what, err)
	}
	if err := f.opts.Trust(f.path); err != nil {
		return nil, "", fmt.Errorf("the %s %s is not believed: %w", f.what, f.path, err)
	}
	value, err = f.parse(f.path, data)
	return value, string(data), err
}

// Current returns what the file said when it was last good. It never blocks and is never nil.
func (f *File[T]) Current() *T { return f.current.Load() }

// Changed returns a channel that is closed when Current is next another one. Take the channel
// before the value that it concerns.
func (f *File[T]) Changed() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changed
}

// Last returns what was wrong with the file when it was last read, nil if nothing was.
func (f *File[T]) Last() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

// Reload makes Run read the file now. It does not wait for that.
func (f *File[T]) Reload() {
	select {
	case f.poke <- struct{}{}:
	default: // a reload is already under way
	}
}

// Run follows the file until ctx ends.
func (f *File[T]) Run(ctx context.Context) {
	r := follow.Reader{Options: follow.Options{Debounce: f.opts.Debounce, Poll: f.opts.Poll, Log: f.opts.Log}, Look: f.look, Now: f.poke}
	r.Run(ctx, f.path)
}

// look reads the file and takes it, or refuses it. It reports false for a bad one that must be
// looked at again, unless it is sure of it.
func (f *File[T]) look(sure bool) bool {
	value, content, err := f.read()
	if err != nil {
		if last := f.Last(); sure && (last == nil || last.Error() != err.Error()) {
			f.refuse(err)
		}
		return sure
	}
	f.mu.Lock()
	f.last = nil
	if content == f.text {
		f.mu.Unlock()
		return true
	}
	f.text = content
	f.current.Store(value)
	close(f.changed)
	f.changed = make(chan struct{})
	f.mu.Unlock()
	f.opts.Log.Info("the "+f.what+" was read again", "file", f.path)
	f.opts.Judged(nil)
	return true
}

// refuse keeps what the file said before.
func (f *File[T]) refuse(err error) {
	f.mu.Lock()
	f.last = err
	f.mu.Unlock()
	f.opts.Judged(err)
	message := "the " + f.what + " is bad; what it said before stays"
	faults, ok := errors.AsType[jsontree.Faults](err)
	if !ok {
		f.opts.Log.Error(message, "error", err)
		return
	}
	for _, fault := range faults[:min(len(faults), faultsLogged)] {
		f.opts.Log.Error(message, "error", fault.String())
	}
}

// faultsLogged bounds how many records one bad file makes in the log.
const faultsLogged = 5
