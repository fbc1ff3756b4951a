package tty

import (
	"context"
	"sync"
	"time"
)

const (
	// quietKeys is how old the last key must be before anything else may type.
	quietKeys = 500 * time.Millisecond
	// unechoed is how old the last key must be when the program has shown
	// nothing since, or shows a question: it may still be about to.
	unechoed = 3 * time.Second
	// escapeGap tells the Esc key from the first byte of an escape sequence:
	// what comes later than this is another key.
	escapeGap = 50 * time.Millisecond
	// queueLimit bounds the keys of one typist that wait for the process; the
	// rest waits where it comes from.
	queueLimit = 64 << 10
	// tellTime is how long somebody's line is waited for before that is told.
	tellTime = time.Second
)

// Arbiter is where people sit who type into one terminal: at the real one (Person),
// or somewhere else. They share one line; whoever else types, by Exclusive, does
// so when nobody is in the middle of it. Its methods may be called from many
// goroutines.
type Arbiter struct {
	terminal  *Terminal
	exclusive chan struct{} // a token: who has it may hold the keys

	mu        sync.Mutex
	changed   chan struct{} // closed and replaced when what is below changes
	sitting   map[*Lease]struct{}
	inputLine           // that they share
	left      bool      // whoever was in the middle of it has gone
	last      time.Time // of the last key
	keys      uint64
	held      bool
	late      stale
}

func newDesk(t *Terminal) *Arbiter {
	return &Arbiter{
		terminal: t, exclusive: make(chan struct{}, 1), changed: make(chan struct{}),
		sitting: map[*Lease]struct{}{}, inputLine: inputLine{empty: true},
	}
}

// notify tells who waits on changed; the lock is held.
func (d *Arbiter) notify() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// Keys counts the keys pressed so far, by everybody. What a terminal itself
// sends (answers, focus, mouse) does not count, nor does the release of a key.
func (d *Arbiter) Keys() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.keys
}

// Occupied reports whether anybody sits there.
func (d *Arbiter) Occupied() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.occupied()
}

func (d *Arbiter) occupied() bool {
	for t := range d.sitting {
		if !t.gone {
			return true
		}
	}
	return false
}

// Escaped reports whether the last key was Esc. To line editors it is the
// beginning of the next key.
func (d *Arbiter) Escaped() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.escaped
}

// Left reports whether a line stands there that somebody has begun who was the
// last to go, and forgets it: who asks clears it.
func (d *Arbiter) Left() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := d.left
	d.left = false
	return left
}

// Line is what a program shows of the line that is typed there.
type Line byte

const (
	LineUnknown Line = iota // nothing that says so
	LineEmpty
	LineBegun // somebody is in the middle of it
	LineNone  // something else takes the keys: a question, which may be taking the last one
)

// LineFunc tells what a program shows of its line, when it last showed anything, and
// gives a channel that is closed when that may have changed. It is called with no
// lock held.
type LineFunc func() (line Line, last time.Time, changed <-chan struct{})

// Exclusive runs fn, which types into the process's terminal, while nobody else
// does: it waits until the line is empty (no key yet, or the last was Enter,
// Ctrl-C or Ctrl-U) and the last key 500 ms old, and holds what is typed meanwhile
// until fn returns. One at a time. Where nobody sits it does not wait. The error is the
// cause of ctx, if it ends first, or fn's.
func (d *Arbiter) Exclusive(ctx context.Context, fn func() error) error {
	return d.ExclusiveAt(ctx, nil, func() {}, fn)
}

// ExclusiveAt is Exclusive for a program that shows what line there is. One that
// was begun and taken back by other keys, and keys that are no text, do not keep
// it waiting; one that stands there all the same does. waits is called once when
// somebody's line has kept it waiting for a second, and no key is held then.
func (d *Arbiter) ExclusiveAt(ctx context.Context, look LineFunc, waits func(), fn func() error) error {
	select {
	case d.exclusive <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-d.exclusive }()
	if err := d.hold(ctx, look, waits); err != nil {
		return err
	}
	defer d.letGo()
	return fn()
}

// hold waits for its time and stops what forwards keys.
func (d *Arbiter) hold(ctx context.Context, look LineFunc, waits func()) error {
	timer := time.NewTimer(quietKeys)
	defer timer.Stop()
	tell := time.NewTimer(tellTime)
	defer tell.Stop()
	for {
		d.mu.Lock()
		if !d.occupied() {
			d.held = true
			d.mu.Unlock()
			return nil
		}
		typed, empty, last, changed := d.typed(), d.empty, d.last, d.changed
		d.mu.Unlock()
		left, shown := never, (<-chan struct{})(nil)
		switch age := time.Since(last); {
		case !typed, look == nil && !empty:
		case age < quietKeys:
			left = quietKeys - age
		case look == nil:
			left = 0
		default:
			left, shown = lookAt(look, empty, last)
		}
		if left <= 0 && d.take(changed) {
			return nil
		}
		timer.Reset(max(left, 0))
		select {
		case <-changed:
		case <-shown:
		case <-timer.C:
		case <-tell.C:
			waits()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// never is longer than anybody waits for a key or a picture, after which it is
// looked again.
const never = time.Hour

// lookAt is how long it takes until the line is known to be empty, if all stays
// as it is shown, and what ends that.
func lookAt(look LineFunc, empty bool, key time.Time) (left time.Duration, shown <-chan struct{}) {
	line, last, shown := look()
	switch {
	case line == LineBegun, line == LineUnknown && !empty:
		return never, shown
	case line != LineNone && (empty || last.After(key)):
		return 0, shown
	}
	return unechoed - time.Since(key), shown
}

// take holds the keys of an empty line, if nothing has happened since changed.
func (d *Arbiter) take(changed <-chan struct{}) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.changed != changed {
		return false
	}
	d.held, d.inputLine = true, inputLine{empty: true}
	return true
}

// typed reports whether the process has all keys. The lock is held.
func (d *Arbiter) typed() bool {
	for t := range d.sitting {
		if len(t.queue) > 0 || t.typing {
			return false
		}
	}
	return true
}

func (d *Arbiter) letGo() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held = false
	d.notify()
	for t := range d.sitting {
		wake(t.work)
	}
}
