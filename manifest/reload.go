package manifest

import (
	"context"
	"crypto/sha256"
	"os"
	"time"
)

// How many Debounces something takes to be believed.
const (
	restless = 5  // changes without a pause are looked at this often
	churning = 20 // a file that never settles is then read as it is
	doubtful = 4  // a bad file may be half written: look again
)

// Run watches the file until ctx ends, and then returns nil.
func (s *Source) Run(ctx context.Context) error {
	r := &reloader{Source: s, watch: newWatch(s.path, s.opts.Log), stop: ctx.Done()}
	defer r.watch.close()
	r.quiet, r.doubt, r.gone = idleTimer(), idleTimer(), idleTimer()
	poll := time.NewTicker(s.opts.Poll)
	defer poll.Stop()
	registered := s.opts.Registry.next()
	r.check(registered != nil) // what happened between Open and now
	for {
		select {
		case <-ctx.Done():
			r.quiet.Stop()
			r.doubt.Stop()
			r.gone.Stop()
			return nil
		case e := <-r.watch.events():
			if r.watch.concerns(e) {
				r.stir()
			}
		case <-r.watch.errors():
			r.stir() // events were lost
		case <-poll.C:
			if r.watch.refresh() || r.moved() {
				r.stir()
			}
		case <-registered:
			registered = s.opts.Registry.next()
			r.check(true)
		case <-s.poke:
			r.check(true)
		case <-r.quiet.C:
			r.check(false)
		case <-r.doubt.C:
			r.check(false)
		case <-r.gone.C:
			r.vanish()
		}
	}
}

// reloader is the state of one Run.
type reloader struct {
	*Source
	watch   *watch
	stop    <-chan struct{}
	quiet   *time.Timer       // no change for a Debounce
	doubt   *time.Timer       // look at a bad file again
	gone    *time.Timer       // the file is missing for long
	leaving bool              // gone is running
	burst   time.Time         // the first change since the last look
	unread  time.Time         // the first change since the last judgment
	seen    os.FileInfo       // by the last look; nil when it was missing
	suspect [sha256.Size]byte // a bad content seen once
}

func idleTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// stir notes a change. The file is read when it is quiet, or every few
// Debounces when it is not.
func (r *reloader) stir() {
	now := time.Now()
	if r.burst.IsZero() {
		r.burst = now
	}
	if r.unread.IsZero() {
		r.unread = now
	}
	r.quiet.Reset(max(0, min(r.opts.Debounce, restless*r.opts.Debounce-now.Sub(r.burst))))
}

// moved reports whether the file is another than at the last look.
func (r *reloader) moved() bool {
	if r.path == "" {
		return false
	}
	info, err := os.Stat(r.path)
	if err != nil {
		info = nil
	}
	return !sameFile(info, r.seen)
}

// check looks at the file. force takes it as it is, and judges it even when it
// has not changed.
func (r *reloader) check(force bool) {
	r.burst = time.Time{}
	r.watch.refresh()
	got := r.read()
	r.seen = got.info
	if got.missing {
		r.miss(force)
		return
	}
	r.leaving = false
	r.gone.Stop()
	if !got.settled && !force && time.Since(r.unread) < churning*r.opts.Debounce {
		r.quiet.Reset(r.opts.Debounce)
		return
	}
	r.unread = time.Time{}
	r.judge(got, force)
}

// read is readFile, where no file at all is the empty list.
func (r *reloader) read() reading {
	if r.path == "" {
		return noFile()
	}
	return readFile(r.path, r.opts.Debounce)
}

// judge accepts a good content. A bad one must be seen twice: the first time
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
		return // it may not have been read to its end
	default:
	}
	r.known.turn(err == nil)
	if err != nil && !force && digest != r.suspect {
		r.suspect = digest
		r.doubt.Reset(doubtful * r.opts.Debounce)
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
	r.doubt.Stop()
}

// miss waits for a file that is not there: most come back at once.
func (r *reloader) miss(force bool) {
	r.unread = time.Time{}
	r.doubt.Stop()
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

// empty serves no tools but the registry's.
func (r *reloader) empty() {
	snapshot, _, err := Parse(r.name, []byte("[]"), r.opts)
	if err != nil {
		r.logFaults("the registered tools are bad; the last good list stays", err)
		r.refuse(err)
		return
	}
	r.accept(snapshot)
}
