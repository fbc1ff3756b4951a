package follow

import (
	"cmp"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"time"
)

// Options are the times of a Follower.
type Options struct {
	// Debounce is how long files must have been left alone before a change is reported: an
	// editor writes in several steps, and a certificate and its key are two files. For files
	// that are never left alone, a change is reported every five Debounces.
	Debounce time.Duration
	// Poll is how often files are looked at without an event, because some mounts
	// send none; 0 is 1 s.
	Poll time.Duration
	// Folders are directories whose entries matter, with the files that have one of Names in each
	// directory right below them. At most maxEntries directories of one folder are followed, the first by
	// name; those whose names begin with a dot are not.
	Folders []string
	Names   []string
	// Log receives warnings that no events are available, and debug messages; nil discards
	// them.
	Log *slog.Logger
}

// poll returns Poll or its default.
func (o Options) poll() time.Duration { return cmp.Or(o.Poll, time.Second) }

// restless is how many Debounces a change waits at most before it is reported.
const restless = 5

// Follower tells when files may have changed. Its methods may be called from many goroutines at
// once; Close may be called once.
type Follower struct {
	changed chan struct{}
	stop    chan struct{} // closed by Close
	done    chan struct{} // closed when the goroutine has ended
}

// Start follows files until Close. The files need not exist. Once Start has returned, no change
// is missed: if a file is read after that and then changes, the change is reported.
func Start(o Options, files ...string) *Follower {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Poll = o.poll()
	w := newWatch(absolute(files), absolute(o.Folders), o.Poll, o.Log)
	w.below = o.Names
	return start(o, w)
}

// absolute returns the paths as absolute ones.
func absolute(paths []string) []string {
	paths = slices.Clone(paths)
	for i, path := range paths {
		if abs, err := filepath.Abs(path); err == nil { // otherwise there is no working directory, so no file
			paths[i] = abs
		}
	}
	return paths
}

func start(o Options, w *watch) *Follower {
	f := &Follower{changed: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	l := &loop{opts: o, watch: w, changed: f.changed}
	l.tell()
	go func() {
		defer close(f.done)
		l.run(f.stop)
	}()
	return f
}

// Changed returns a channel that has a value when files may have changed since its last value
// was taken, or when one of them has gone or come back. The first value is there at once.
func (f *Follower) Changed() <-chan struct{} { return f.changed }

// Close stops following the files and waits for the goroutine.
func (f *Follower) Close() {
	close(f.stop)
	<-f.done
}

// loop is the goroutine of a Follower.
type loop struct {
	opts    Options
	watch   *watch
	changed chan<- struct{}
	quiet   *time.Timer   // fires when there was no change for a Debounce
	burst   time.Time     // when the first change that has not been reported came
	seen    []fs.FileInfo // the files as last reported; nil for a missing file
	at      time.Time     // when seen was taken
}

func (l *loop) run(stop <-chan struct{}) {
	defer l.watch.close()
	l.quiet = time.NewTimer(time.Hour)
	l.quiet.Stop()
	defer l.quiet.Stop()
	poll := time.NewTicker(l.opts.Poll)
	defer poll.Stop()
	for {
		select {
		case <-stop:
			return
		case e := <-l.watch.events:
			if l.watch.concerns(e) {
				l.stir()
			}
		case err := <-l.watch.lost:
			l.opts.Log.Debug("file events were lost", "error", err)
			l.stir()
		case <-poll.C:
			if l.watch.refresh() || l.moved() {
				l.stir()
			}
		case <-l.quiet.C:
			l.tell()
		}
	}
}

// stir notes a change. The change is reported when the files have been left alone, or after a
// few Debounces if they are not left alone.
func (l *loop) stir() {
	now := time.Now()
	if l.burst.IsZero() {
		l.burst = now
	}
	l.quiet.Reset(max(0, min(l.opts.Debounce, restless*l.opts.Debounce-now.Sub(l.burst))))
}

// tell first makes sure that a later change is noticed, and then reports this one.
func (l *loop) tell() {
	l.burst = time.Time{}
	l.watch.refresh()
	l.at = time.Now()
	l.seen = look(l.watch.files)
	select {
	case l.changed <- struct{}{}:
	default: // the last report has not been taken: it covers this change too
	}
}

// moved reports whether the files may differ from what was last reported.
func (l *loop) moved() bool {
	infos := look(l.watch.files)
	if len(infos) != len(l.seen) {
		return true // a folder has other entries
	}
	for i, now := range infos {
		if !Same(l.seen[i], now) || now != nil && l.at.Sub(now.ModTime()).Abs() < racy {
			return true
		}
	}
	return false
}
