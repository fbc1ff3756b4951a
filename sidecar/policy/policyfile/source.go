package policyfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Options say how rules are checked and followed. The zero value is valid.
type Options struct {
	// Policy is handed to policy.Load. Its Tools are replaced by Tools.
	Policy policy.Options
	// Trust says why a file must not be believed, nil if it may be. It is called after each time
	// that one was read. nil: every file is believed.
	Trust func(path string) error
	// Judged is called with each set that is taken, and with an error for files that are
	// refused. It must not block. nil: nobody is told.
	Judged func(*policy.Set, error)
	// Log gets what happens to the files. nil drops it.
	Log *slog.Logger
	// Debounce is how long the files must be left alone before they are read; 0 is 10 ms.
	Debounce time.Duration
	// Poll is how often they are looked at without an event; 0 is 1 s.
	Poll time.Duration
}

// Source is the rules in force. Its methods may be called from many goroutines at once, but Run
// by one only.
type Source struct {
	files   Files
	opts    Options
	current atomic.Pointer[policy.Set]
	poke    chan struct{}

	project []policy.File // the project's rules in force, as they were read; Run's own after Open

	mu      sync.Mutex // guards the fields below
	last    error
	changed chan struct{}
}

var _ policy.Decider = (*Source)(nil)

// Open reads the files. The error is jsontree.Faults, or says which file cannot be read.
func Open(files Files, o Options) (*Source, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Judged == nil {
		o.Judged = func(*policy.Set, error) {}
	}
	if o.Trust == nil {
		o.Trust = func(string) error { return nil }
	}
	o.Debounce, o.Poll = cmp.Or(o.Debounce, 10*time.Millisecond), cmp.Or(o.Poll, time.Second)
	s := &Source{files: files, opts: o, poke: make(chan struct{}, 1), changed: make(chan struct{})}
	set, warnings, err := s.load()
	if err != nil {
		return nil, err
	}
	s.warn(warnings)
	s.current.Store(set)
	return s, nil
}

// load reads and checks the files.
func (s *Source) load() (*policy.Set, jsontree.Faults, error) {
	all, err := s.files.operators()
	if err != nil {
		return nil, nil, err
	}
	project, err := s.files.project()
	if err != nil {
		return nil, nil, err
	}
	if err := s.distrust(append(all, project...)); err != nil {
		return nil, nil, err
	}
	set, warnings, err := policy.Load(append(all, project...), s.opts.Policy)
	if err == nil {
		s.project = project
	}
	return set, warnings, err
}

// operators returns the operator's rules as they are now, with those of the project that are in
// force; nil if they are bad too. Whoever may write to the workspace must not be able to keep the
// operator's rules from being read.
func (s *Source) operators() (*policy.Set, jsontree.Faults) {
	all, err := s.files.operators()
	if err != nil || s.distrust(all) != nil {
		return nil, nil
	}
	set, warnings, err := policy.Load(append(all, s.project...), s.opts.Policy)
	if err != nil {
		return nil, nil
	}
	return set, warnings
}

// distrust returns why one of the files must not be believed.
func (s *Source) distrust(all []policy.File) error {
	for _, f := range all {
		if f.Scope == policy.ScopePreset {
			continue
		}
		if err := s.opts.Trust(f.Name); err != nil {
			return fmt.Errorf("the rules of %s are not believed: %w", f.Name, err)
		}
	}
	return nil
}

// Set returns the rules in force. It never blocks.
func (s *Source) Set() *policy.Set { return s.current.Load() }

// Changed returns a channel that is closed when Set is next another one. Take the channel before
// the set that it concerns.
func (s *Source) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Decide implements policy.Decider by the rules in force.
func (s *Source) Decide(ctx context.Context, r policy.Request) policy.Decision {
	return s.Set().Decide(ctx, r)
}

// Files returns the files that the rules are read from.
func (s *Source) Files() Files { return s.files }

// Reload makes Run read the files now, whether they changed or not. It does not wait for that.
func (s *Source) Reload() {
	select {
	case s.poke <- struct{}{}:
	default: // a reload is already under way
	}
}

// Last returns what was wrong with the files when they were last read, nil if nothing was. The
// rules in force are then those before.
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

// take puts rules into force.
func (s *Source) take(set *policy.Set, warnings jsontree.Faults) {
	if before := s.current.Swap(set); before.Revision() == set.Revision() {
		return
	}
	s.warn(warnings)
	s.opts.Log.Info("the policy was read again", "rules", len(set.Rules()), "revision", set.Revision())
	s.mu.Lock()
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	s.opts.Judged(set, nil)
}

// refuse keeps the rules in force whose files are bad.
func (s *Source) refuse(err error) {
	s.setLast(err)
	s.opts.Judged(nil, err)
	var faults jsontree.Faults
	if !errors.As(err, &faults) {
		s.opts.Log.Error("the policy is bad; the rules before it stay", "error", err)
		return
	}
	for _, f := range faults {
		s.opts.Log.Error("the policy is bad; the rules before it stay", "error", f.String())
	}
}

func (s *Source) warn(warnings jsontree.Faults) {
	for _, w := range warnings {
		s.opts.Log.Warn("the policy has something odd in it", "warning", w.String())
	}
}

// Pointers returns the arguments of a tool that the rules in force look at, as JSON pointers.
func (s *Source) Pointers(tool string) []string { return s.Set().Pointers(tool) }
