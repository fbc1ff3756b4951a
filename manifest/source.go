package manifest

import (
	"cmp"
	"crypto/sha256"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// Source is a manifest file that may change. Many goroutines may call its methods at
// once; only one may call Run.
type Source struct {
	path    string // the absolute path; "" if there is no file
	name    string // the path as it was given, for messages
	opts    Options
	current atomic.Pointer[Snapshot]
	poke    chan struct{}

	mu      sync.Mutex // guards the fields below
	changed chan struct{}
	checked chan struct{}
	last    error

	// What the last judged look at the file found. Open sets it first; after that only
	// Run does.
	known  *schema.Known
	digest [sha256.Size]byte
	absent bool // the file is missing, and an empty list is served for it
}

// Open reads the file at path. An empty path or a missing file is an empty list. A
// bad file is an error, Faults, unless Options.Lenient is set.
func Open(path string, opts Options) (*Source, error) {
	s := &Source{name: path, opts: opts.withDefaults(), poke: make(chan struct{}, 1), known: schema.NewKnown()}
	s.changed, s.checked = make(chan struct{}), make(chan struct{})
	r := noFile()
	if path != "" {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		s.path = abs
		r = readFile(abs, 0)
		for range openRetries {
			if r.settled {
				break
			}
			r = readFile(abs, 0)
		}
	}
	snapshot, err := s.first(r)
	if err != nil && !opts.Lenient {
		return nil, err
	}
	if err != nil {
		s.logFaults("the manifest is bad and left out", err)
		if snapshot, _, err = Parse(path, []byte("[]"), s.opts); err != nil {
			return nil, err // the fault is in the registry's tools, which Lenient cannot help
		}
	}
	if !r.missing && s.last == nil {
		s.logLoaded(snapshot)
	}
	s.current.Store(snapshot)
	return s, nil
}

// noFile returns what is read if no file was named: the empty list.
func noFile() reading { return reading{data: []byte("[]"), settled: true} }

// openRetries is how often a file that is being written is read again at the start,
// when there is no earlier list to keep.
const openRetries = 8

// first takes the first content of the file.
func (s *Source) first(r reading) (*Snapshot, error) {
	if r.missing {
		s.absent = true
		s.opts.Log.Warn("the manifest does not exist; there are no tools until it does", "file", s.name)
		snapshot, _, err := Parse(s.name, []byte("[]"), s.opts)
		return snapshot, err
	}
	s.digest = r.digest()
	snapshot, warnings, err := r.parse(s.name, s.opts, loading{known: s.known})
	s.known.EndFile(err == nil)
	s.last = err
	s.logWarnings(warnings)
	return snapshot, err
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Judged == nil {
		o.Judged = func(error) {}
	}
	if o.Trust == nil {
		o.Trust = func(string) error { return nil }
	}
	o.Debounce = cmp.Or(o.Debounce, 10*time.Millisecond)
	o.Poll = cmp.Or(o.Poll, time.Second)
	o.Missing = cmp.Or(o.Missing, time.Second)
	return o
}

// Snapshot returns the current list. It never blocks and is never nil.
func (s *Source) Snapshot() *Snapshot { return s.current.Load() }

// Reload makes Run read the file now, whether it changed or not, and report what it
// found. It does not wait for that.
func (s *Source) Reload() {
	select {
	case s.poke <- struct{}{}:
	default: // a reload is already under way
	}
}

// Changed returns a channel that is closed when the list is next swapped. Take the
// channel before the Snapshot that it concerns.
func (s *Source) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Checked returns a channel that is closed when the next change of the file, or the
// next Reload, has been judged, good or bad.
func (s *Source) Checked() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.checked
}

// Last returns the fault of the last read, nil if it was good.
func (s *Source) Last() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// accept swaps in a new list.
func (s *Source) accept(snapshot *Snapshot) {
	s.current.Store(snapshot)
	s.opts.Judged(nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = nil
	close(s.changed)
	s.changed = make(chan struct{})
	s.judged()
}

// refuse keeps the list and remembers the reason.
func (s *Source) refuse(err error) {
	s.opts.Judged(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = err
	s.judged()
}

// judged wakes those who wait for a verdict. The caller holds the lock.
func (s *Source) judged() {
	close(s.checked)
	s.checked = make(chan struct{})
}

// stay answers a Reload that changes nothing.
func (s *Source) stay() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.judged()
}

// faultsLogged bounds how many records one bad file makes in the log.
const faultsLogged = 5

// logFaults logs where each fault is and how to fix it.
func (s *Source) logFaults(message string, err error) {
	faults, ok := err.(jsontree.Faults)
	if !ok {
		s.opts.Log.Error(message, "file", s.name, "fault", err)
		return
	}
	for i, f := range faults {
		if i == faultsLogged {
			s.opts.Log.Error("the manifest has more faults; sidecar validate --all lists them", "file", s.name, "more", len(faults)-i)
			return
		}
		args := []any{"file", s.name, "line", f.Line, "column", f.Column, "pointer", f.Pointer, "fault", f.Message}
		if f.Subject != "" {
			args = append(args, "tool", f.Subject)
		}
		if f.Hint != "" {
			args = append(args, "fix", f.Hint)
		}
		s.opts.Log.Error(message, args...)
	}
}

// logLoaded logs what was read from the file, if there is one.
func (s *Source) logLoaded(snapshot *Snapshot) {
	if s.path == "" {
		return
	}
	s.opts.Log.Info("manifest loaded", "file", s.name, "tools", len(snapshot.Tools()), "revision", snapshot.Revision())
}

func (s *Source) logWarnings(warnings jsontree.Faults) {
	if len(warnings) > 0 {
		s.opts.Log.Warn("the manifest has warnings; sidecar validate lists them", "file", s.name, "warnings", len(warnings), "first", warnings[0].String())
	}
}
