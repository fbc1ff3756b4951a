package follow

import (
	"context"
	"time"
)

// doubtful is how many Debounces after the first look bad files are read again, before they are
// believed to be bad: an editor may be in the middle of writing them.
const doubtful = 4

// Reader reads files again when they may have changed. Options.Debounce must be set.
type Reader struct {
	Options
	// Look reads the files. If they are bad and sure is false, it changes nothing and reports
	// false: it is then called once more, with true.
	Look func(sure bool) (done bool)
	// Now asks for a Look that is sure. nil: nobody asks.
	Now <-chan struct{}
	// Glance is called at each Poll, and reports whether something has changed that is not among
	// the files. nil: there is nothing else.
	Glance func() bool
}

// Run follows files until ctx ends. All functions are called by the goroutine of the caller.
func (r Reader) Run(ctx context.Context, files ...string) {
	followed := Start(r.Options, files...)
	defer followed.Close()
	var glances <-chan time.Time
	if r.Glance != nil {
		t := time.NewTicker(r.poll())
		defer t.Stop()
		glances = t.C
	}
	again := time.NewTimer(time.Hour)
	again.Stop()
	defer again.Stop()
	for {
		sure := true
		select {
		case <-ctx.Done():
			return
		case <-followed.Changed():
			sure = false
		case <-glances:
			if !r.Glance() {
				continue
			}
			sure = false
		case <-r.Now:
		case <-again.C:
		}
		again.Stop()
		if !r.Look(sure) {
			again.Reset(doubtful * r.Debounce)
		}
	}
}
