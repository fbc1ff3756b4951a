package tty

import (
	"os"
	"sync"
)

// Passthrough joins the host terminal and a process's terminal: a person at the host terminal
// sees and uses the process as if it ran there. Close must be called on every way out. Its
// methods may be called from many goroutines.
//
// The process waits when the real terminal does not take its output, as it would without us;
// only Close ends such a wait.
type Passthrough struct {
	host    *HostTerminal
	lease   *Lease
	workers sync.WaitGroup
	closing sync.Once
	onClose func()
}

// Attach gives the host terminal, whose open files are in and out, to the process behind t. It
// sets raw mode, sets the size now and at each SIGWINCH, and types the keys from in. The caller
// must pass the process's output to Show.
func Attach(t *Terminal, in, out *os.File) (*Passthrough, error) {
	host, err := TakeHost(in, out, t.Resize)
	if err != nil {
		return nil, err
	}
	p := &Passthrough{host: host, lease: t.arbiter.Lease()}
	p.workers.Go(p.listen)
	return p, nil
}

// listen reads the person's keys until Close, or until the terminal hangs up.
func (p *Passthrough) listen() {
	defer p.lease.hangUp()
	buf := make([]byte, 4<<10)
	for {
		n, err := p.host.Read(buf)
		if n > 0 && p.lease.Type(p.host.ctx, buf[:n]) != nil {
			return
		}
		if err != nil {
			return
		}
	}
}

// Show writes output of the process to the real terminal. It returns when the terminal has
// taken the chunk. After Close it drops the chunk.
func (p *Passthrough) Show(chunk []byte) { p.host.Show(chunk) }

// Notify calls [HostTerminal.Notify].
func (p *Passthrough) Notify(text string) { p.host.Notify(text) }

// Alert calls [HostTerminal.Alert].
func (p *Passthrough) Alert(line string) (undo func()) { return p.host.Alert(line) }

// Guard calls [HostTerminal.Guard].
func (p *Passthrough) Guard(program string) error { return p.host.Guard(program) }

// Killed calls [HostTerminal.Killed].
func (p *Passthrough) Killed() { p.host.Killed() }

// OnClose sets the function that is called when Close begins. It must be set before Close can
// be called.
func (p *Passthrough) OnClose(fn func()) { p.onClose = fn }

// Close gives the real terminal back as it was; see [HostTerminal.Close]. It waits for the
// goroutines and can be called more than once.
func (p *Passthrough) Close() {
	p.closing.Do(func() {
		if p.onClose != nil {
			p.onClose()
		}
		p.host.interrupt()
		p.workers.Wait()
		p.lease.Release()
		p.host.Close()
	})
}
