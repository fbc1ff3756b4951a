package tty

import (
	"context"
	"sync"
	"time"
)

const (
	// quietKeys is how old the last key must be before anything other than a person may type.
	quietKeys = 500 * time.Millisecond
	// unechoed is how old the last key must be if the program has shown nothing since that key,
	// or shows a question: the program may be about to show something.
	unechoed = 3 * time.Second
	// escapeGap distinguishes the Esc key from the first byte of an escape sequence: a byte
	// that comes later than this is another key.
	escapeGap = 50 * time.Millisecond
	// queueLimit bounds the bytes of one lease's keys that wait for the process; further keys
	// wait at their source.
	queueLimit = 64 << 10
	// tellTime is how long Exclusive waits for an empty line before it calls waits.
	tellTime = time.Second
)

// Arbiter decides who types into a terminal. People type through leases, from the host terminal
// ([Passthrough]) or from elsewhere, and share one line. Exclusive types a message when nobody
// is in the middle of a line. Its methods may be called from many goroutines.
type Arbiter struct {
	terminal  *Terminal
	exclusive chan struct{} // a token; only its holder may hold the keys back

	mu        sync.Mutex
	changed   chan struct{} // closed and replaced when a field below changes
	leases    map[*Lease]struct{}
	inputLine           // the line that the leases share
	left      bool      // the last lease ended in the middle of a line
	last      time.Time // when the last key was typed
	keys      uint64
	held      bool
	stale     stale
	dropped   func() // not nil: people's keys are held back, see HoldBack
}

func newArbiter(t *Terminal) *Arbiter {
	return &Arbiter{
		terminal: t, exclusive: make(chan struct{}, 1), changed: make(chan struct{}),
		leases: map[*Lease]struct{}{}, inputLine: inputLine{empty: true},
	}
}

// notify wakes those that wait on changed. The caller holds the lock.
func (a *Arbiter) notify() {
	close(a.changed)
	a.changed = make(chan struct{})
}

// Keys returns how many keys were pressed so far, through all leases. It does not count what a
// terminal itself sends (answers, focus, mouse), nor the release of a key.
func (a *Arbiter) Keys() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.keys
}

// Occupied reports whether a lease is held through which keys can still come.
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

// Escaped reports whether the last key was Esc. Line editors take Esc as the beginning of the
// next key.
func (a *Arbiter) Escaped() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.escaped
}

// Left reports whether the last lease to end left an unfinished line, and forgets it. The
// caller clears the line.
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
	LineUnknown Line = iota // the program does not show the state of its line
	LineEmpty
	LineBegun // a line has been begun
	LineNone  // something else takes the keys: a question, which may be taking the last key
)

// LineFunc returns what a program shows of its line, when it last showed anything, and a
// channel that is closed when either may have changed. It is called without a lock held.
type LineFunc func() (line Line, last time.Time, changed <-chan struct{})

// Exclusive runs fn, which types into the process's terminal, while nobody else types. It waits
// until the line is empty and the last key is 500 ms old, and holds keys that are typed
// meanwhile until fn returns. Calls run one at a time. If there is no lease, it does not wait.
// The error is the cause of ctx, if ctx ends first, or the error of fn.
//
// If line is nil, the line counts as empty after Enter, Ctrl-C and Ctrl-U, and before the first
// key. Otherwise line tells what the program shows. Then Exclusive does not wait for a line
// that was begun and deleted by other keys, nor because of keys that are not text; but it does
// wait for a line that the program still shows. Exclusive calls waits once if a line has kept
// it waiting for a second; no key is held at that time.
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

// hold waits until nobody is in the middle of a line, and then holds the keys of all leases.
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

// never is longer than anyone waits for a key or a change of the screen; after it, hold looks
// again.
const never = time.Hour

// untilEmpty returns how long it takes until the line is known to be empty if the program shows
// nothing else, and the channel that is closed when it may show something else.
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

// holdIf holds the keys, with an empty line, unless something has happened since changed was
// read. It reports whether it holds them.
func (a *Arbiter) holdIf(changed <-chan struct{}) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.changed != changed {
		return false
	}
	a.held, a.inputLine = true, inputLine{empty: true}
	return true
}

// typed reports whether the process has all keys. The caller holds the lock.
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
