package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// quietKeys is how old the person's last key must be before anything else
	// may type.
	quietKeys = 500 * time.Millisecond
	// escapeGap tells the Esc key from the first byte of an escape sequence:
	// what comes later than this is another key.
	escapeGap = 50 * time.Millisecond
	// queueLimit bounds the keys that wait for the process; the rest waits in
	// the kernel.
	queueLimit = 64 << 10
	// restoreWait bounds the writing of the reset to a terminal that is stuck.
	restoreWait = 250 * time.Millisecond
)

// Person is somebody at the real terminal, who sees and uses the process as if
// it ran there. Close must be called on every way out. Its methods may be called
// from many goroutines.
//
// The process waits when the real terminal does not take its output, as it
// would without us; only Close ends such a wait. The flags of the terminal's
// open file, which other processes share, are never changed: we open it again.
type Person struct {
	terminal *Terminal
	in, out  *os.File // ours alone, non-blocking
	saved    *unix.Termios

	ctx     context.Context // ends at Close
	detach  context.CancelFunc
	workers sync.WaitGroup
	closing sync.Once

	screen    chan struct{} // a token: who has it writes to out
	exclusive chan struct{} // a token: who has it may hold the keys
	work      chan struct{} // wakes forward

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced when what is below changes
	keyboard keyboard
	last     time.Time // of the last key
	keys     uint64
	queue    []byte // keys not yet typed into terminal
	typing   bool   // forward is writing
	held     bool
	gone     bool
	modes    modeTracker
}

// AttachPerson hands the real terminal, whose open files are in and out, to the
// process behind t: raw mode, the size now and at each SIGWINCH, keys from in.
// Output must be given to Screen.
func AttachPerson(t *Terminal, in, out *os.File) (*Person, error) {
	p := &Person{
		terminal: t,
		screen:   make(chan struct{}, 1), exclusive: make(chan struct{}, 1),
		work: make(chan struct{}, 1), changed: make(chan struct{}),
		keyboard: keyboard{empty: true},
	}
	if err := p.open(in, out); err != nil {
		return nil, fmt.Errorf("take over the terminal: %w", err)
	}
	// The person's own lifetime, which no call bounds: it ends at Close.
	p.ctx, p.detach = context.WithCancel(context.Background())
	winch := make(chan os.Signal, 1)
	signal.Notify(winch, syscall.SIGWINCH, syscall.SIGCONT)
	p.workers.Go(func() { p.follow(winch) })
	p.workers.Go(p.listen)
	p.workers.Go(p.forward)
	return p, nil
}

// open opens the terminal for us alone and makes it raw.
func (p *Person) open(in, out *os.File) (err error) {
	if p.in, err = reopen(in, os.O_RDONLY); err != nil {
		return err
	}
	if p.out, err = reopen(out, os.O_WRONLY); err != nil {
		return errors.Join(err, p.in.Close())
	}
	err = control(p.in, func(fd int) (err error) {
		p.saved, err = unix.IoctlGetTermios(fd, getTermios)
		return err
	})
	if err == nil {
		err = p.size()
	}
	if err == nil {
		err = p.raw()
	}
	if err != nil {
		return errors.Join(err, p.in.Close(), p.out.Close())
	}
	return nil
}

// reopen opens the terminal behind f once more, non-blocking, and makes sure
// that deadlines work on it.
func reopen(f *os.File, mode int) (*os.File, error) {
	own, err := openAgain(f, mode|syscall.O_NOCTTY|syscall.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	if err := own.SetDeadline(time.Time{}); err != nil {
		return nil, errors.Join(err, own.Close())
	}
	return own, nil
}

// raw is cfmakeraw(3): every byte as it comes, and goes.
func (p *Person) raw() error {
	t := *p.saved
	t.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	t.Oflag &^= unix.OPOST
	t.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	t.Cflag &^= unix.CSIZE | unix.PARENB
	t.Cflag |= unix.CS8
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	return control(p.in, func(fd int) error { return unix.IoctlSetTermios(fd, setTermios, &t) })
}

// size passes the real terminal's size on. A terminal that does not know its
// own (a serial line) leaves ours as it is.
func (p *Person) size() error {
	s, err := getSize(p.out)
	if err != nil || s.Cols == 0 || s.Rows == 0 {
		return err
	}
	return p.terminal.Resize(s)
}

// follow keeps the size, and takes the terminal again after we were stopped and
// continued: the shell has had it meanwhile.
func (p *Person) follow(signals chan os.Signal) {
	defer signal.Stop(signals)
	for {
		select {
		case <-p.ctx.Done():
			return
		case s := <-signals:
			if s == syscall.SIGCONT {
				_ = p.raw() // gone terminals are noticed by listen
			}
			_ = p.size()
		}
	}
}

// Screen shows output of the process on the real terminal. It returns when the
// terminal has taken it, and drops it after Close.
func (p *Person) Screen(chunk []byte) {
	p.mu.Lock()
	p.modes.feed(chunk)
	p.mu.Unlock()
	select {
	case p.screen <- struct{}{}:
	case <-p.ctx.Done():
		return
	}
	defer func() { <-p.screen }()
	if p.ctx.Err() == nil {
		_, _ = p.out.Write(chunk) // a terminal that hung up shows nothing
	}
}

// Close gives the real terminal back as it was: the modes that the process may
// have set are reset, the line settings restored, keys not yet read forgotten.
// It waits for the goroutines and can be called more than once.
func (p *Person) Close() { p.closing.Do(p.restore) }

func (p *Person) restore() {
	p.detach()
	past := time.Unix(1, 0)
	_ = p.in.SetReadDeadline(past)
	_ = p.out.SetWriteDeadline(past)
	p.workers.Wait()
	p.leave()
	p.screen <- struct{}{} // for good
	_ = p.out.SetWriteDeadline(time.Now().Add(restoreWait))
	p.mu.Lock()
	reset := p.modes.reset()
	p.mu.Unlock()
	// Nobody can be told of an error here: it means that the terminal is gone.
	_, _ = p.out.WriteString(reset)
	_ = control(p.in, func(fd int) error {
		_ = flushInput(fd)
		return unix.IoctlSetTermios(fd, setTermios, p.saved)
	})
	_ = p.in.Close()
	_ = p.out.Close()
}

// IsForegroundTerminal reports whether in and out are terminals and ours to
// use: this process is in the group that the terminal listens to.
func IsForegroundTerminal(in, out *os.File) bool {
	for _, f := range []*os.File{in, out} {
		var group int
		err := control(f, func(fd int) (err error) {
			group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
			return err
		})
		if err != nil || group != unix.Getpgrp() {
			return false
		}
	}
	return true
}
