package proc

import (
	"context"
	"time"
)

// listen reads the person's keys until Close, or until the terminal hangs up.
func (p *Person) listen() {
	defer p.leave()
	buf := make([]byte, 4<<10)
	for {
		n, err := p.in.Read(buf)
		if n > 0 && !p.typed(buf[:n]) {
			return
		}
		if err != nil {
			return
		}
	}
}

// typed queues keys for the process; false after Close.
func (p *Person) typed(b []byte) bool {
	for {
		p.mu.Lock()
		if len(p.queue) < queueLimit {
			break
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-p.ctx.Done():
			return false
		}
	}
	now := time.Now()
	n := p.keyboard.feed(b, now.Sub(p.last) > escapeGap)
	if n > 0 {
		p.keys += uint64(n)
		p.last = now
	}
	p.queue = append(p.queue, b...)
	p.notify()
	p.mu.Unlock()
	wake(p.work)
	return true
}

// notify tells who waits on changed; the lock is held.
func (p *Person) notify() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// forward types the queue into the process's terminal while it is not held.
func (p *Person) forward() {
	for {
		select {
		case <-p.work:
		case <-p.ctx.Done():
			return
		}
		for b := p.take(); b != nil; b = p.take() {
			// An error means that the process is gone; its end is Output's to
			// tell.
			_, _ = p.terminal.WriteContext(p.ctx, b)
		}
	}
}

// take ends a write and begins the next; nil when there is none.
func (p *Person) take() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.queue
	if p.held || len(b) == 0 {
		b = nil
	} else {
		p.queue = nil
	}
	p.typing = b != nil
	p.notify()
	return b
}

// Keys counts the keys pressed so far. What the terminal itself sends (answers,
// focus, mouse) does not count, nor does the release of a key.
func (p *Person) Keys() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keys
}

// Exclusive runs fn, which types into the process's terminal, while the person
// types nothing: it waits until the line is empty (no key yet, or the last was
// Enter, Ctrl-C, Ctrl-U or Esc) and 500 ms old, and holds what is typed
// meanwhile until fn returns. One at a time. When the person is gone it does not
// wait. The error is the cause of ctx, if it ends first, or fn's.
func (p *Person) Exclusive(ctx context.Context, fn func() error) error {
	select {
	case p.exclusive <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-p.exclusive }()
	if err := p.hold(ctx); err != nil {
		return err
	}
	defer p.letGo()
	return fn()
}

// hold waits for its time and stops forward.
func (p *Person) hold(ctx context.Context) error {
	timer := time.NewTimer(quietKeys)
	defer timer.Stop()
	for {
		p.mu.Lock()
		idle := p.keyboard.empty && len(p.queue) == 0 && !p.typing
		age := time.Since(p.last)
		if p.gone || idle && age >= quietKeys {
			p.held = true
			p.mu.Unlock()
			return nil
		}
		changed := p.changed
		p.mu.Unlock()
		var quiet <-chan time.Time
		if idle {
			timer.Reset(quietKeys - age)
			quiet = timer.C
		}
		select {
		case <-changed:
		case <-quiet:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (p *Person) letGo() {
	p.mu.Lock()
	p.held = false
	p.notify()
	p.mu.Unlock()
	wake(p.work)
}

// leave says that no more keys will come.
func (p *Person) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	p.notify()
}
