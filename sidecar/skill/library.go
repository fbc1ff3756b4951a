package skill

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/follow"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Options are what a Library is made of.
type Options struct {
	// Roots are where skills are, those with precedence first. One that does not exist is waited for.
	Roots []Root
	// Manifest says how a tools.json is checked. It is asked at each reading. nil: by the zero Options.
	Manifest func() manifest.Options
	// Log gets what is wrong with files. nil drops it.
	Log *slog.Logger
	// Debounce is how long files must be quiet before they are read; 0 means 10 ms.
	Debounce time.Duration
	// Poll is how often the roots are looked at if no event comes; 0 means 1 s.
	Poll time.Duration
}

// Library is skills that may change. Many goroutines may call its methods at once; only one may call Run.
type Library struct {
	opts    Options
	current atomic.Pointer[Set]
	now     chan struct{}

	mu      sync.Mutex // guards changed
	changed chan struct{}

	// Of Open, then of Run.
	known map[key]*folder
	told  map[string]bool // what the log has of what is still so
	// How much the log may still have.
	faults, loads quota
}

// key is a folder.
type key struct {
	root *Root
	name string
}

// debounce is how long files must have been left alone before they are read.
const debounce = 10 * time.Millisecond

// What the files of all skills have together, in bytes, about: the last one counts whole.
const (
	maxTexts     = 32 << 20 // of SKILL.md
	maxToolTexts = 4 << 20  // of tools.json, which take seconds to check
)

// Open reads the skills that there are now.
func Open(o Options) *Library {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Manifest == nil {
		o.Manifest = func() manifest.Options { return manifest.Options{} }
	}
	o.Debounce = cmp.Or(o.Debounce, debounce)
	roots := make([]Root, len(o.Roots))
	for i, r := range o.Roots {
		roots[i] = r
		if abs, err := filepath.Abs(r.Path); err == nil { // otherwise there is no working directory
			roots[i].Path = abs
		}
	}
	o.Roots = roots
	l := &Library{opts: o, now: make(chan struct{}, 1), changed: make(chan struct{}), known: map[key]*folder{}, told: map[string]bool{}}
	l.look(true)
	return l
}

// Current returns the skills as they are now. It never blocks.
func (l *Library) Current() *Set { return l.current.Load() }

// Changed returns a channel that is closed when the skills next change. Take it before the Set that it concerns.
func (l *Library) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// Reload makes Run look at the files now. It does not wait for that.
func (l *Library) Reload() {
	select {
	case l.now <- struct{}{}:
	default: // it is under way already
	}
}

// Run follows the roots until ctx ends.
func (l *Library) Run(ctx context.Context) {
	folders := make([]string, len(l.opts.Roots))
	for i := range l.opts.Roots {
		folders[i] = l.opts.Roots[i].Path
	}
	follow.Reader{
		Options: follow.Options{Debounce: l.opts.Debounce, Poll: l.opts.Poll, Folders: folders, Names: []string{File, Tools}, Log: l.opts.Log},
		Look:    l.look, Now: l.now,
	}.Run(ctx)
}

// look reads what has changed, and swaps the set. If a file has turned bad and sure is false, it is left as it was, and
// look reports false: somebody may be in the middle of writing it.
func (l *Library) look(sure bool) (done bool) {
	r := &reader{Library: l, sure: sure, done: true, known: make(map[key]*folder, len(l.known)), manifest: l.opts.Manifest()}
	for i := range l.opts.Roots {
		r.root(&l.opts.Roots[i])
	}
	l.known = r.known
	next := newSet(r.skills)
	l.tell(r.faults, next.lost)
	if old := l.current.Load(); !old.same(next) {
		l.current.Store(next)
		if l.loads.take() {
			l.opts.Log.Info("skills loaded", "skills", len(next.skills), "shown", len(next.shown))
		}
		l.mu.Lock()
		close(l.changed)
		l.changed = make(chan struct{})
		l.mu.Unlock()
	}
	return r.done
}

// The log has at most maxRecords of faults, and as many of sets, in each logTime: whoever writes to a folder of skills writes to it all day.
const (
	maxRecords = 20
	logTime    = 10 * time.Second
)

// quota is what is left of maxRecords.
type quota struct {
	since time.Time
	used  int // may be more than there is
}

// take reports whether there may be one more record.
func (q *quota) take() bool {
	if now := time.Now(); now.Sub(q.since) >= logTime {
		*q = quota{since: now}
	}
	q.used++
	return q.used <= maxRecords
}

// tell logs what is wrong, once as long as it is so.
func (l *Library) tell(faults jsontree.Faults, lost []Lost) {
	told, more := map[string]bool{}, 0
	once := func(what string, log func()) {
		if told[what] {
			return
		}
		if told[what] = true; l.told[what] {
			return
		}
		if l.faults.take() {
			log()
		} else {
			more++
		}
	}
	for _, f := range faults {
		once(f.String(), func() {
			args := []any{"file", text.Show(f.File), "fault", text.Line(f.Message, 500)}
			if f.Line > 0 {
				args = append(args, "line", f.Line)
			}
			if f.Hint != "" {
				args = append(args, "fix", text.Line(f.Hint, 500))
			}
			l.opts.Log.Warn("a skill has a fault: its last good version stays, or it is left out", args...)
		})
	}
	for _, one := range lost {
		once(one.String(), func() {
			l.opts.Log.Warn("a skill is left out: another one of its name has precedence", "file", text.Show(one.File), "winner", text.Show(one.Winner))
		})
	}
	if more > 0 && l.faults.used == maxRecords+more { // the first that there is no room for
		l.opts.Log.Warn("more skills have faults; sidecar validate DIR lists them", "more", more)
	}
	l.told = told
}
