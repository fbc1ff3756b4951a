package a2a

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// watchSettle is how long files must have been left alone before they are
	// read: an editor writes in several steps, and a certificate and its key
	// are two files.
	watchSettle = 50 * time.Millisecond
	// watchPoll is how often files are looked at all the same: some mounts
	// send no events.
	watchPoll = time.Second
	// watchRacy is how old a change must be before an unchanged time says that
	// there was no other: times of files are coarse.
	watchRacy = 2 * time.Second
)

// watched is a set of files that are read again when one of them changes.
type watched struct {
	paths []string
	log   *slog.Logger
	// read takes the files over, or says why it cannot; then what was read
	// before stays.
	read  func() error
	count *reloads
	// poll is called once a second, when not nil.
	poll func(now time.Time)

	seen  []os.FileInfo // nil: missing
	at    time.Time     // when seen was taken
	fault string        // of the last read, "" for none
	told  bool          // the fault has been logged
}

// run reads the files again whenever they change, until ctx ends. It watches
// their directories, since editors and Kubernetes replace what is in them.
func (w *watched) run(ctx context.Context) {
	events, lost, stop := w.watch()
	defer stop()
	poll := time.NewTicker(watchPoll)
	defer poll.Stop()
	settle := time.NewTimer(0) // what changed since the first read
	defer settle.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-events:
			settle.Reset(watchSettle)
		case err := <-lost:
			w.log.Debug("file events were lost", "error", err)
		case <-settle.C:
			w.look()
		case now := <-poll.C:
			w.look()
			if w.poll != nil {
				w.poll(now)
			}
		}
	}
}

// watch watches the files' directories. The channels are nil where there are no
// events to be had.
func (w *watched) watch() (<-chan fsnotify.Event, <-chan error, func()) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		w.log.Warn("no file events: the files are only looked at once a second", "files", w.paths, "error", err)
		return nil, nil, func() {}
	}
	var dirs []string
	for _, path := range w.paths {
		dir := filepath.Dir(path)
		if slices.Contains(dirs, dir) {
			continue
		}
		dirs = append(dirs, dir)
		if err := watcher.Add(dir); err != nil {
			w.log.Warn("a directory cannot be watched: its files are only looked at once a second", "dir", dir, "error", err)
		}
	}
	return watcher.Events, watcher.Errors, func() { _ = watcher.Close() } // it is only read
}

// look reads the files when they may have changed since, or when they were not
// good the last time.
func (w *watched) look() {
	if !w.changed() && (w.fault == "" || w.told) {
		return
	}
	w.take()
}

// take reads the files. A fault is told when it is still there at the second
// look: the file may be half written.
func (w *watched) take() {
	err := w.read()
	switch {
	case err == nil && w.fault != "":
		w.fault, w.told = "", false
		w.count.fault.Store(nil)
	case err == nil:
	case err.Error() != w.fault:
		w.fault, w.told = err.Error(), false
	case !w.told:
		w.told = true
		w.count.refused.Add(1)
		fault := w.fault
		w.count.fault.Store(&fault)
		w.log.Error("a file has changed and is not good: what was read before stays in force", "files", w.paths, "fault", err)
	}
}

// reloads counts what became of files that changed, and keeps what is wrong with
// them now.
type reloads struct {
	taken, refused atomic.Uint64
	fault          atomic.Pointer[string] // nil: nothing is
}

// FileFault says what is wrong with a file that has changed; what was read before
// stays in force.
type FileFault struct{ Kind, File, Text string }

// Faults are the files that are not good now: those of the Kind "tokens" and
// "certificates".
func (c Credentials) Faults() (all []FileFault) {
	if c.Tokens != nil {
		if text := c.Tokens.reloads.fault.Load(); text != nil {
			all = append(all, FileFault{"tokens", c.Tokens.path, *text})
		}
	}
	if c.Certificates != nil {
		if text := c.Certificates.reloads.fault.Load(); text != nil {
			all = append(all, FileFault{"certificates", c.Certificates.files.Cert, *text})
		}
	}
	return all
}

// Reloads counts the changes of files that were taken over, and those that were
// not good, since the start.
func (c Credentials) Reloads() (taken, refused uint64) {
	if c.Tokens != nil {
		taken, refused = c.Tokens.reloads.taken.Load(), c.Tokens.reloads.refused.Load()
	}
	if c.Certificates != nil {
		taken, refused = taken+c.Certificates.reloads.taken.Load(), refused+c.Certificates.reloads.refused.Load()
	}
	return taken, refused
}

// changed reports whether the files may be other than at the last look.
func (w *watched) changed() bool {
	now := time.Now()
	infos := make([]os.FileInfo, len(w.paths))
	for i, path := range w.paths {
		infos[i], _ = os.Stat(path) // nil when it is missing
	}
	same := len(w.seen) == len(infos)
	for i := 0; same && i < len(infos); i++ {
		same = sameFile(w.seen[i], infos[i], w.at)
	}
	w.seen, w.at = infos, now
	return !same
}

// sameFile reports whether b, now, is what a was at that time.
func sameFile(a, b os.FileInfo, at time.Time) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && at.Sub(b.ModTime()) > watchRacy
}
