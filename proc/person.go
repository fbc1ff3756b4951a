package proc

import (
	"context"
	"os"
	"sync"
)

// Person is somebody at the real terminal, who sees and uses the process as if
// it ran there. Close must be called on every way out. Its methods may be called
// from many goroutines.
//
// The process waits when the real terminal does not take its output, as it
// would without us; only Close ends such a wait.
type Person struct {
	seat    *Seat
	typist  *Typist
	desk    *Desk
	workers sync.WaitGroup
	closing sync.Once
	onClose func()
}

// AttachPerson hands the real terminal, whose open files are in and out, to the
// process behind t: raw mode, the size now and at each SIGWINCH, keys from in.
// Output must be given to Screen.
func AttachPerson(t *Terminal, in, out *os.File) (*Person, error) {
	seat, err := TakeSeat(in, out, t.Resize)
	if err != nil {
		return nil, err
	}
	p := &Person{seat: seat, desk: t.desk, typist: t.desk.Sit()}
	p.workers.Go(p.listen)
	return p, nil
}

// listen reads the person's keys until Close, or until the terminal hangs up.
func (p *Person) listen() {
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

// Screen shows output of the process on the real terminal. It returns when the
// terminal has taken it, and drops it after Close.
func (p *Person) Screen(chunk []byte) { p.seat.Screen(chunk) }

// Tell is Seat.Tell.
func (p *Person) Tell(text string) { p.seat.Tell(text) }

// Guard is Seat.Guard.
func (p *Person) Guard(program string) error { return p.seat.Guard(program) }

// Fell is Seat.Fell.
func (p *Person) Fell() { p.seat.Fell() }

// Keys is Desk.Keys.
func (p *Person) Keys() uint64 { return p.desk.Keys() }

// Exclusive is Desk.Exclusive.
func (p *Person) Exclusive(ctx context.Context, fn func() error) error {
	return p.desk.Exclusive(ctx, fn)
}

// OnClose has fn called when Close begins. It is set before Close can be called.
func (p *Person) OnClose(fn func()) { p.onClose = fn }

// Close gives the real terminal back as it was; see Seat.Close. It waits for the
// goroutines and can be called more than once.
func (p *Person) Close() {
	p.closing.Do(func() {
		if p.onClose != nil {
			p.onClose()
		}
		p.seat.interrupt()
		p.workers.Wait()
		p.typist.Leave()
		p.seat.Close()
	})
}
