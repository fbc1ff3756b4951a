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
	// queueLimit bounds the keys of one lease that wait for the process; the rest
	// waits where it comes from.
	queueLimit = 64 << 10
	// tellTime is how long Exclusive waits for a line before it tells that.
	tellTime = time.Second
)

// Arbiter decides who types into a terminal. People type by leases, from the host
// terminal ([Passthrough]) or from elsewhere, and share one line. A message is typed
// by Exclusive, when nobody is in the middle of a line. Its methods may be called
// from many goroutines.
type Arbiter struct {
	terminal  *Terminal
	exclusive chan struct{} // a token: its holder may hold the keys

	mu        sync.Mutex
	changed   chan struct{} // closed and replaced when what is below changes
	leases    map[*Lease]struct{}
	inputLine           // that they share
	left      bool      // the last lease has gone in the middle of it
	last      time.Time // of the last key
	keys      uint64
	held      bool
	stale     stale
}

func newArbiter(t *Terminal) *Arbiter {
	return &Arbiter{
		terminal: t, exclusive: make(chan struct{}, 1), changed: make(chan struct{}),
		leases: map[*Lease]struct{}{}, inputLine: inputLine{empty: true},
	}
}

// notify wakes what waits on changed. The lock is held.
func (a *Arbiter) notify() {
	close(a.changed)
	a.changed = make(chan struct{})
}

// Keys is how many keys were pressed so far, by all leases. What a terminal itself
// sends (answers, focus, mouse) does not count, nor does the release of a key.
func (a *Arbiter) Keys() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.keys
}

// Occupied reports whether a lease is held from which keys can come.
func (a *Arbiter) Occupied() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.occupied()
}

func (a *Arbiter) occupied() bool {
	for l := range a.leases {
		if !l.gone {
			return true
		}
	}
	return false
}

// Escaped reports whether the last key was Esc. To line editors it is the
// beginning of the next key.
func (a *Arbiter) Escaped() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.escaped
}

// Left reports whether the last lease to go has left an unfinished line, and forgets
// it: the caller clears the line.
func (a *Arbiter) Left() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	left := a.left
	a.left = false
	return left
}

// Line is what a program shows of the line that is being typed.
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
// does. It waits until the line is empty and the last key 500 ms old, and holds what
// is typed meanwhile until fn returns. Calls run one at a time. Without a lease it
// does not wait. The error is the cause of ctx, if it ends first, or fn's.
//
// If line is nil, the line is empty after Enter, Ctrl-C, Ctrl-U, and before the first
// key. Otherwise the program shows it: a line that was begun and taken back by other
// keys, and keys that are no text, do not keep Exclusive waiting; one that stands there
// all the same does. waits is called once if a line has kept it waiting for a second,
// and no key is held then.
func (a *Arbiter) Exclusive(ctx context.Context, line LineFunc, waits func(), fn func() error) error {
	select {
	case a.exclusive <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-a.exclusive }()
	if err := a.hold(ctx, line, waits); err != nil {
		return err
	}
	defer a.letGo()
	return fn()
}

// hold waits until nobody is in the middle of a line, and stops what forwards keys.
func (a *Arbiter) hold(ctx context.Context, line LineFunc, waits func()) error {
	timer := time.NewTimer(quietKeys)
	defer timer.Stop()
	tell := time.NewTimer(tellTime)
	defer tell.Stop()
	for {
		a.mu.Lock()
		if !a.occupied() {
			a.held = true
			a.mu.Unlock()
			return nil
		}
		typed, empty, last, changed := a.typed(), a.empty, a.last, a.changed
		a.mu.Unlock()
		left, shown := never, (<-chan struct{})(nil)
		switch age := time.Since(last); {
		case !typed, line == nil && !empty:
		case age < quietKeys:
			left = quietKeys - age
		case line == nil:
			left = 0
		default:
			left, shown = untilEmpty(line, empty, last)
		}
		if left <= 0 && a.holdIf(changed) {
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

// untilEmpty is how long it takes until the line is known to be empty, if all stays
// as it is shown, and what ends that.
func untilEmpty(show LineFunc, empty bool, key time.Time) (left time.Duration, shown <-chan struct{}) {
	line, last, shown := show()
	switch {
	case line == LineBegun, line == LineUnknown && !empty:
		return never, shown
	case line != LineNone && (empty || last.After(key)):
		return 0, shown
	}
	return unechoed - time.Since(key), shown
}

// holdIf holds the keys of an empty line unless something has happened since changed,
// and reports whether it does.
func (a *Arbiter) holdIf(changed <-chan struct{}) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.changed != changed {
		return false
	}
	a.held, a.inputLine = true, inputLine{empty: true}
	return true
}

// typed reports whether the process has all keys. The lock is held.
func (a *Arbiter) typed() bool {
	for l := range a.leases {
		if len(l.queue) > 0 || l.typing {
			return false
		}
	}
	return true
}

func (a *Arbiter) letGo() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held = false
	a.notify()
	for l := range a.leases {
		wake(l.work)
	}
}
