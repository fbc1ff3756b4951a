package manifest

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/follow"
)

// How many times Debounce something takes to be believed.
const (
	churning = 20 // a file that never settles is then read as it is
	doubtful = 4  // a bad file may be half written: it is read again
)

// Run follows the file until ctx ends, and then returns nil.
func (s *Source) Run(ctx context.Context) error {
	files := follow.Start(follow.Options{Debounce: s.opts.Debounce, Poll: s.opts.Poll, Log: s.opts.Log}, s.files()...)
	defer files.Close()
	r := &reloader{Source: s, stop: ctx.Done(), again: idleTimer(), gone: idleTimer()}
	defer r.again.Stop()
	defer r.gone.Stop()
	registered := s.opts.Registry.next()
	r.check(registered != nil) // what happened between Open and now
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-files.Changed():
			r.check(false)
		case <-registered:
			registered = s.opts.Registry.next()
			r.check(true)
		case <-s.poke:
			r.check(true)
		case <-r.again.C:
			r.check(false)
		case <-r.gone.C:
			r.vanish()
		}
	}
}

// files lists the files to follow.
func (s *Source) files() []string {
	if s.path == "" {
		return nil
	}
	return []string{s.path}
}

// reloader is the state of one Run.
type reloader struct {
	*Source
	stop    <-chan struct{}
	again   *time.Timer       // looks again at a file that is being written, or is bad
	gone    *time.Timer       // the file has been missing for long
	leaving bool              // gone is running
	unread  time.Time         // the time of the first look at a file that was being written
	suspect [sha256.Size]byte // a bad content that was seen once
}

func idleTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// check looks at the file. If force is true, it takes the file as it is, and judges it
// even if it has not changed.
func (r *reloader) check(force bool) {
	got := r.read()
	if got.missing {
		r.miss(force)
		return
	}
	r.leaving = false
	r.gone.Stop()
	if !got.settled && r.unread.IsZero() {
		r.unread = time.Now()
	}
	if !got.settled && !force && time.Since(r.unread) < churning*r.opts.Debounce {
		r.again.Reset(r.opts.Debounce)
		return
	}
	r.unread = time.Time{}
	r.judge(got, force)
}

// read is readFile, except that no file at all is the empty list, and that a file which must not be
// believed is one that was not read.
func (r *reloader) read() reading {
	if r.path == "" {
		return noFile()
	}
	got := readFile(r.path, r.opts.Debounce)
	if got.missing || got.err != nil {
		return got
	}
	if err := r.opts.Trust(r.path); err != nil {
		return reading{err: err, distrusted: true, settled: true}
	}
	return got
}

// judge accepts a good content. A bad content must be seen twice: the first time,
// somebody may be in the middle of writing it.
func (r *reloader) judge(got reading, force bool) {
	digest := got.digest()
	if digest == r.digest && !r.absent && !force {
		r.settle(digest)
		return
	}
	snapshot, warnings, err := got.parse(r.name, r.opts, loading{stop: r.stop, known: r.known})
	select {
	case <-r.stop:
		return // the file may not have been read to its end
	default:
	}
	r.known.EndFile(err == nil)
	if err != nil && !force && digest != r.suspect {
		r.suspect = digest
		r.again.Reset(doubtful * r.opts.Debounce)
		return
	}
	r.settle(digest)
	r.absent = false
	if err != nil {
		r.logFaults("the manifest is bad; the last good list stays", err)
		r.refuse(err)
		return
	}
	r.logWarnings(warnings)
	r.logLoaded(snapshot)
	r.accept(snapshot)
}

// settle ends all doubt about a content.
func (r *reloader) settle(digest [sha256.Size]byte) {
	r.digest, r.suspect = digest, [sha256.Size]byte{}
	r.again.Stop()
}

// miss waits for a file that is not there: most files come back at once.
func (r *reloader) miss(force bool) {
	r.unread = time.Time{}
	r.again.Stop()
	if !r.absent && !r.leaving {
		r.leaving = true
		r.gone.Reset(r.opts.Missing)
	}
	switch {
	case !force:
	case r.absent:
		r.empty()
	default:
		r.opts.Log.Warn("the manifest is missing; the last good list stays for a moment", "file", r.name)
		r.stay()
	}
}

// vanish gives up on a file that stayed away.
func (r *reloader) vanish() {
	if got := r.read(); !r.leaving || !got.missing {
		r.check(false)
		return
	}
	r.leaving, r.absent = false, true
	r.opts.Log.Warn("the manifest is gone; there are no tools until it is back", "file", r.name)
	r.empty()
}

// empty serves only the registry's tools.
func (r *reloader) empty() {
	snapshot, _, err := Parse(r.name, []byte("[]"), r.opts)
	if err != nil {
		r.logFaults("the registered tools are bad; the last good list stays", err)
		r.refuse(err)
		return
	}
	r.accept(snapshot)
}
