package proc

import (
	"context"
	"sync"
	"time"
)

const (
	// quietKeys is how old the last key must be before anything else may type.
	quietKeys = 500 * time.Millisecond
	// unechoed is how old the last key must be when the program has shown
	// nothing since: it may still be about to.
	unechoed = 3 * time.Second
	// escapeGap tells the Esc key from the first byte of an escape sequence:
	// what comes later than this is another key.
	escapeGap = 50 * time.Millisecond
	// queueLimit bounds the keys of one typist that wait for the process; the
	// rest waits where it comes from.
	queueLimit = 64 << 10
)

// Desk is where people sit who type into one terminal: at the real one (Person),
// or somewhere else. They share one line; whoever else types, by Exclusive, does
// so when nobody is in the middle of it. Its methods may be called from many
// goroutines.
type Desk struct {
	terminal  *Terminal
	exclusive chan struct{} // a token: who has it may hold the keys

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when what is below changes
	sitting map[*Typist]struct{}
	empty   bool      // the last key ended or cleared the line
	left    bool      // whoever was in the middle of it has gone
	last    time.Time // of the last key
	keys    uint64
	held    bool
}

func newDesk(t *Terminal) *Desk {
	return &Desk{
		terminal: t, exclusive: make(chan struct{}, 1), changed: make(chan struct{}),
		sitting: map[*Typist]struct{}{}, empty: true,
	}
}

// notify tells who waits on changed; the lock is held.
func (d *Desk) notify() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// Keys counts the keys pressed so far, by everybody. What a terminal itself
// sends (answers, focus, mouse) does not count, nor does the release of a key.
func (d *Desk) Keys() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.keys
}

// Occupied reports whether anybody sits there.
func (d *Desk) Occupied() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.occupied()
}

func (d *Desk) occupied() bool {
	for t := range d.sitting {
		if !t.gone {
			return true
		}
	}
	return false
}

// Left reports whether a line stands there that somebody has begun who was the
// last to go, and forgets it: who asks clears it.
func (d *Desk) Left() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := d.left
	d.left = false
	return left
}

// Look tells whether the program shows a line that is empty, when it last showed
// anything, and gives a channel that is closed when that may have changed. It is
// called with no lock held.
type Look func() (empty bool, last time.Time, changed <-chan struct{})

// Exclusive runs fn, which types into the process's terminal, while nobody else
// does: it waits until the line is empty (no key yet, or the last was Enter,
// Ctrl-C, Ctrl-U or Esc) and 500 ms old, and holds what is typed meanwhile until
// fn returns. One at a time. Where nobody sits it does not wait. The error is the
// cause of ctx, if it ends first, or fn's.
func (d *Desk) Exclusive(ctx context.Context, fn func() error) error {
	return d.ExclusiveAt(ctx, nil, fn)
}

// ExclusiveAt is Exclusive for a program that shows what line there is: one that
// was begun and taken back by other keys, or keys that are no text, do not keep
// it waiting.
func (d *Desk) ExclusiveAt(ctx context.Context, look Look, fn func() error) error {
	select {
	case d.exclusive <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-d.exclusive }()
	if err := d.hold(ctx, look); err != nil {
		return err
	}
	defer d.letGo()
	return fn()
}

// hold waits for its time and stops what forwards keys.
func (d *Desk) hold(ctx context.Context, look Look) error {
	timer := time.NewTimer(quietKeys)
	defer timer.Stop()
	for {
		d.mu.Lock()
		typed, empty, last, changed := d.typed(), d.empty, d.last, d.changed
		age := time.Since(last)
		if !d.occupied() || typed && empty && age >= quietKeys {
			d.held = true
			d.mu.Unlock()
			return nil
		}
		d.mu.Unlock()
		left := quietKeys - age
		var shown <-chan struct{}
		if typed && !empty && look != nil && left <= 0 {
			if left, shown = lookAt(look, last); left <= 0 && d.emptied(changed) {
				continue
			}
		}
		var quiet <-chan time.Time
		if typed && (empty || look != nil) && left > 0 {
			timer.Reset(left)
			quiet = timer.C
		}
		select {
		case <-changed:
		case <-shown:
		case <-quiet:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// lookAt is how long it takes until the line is known to be empty, if it stays
// as it is shown since the last key, and what ends that. A line that is not shown
// empty does not become so by waiting: that is an hour.
func lookAt(look Look, key time.Time) (left time.Duration, shown <-chan struct{}) {
	empty, last, shown := look()
	switch {
	case !empty:
		return time.Hour, shown
	case last.After(key):
		return 0, shown
	}
	return unechoed - time.Since(key), shown
}

// emptied notes that the line is empty, if nothing has happened since changed.
func (d *Desk) emptied(changed <-chan struct{}) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.changed != changed {
		return false
	}
	d.empty = true
	return true
}

// typed reports whether the process has all keys. The lock is held.
func (d *Desk) typed() bool {
	for t := range d.sitting {
		if len(t.queue) > 0 || t.typing {
			return false
		}
	}
	return true
}

func (d *Desk) letGo() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held = false
	d.notify()
	for t := range d.sitting {
		wake(t.work)
	}
}
