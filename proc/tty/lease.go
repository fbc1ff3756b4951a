package tty

import (
	"context"
	"errors"
	"time"
)

// ErrReleased is the error of using a lease that was released.
var ErrReleased = errors.New("tty: the input lease was released")

// Lease lets one party type into a terminal. Its keys reach the process in order, and wait
// while something else types; at most 64 KiB wait. Release must be called.
type Lease struct {
	arbiter *Arbiter
	ctx     context.Context // ends at Release
	cancel  context.CancelFunc
	done    chan struct{} // closed when forward has returned
	work    chan struct{} // wakes forward

	// Under the arbiter's lock:
	keyboard keyboard
	last     time.Time // when this lease's last key was typed
	queue    []byte    // keys not yet typed into the terminal
	typing   bool      // forward is writing
	gone     bool      // no more keys will come
}

// Lease returns a new lease, with which another party can type.
func (a *Arbiter) Lease() *Lease {
	l := &Lease{arbiter: a, done: make(chan struct{}), work: make(chan struct{}, 1)}
	// The lifetime is not bound to a call: it ends at Release.
	l.ctx, l.cancel = context.WithCancel(context.Background())
	a.mu.Lock()
	a.leases[l] = struct{}{}
	a.notify()
	a.mu.Unlock()
	go l.forward() // waited for by Release
	return l
}

// Type takes keys. While too many keys wait, Type blocks. The error is the cause of ctx, or
// ErrReleased.
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
	b, held := a.onlyInterrupts(b)
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
	held()
	return nil
}

// Flush waits until the process has got all that was typed through this lease.
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

// Release ends the lease. It drops keys that the process has not got. It can be called more
// than once.
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

// hangUp notes that no more keys will come. Keys that wait are still typed.
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

// forward types the queue into the process's terminal while keys are not held.
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
			// An error means that the process is gone; Output reports its end.
			_, _ = l.arbiter.terminal.Type(l.ctx, string(b))
		}
	}
}

// next marks the last write as done and returns the bytes of the next one. It returns nil if
// there are none, if keys are held, or if more is false.
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
