package auth

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/follow"
)

const (
	// watchSettle is how long files must have been left alone before they are
	// read: an editor writes in several steps, and a certificate and its key
	// are two files.
	watchSettle = 50 * time.Millisecond
	// watchPoll is how often files are checked even without an event: some mounts send no
	// events.
	watchPoll = time.Second
)

// watched is a set of files that are read again when one of them changes.
type watched struct {
	paths []string
	log   *slog.Logger
	// read loads the files, or returns why it cannot; then what was read before stays in
	// force.
	read  func() error
	count *reloads
	// poll is called once a second, unless it is nil.
	poll func(now time.Time)

	fault string // the error of the last read, "" for none
	told  bool   // the fault has been logged
}

// run reads the files again whenever they change, until ctx ends, and once more if they
// were not valid.
func (w *watched) run(ctx context.Context) {
	files := follow.Start(follow.Options{Debounce: watchSettle, Poll: watchPoll, Log: w.log}, w.paths...)
	defer files.Close()
	poll := time.NewTicker(watchPoll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-files.Changed():
			w.take()
		case now := <-poll.C:
			if w.fault != "" && !w.told {
				w.take()
			}
			if w.poll != nil {
				w.poll(now)
			}
		}
	}
}

// take reads the files. A fault is reported if the second read finds it too: at the first
// the file may be half written.
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

// reloads counts how many changes of files were accepted or refused, and holds what is
// wrong with the files now.
type reloads struct {
	taken, refused atomic.Uint64
	fault          atomic.Pointer[string] // nil: nothing is wrong
}

// FileFault says what is wrong with a file that has changed; what was read before
// stays in force.
type FileFault struct{ Kind, File, Text string }

// Faults returns the files that are not valid now. Their Kind is "tokens" or
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

// Reloads returns how many changes of files were accepted, and how many were refused, since
// the start.
func (c Credentials) Reloads() (taken, refused uint64) {
	if c.Tokens != nil {
		taken, refused = c.Tokens.reloads.taken.Load(), c.Tokens.reloads.refused.Load()
	}
	if c.Certificates != nil {
		taken, refused = taken+c.Certificates.reloads.taken.Load(), refused+c.Certificates.reloads.refused.Load()
	}
	return taken, refused
}
