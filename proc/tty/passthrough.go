package tty

import (
	"context"
	"os"
	"sync"
)

// Passthrough is somebody at the real terminal, who sees and uses the process as if
// it ran there. Close must be called on every way out. Its methods may be called
// from many goroutines.
//
// The process waits when the real terminal does not take its output, as it
// would without us; only Close ends such a wait.
type Passthrough struct {
	seat    *HostTerminal
	typist  *Lease
	desk    *Arbiter
	workers sync.WaitGroup
	closing sync.Once
	onClose func()
}

// Attach hands the real terminal, whose open files are in and out, to the
// process behind t: raw mode, the size now and at each SIGWINCH, keys from in.
// Output must be given to Screen.
func Attach(t *Terminal, in, out *os.File) (*Passthrough, error) {
	seat, err := TakeHost(in, out, t.Resize)
	if err != nil {
		return nil, err
	}
	p := &Passthrough{seat: seat, desk: t.desk, typist: t.desk.Lease()}
	p.workers.Go(p.listen)
	return p, nil
}

// listen reads the person's keys until Close, or until the terminal hangs up.
func (p *Passthrough) listen() {
	defer p.typist.hangUp()
	buf := make([]byte, 4<<10)
	for {
		n, err := p.seat.Read(buf)
		if n > 0 && p.typist.Type(p.seat.ctx, buf[:n]) != nil {
			return
		}
		if err != nil {
			return
		}
	}
}

// Show shows output of the process on the real terminal. It returns when the
// terminal has taken it, and drops it after Close.
func (p *Passthrough) Show(chunk []byte) { p.seat.Show(chunk) }

// Notify is Seat.Tell.
func (p *Passthrough) Notify(text string) { p.seat.Notify(text) }

// Guard is Seat.Guard.
func (p *Passthrough) Guard(program string) error { return p.seat.Guard(program) }

// Killed is Seat.Fell.
func (p *Passthrough) Killed() { p.seat.Killed() }

// Keys is Desk.Keys.
func (p *Passthrough) Keys() uint64 { return p.desk.Keys() }

// Exclusive is Desk.Exclusive.
func (p *Passthrough) Exclusive(ctx context.Context, fn func() error) error {
	return p.desk.Exclusive(ctx, fn)
}

// OnClose has fn called when Close begins. It is set before Close can be called.
func (p *Passthrough) OnClose(fn func()) { p.onClose = fn }

// Close gives the real terminal back as it was; see Seat.Close. It waits for the
// goroutines and can be called more than once.
func (p *Passthrough) Close() {
	p.closing.Do(func() {
		if p.onClose != nil {
			p.onClose()
		}
		p.seat.interrupt()
		p.workers.Wait()
		p.typist.Release()
		p.seat.Close()
	})
}
