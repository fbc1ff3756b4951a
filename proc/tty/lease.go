package tty

import (
	"context"
	"errors"
	"time"
)

// ErrReleased is the error of a Typist who has left.
var ErrReleased = errors.New("proc: nobody types there any more")

// Lease is somebody at a Desk. What is typed reaches the process in order, and
// waits while something else types; 64 KiB wait at most. Leave must be called.
type Lease struct {
	desk   *Arbiter
	ctx    context.Context // ends at Leave
	cancel context.CancelFunc
	done   chan struct{} // closed when forward has returned
	work   chan struct{} // wakes forward

	// Under the desk's lock:
	keyboard keyboard
	last     time.Time // of this typist's last key
	queue    []byte    // keys not yet typed into the terminal
	typing   bool      // forward is writing
	gone     bool      // no more keys will come
}

// Lease makes a place for somebody.
func (d *Arbiter) Lease() *Lease {
	t := &Lease{desk: d, done: make(chan struct{}), work: make(chan struct{}, 1)}
	// Its own lifetime, which no call bounds: it ends at Leave.
	t.ctx, t.cancel = context.WithCancel(context.Background())
	d.mu.Lock()
	d.sitting[t] = struct{}{}
	d.notify()
	d.mu.Unlock()
	go t.forward() // waited for by Leave
	return t
}

// Type takes keys. While too many wait, it waits: the error is the cause of
// ctx's end, or ErrLeft.
func (t *Lease) Type(ctx context.Context, b []byte) error {
	d := t.desk
	for {
		d.mu.Lock()
		if t.gone {
			d.mu.Unlock()
			return ErrReleased
		}
		if len(t.queue) < queueLimit {
			break
		}
		changed := d.changed
		d.mu.Unlock()
		if err := t.await(ctx, changed); err != nil {
			return err
		}
	}
	now := time.Now()
	b, tell := d.dropLate(t, b, now)
	t.keyboard.inputLine = d.inputLine
	if n := t.keyboard.feed(b, now.Sub(t.last) > escapeGap); n > 0 {
		d.keys += uint64(n)
		d.last, t.last, d.left = now, now, false
	}
	d.inputLine = t.keyboard.inputLine
	t.queue = append(t.queue, b...)
	d.notify()
	d.mu.Unlock()
	wake(t.work)
	tell()
	return nil
}

// Flush waits until the process has all that was typed.
func (t *Lease) Flush(ctx context.Context) error {
	d := t.desk
	for {
		d.mu.Lock()
		done, changed := len(t.queue) == 0 && !t.typing, d.changed
		d.mu.Unlock()
		if done {
			return nil
		}
		if err := t.await(ctx, changed); err != nil {
			return err
		}
	}
}

func (t *Lease) await(ctx context.Context, changed <-chan struct{}) error {
	select {
	case <-changed:
		return nil
	case <-t.ctx.Done():
		return ErrReleased
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Release gives the place up. Keys that the process has not got are dropped. It
// can be called more than once.
func (t *Lease) Release() {
	t.hangUp()
	t.cancel()
	<-t.done
	d := t.desk
	d.mu.Lock()
	defer d.mu.Unlock()
	t.queue = nil
	delete(d.sitting, t)
	d.notify()
}

// hangUp says that no more keys will come; those that wait are typed.
func (t *Lease) hangUp() {
	d := t.desk
	d.mu.Lock()
	defer d.mu.Unlock()
	if t.gone {
		return
	}
	t.gone = true
	if !d.occupied() {
		d.left, d.inputLine = !d.empty, inputLine{empty: true}
	}
	d.notify()
}

// forward types the queue into the process's terminal while it is not held.
func (t *Lease) forward() {
	defer close(t.done)
	for {
		select {
		case <-t.work:
		case <-t.ctx.Done():
			t.take(false)
			return
		}
		for b := t.take(true); b != nil; b = t.take(true) {
			// An error means that the process is gone; its end is Output's to
			// tell.
			_, _ = t.desk.terminal.WriteContext(t.ctx, b)
		}
	}
}

// take ends a write and begins the next; nil when there is none, or none is
// wanted.
func (t *Lease) take(more bool) []byte {
	d := t.desk
	d.mu.Lock()
	defer d.mu.Unlock()
	b := t.queue
	if !more || d.held || len(b) == 0 {
		b = nil
	} else {
		t.queue = nil
	}
	t.typing = b != nil
	d.notify()
	return b
}
