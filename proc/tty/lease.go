package tty

import (
	"context"
	"errors"
	"time"
)

// ErrReleased is the error of a lease that was released.
var ErrReleased = errors.New("tty: the input lease was released")

// Lease lets one party type into a terminal. What is typed reaches the process in
// order, and waits while something else types; 64 KiB wait at most. Release must be
// called.
type Lease struct {
	arbiter *Arbiter
	ctx     context.Context // ends at Release
	cancel  context.CancelFunc
	done    chan struct{} // closed when forward has returned
	work    chan struct{} // wakes forward

	// Under the arbiter's lock:
	keyboard keyboard
	last     time.Time // of this lease's last key
	queue    []byte    // keys not yet typed into the terminal
	typing   bool      // forward is writing
	gone     bool      // no more keys will come
}

// Lease lets another party type.
func (a *Arbiter) Lease() *Lease {
	l := &Lease{arbiter: a, done: make(chan struct{}), work: make(chan struct{}, 1)}
	// Its own lifetime, which no call bounds: it ends at Release.
	l.ctx, l.cancel = context.WithCancel(context.Background())
	a.mu.Lock()
	a.leases[l] = struct{}{}
	a.notify()
	a.mu.Unlock()
	go l.forward() // waited for by Release
	return l
}

// Type takes keys. While too many wait, it waits: the error is the cause of
// ctx's end, or ErrReleased.
func (l *Lease) Type(ctx context.Context, b []byte) error {
	a := l.arbiter
	for {
		a.mu.Lock()
		if l.gone {
			a.mu.Unlock()
			return ErrReleased
		}
		if len(l.queue) < queueLimit {
			break
		}
		changed := a.changed
		a.mu.Unlock()
		if err := l.await(ctx, changed); err != nil {
			return err
		}
	}
	now := time.Now()
	b, tell := a.dropFollowing(l, b, now)
	l.keyboard.inputLine = a.inputLine
	if n := l.keyboard.feed(b, now.Sub(l.last) > escapeGap); n > 0 {
		a.keys += uint64(n)
		a.last, l.last, a.left = now, now, false
	}
	a.inputLine = l.keyboard.inputLine
	l.queue = append(l.queue, b...)
	a.notify()
	a.mu.Unlock()
	wake(l.work)
	tell()
	return nil
}

// Flush waits until the process has all that was typed.
func (l *Lease) Flush(ctx context.Context) error {
	a := l.arbiter
	for {
		a.mu.Lock()
		done, changed := len(l.queue) == 0 && !l.typing, a.changed
		a.mu.Unlock()
		if done {
			return nil
		}
		if err := l.await(ctx, changed); err != nil {
			return err
		}
	}
}

func (l *Lease) await(ctx context.Context, changed <-chan struct{}) error {
	select {
	case <-changed:
		return nil
	case <-l.ctx.Done():
		return ErrReleased
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Release ends the lease. Keys that the process has not got are dropped. It
// can be called more than once.
func (l *Lease) Release() {
	l.hangUp()
	l.cancel()
	<-l.done
	a := l.arbiter
	a.mu.Lock()
	defer a.mu.Unlock()
	l.queue = nil
	delete(a.leases, l)
	a.notify()
}

// hangUp says that no more keys will come; those that wait are typed.
func (l *Lease) hangUp() {
	a := l.arbiter
	a.mu.Lock()
	defer a.mu.Unlock()
	if l.gone {
		return
	}
	l.gone = true
	if !a.occupied() {
		a.left, a.inputLine = !a.empty, inputLine{empty: true}
	}
	a.notify()
}

// forward types the queue into the process's terminal while it is not held.
func (l *Lease) forward() {
	defer close(l.done)
	for {
		select {
		case <-l.work:
		case <-l.ctx.Done():
			l.next(false)
			return
		}
		for b := l.next(true); b != nil; b = l.next(true) {
			// An error means that the process is gone; its end is Output's to
			// tell.
			_, _ = l.arbiter.terminal.WriteContext(l.ctx, b)
		}
	}
}

// next ends a write and begins the next; nil when there is none, or none is
// wanted.
func (l *Lease) next(more bool) []byte {
	a := l.arbiter
	a.mu.Lock()
	defer a.mu.Unlock()
	b := l.queue
	if !more || a.held || len(b) == 0 {
		b = nil
	} else {
		l.queue = nil
	}
	l.typing = b != nil
	a.notify()
	return b
}
