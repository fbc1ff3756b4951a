package tty

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Terminal is our side of a process's pseudo-terminal. Its methods may be
// called from many goroutines; after Output has returned they fail with
// os.ErrClosed. Output must be called, once.
type Terminal struct {
	child  *proc.Child
	master *os.File
	raw    syscall.RawConn
	// turn holds one token, whose holder writes, so that the bytes of two writes
	// do not mix and a deadline cuts one of them only.
	turn    chan struct{}
	resized func(Size) // nil: nobody follows the size
	arbiter *Arbiter
}

// Mode is what the process has made of its terminal.
type Mode struct {
	// Canonical: input is collected to lines of at most 4,095 bytes, the rest
	// of a longer one is lost.
	Canonical bool
	// Echo: what is typed is shown. Canonical without Echo asks for a password.
	Echo bool
	// Foreground is the process group that reads the terminal.
	Foreground int
}

// Size of a terminal in character cells.
type Size struct {
	Cols, Rows uint16
}

var errNoCells = errors.New("a terminal needs at least one column and one row")

// Start starts a process under a new pseudo-terminal of this size, in its
// own session. The error is a *StartError.
func Start(h *proc.Host, c proc.Command, size Size) (*Terminal, error) {
	if size.Cols == 0 || size.Rows == 0 {
		return nil, c.Refused(errNoCells)
	}
	t, tty, err := open(size)
	if err != nil {
		return nil, c.Refused(fmt.Errorf("no pseudo-terminal: %w", err))
	}
	defer tty.Close()
	c.Terminal = tty
	if t.child, err = h.Start(c); err != nil {
		_ = t.master.Close()
		return nil, err
	}
	return t, nil
}

// open makes a pseudo-terminal, and returns the process's end as well.
func open(size Size) (t *Terminal, tty *os.File, err error) {
	master, tty, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	t = &Terminal{master: master, turn: make(chan struct{}, 1)}
	t.arbiter = newArbiter(t)
	if err = t.prepare(tty, size); err != nil {
		_, _ = master.Close(), tty.Close()
		return nil, nil, err
	}
	return t, tty, nil
}

// prepare makes our side pollable and the other one as a program expects it.
func (t *Terminal) prepare(tty *os.File, size Size) (err error) {
	// creack/pty has made the master blocking again behind the File's back.
	// Without this, deadlines and Close silently do not end a Read.
	if err := proc.Control(t.master, func(fd int) error { return syscall.SetNonblock(fd, true) }); err != nil {
		return err
	}
	if err := setUTF8(tty); err != nil {
		return err
	}
	if t.raw, err = t.master.SyscallConn(); err != nil {
		return err
	}
	return setSize(t.master, size)
}

// setUTF8 lets the backspace of a cooked terminal remove a whole character.
func setUTF8(tty *os.File) error {
	return proc.Control(tty, func(fd int) error {
		t, err := unix.IoctlGetTermios(fd, getTermios)
		if err != nil {
			return err
		}
		t.Iflag |= unix.IUTF8
		return unix.IoctlSetTermios(fd, setTermios, t)
	})
}

// Child is the process.
func (t *Terminal) Child() *proc.Child { return t.child }

// Arbiter decides who types into the terminal.
func (t *Terminal) Arbiter() *Arbiter { return t.arbiter }

// Write types p. It waits as long as the process does not read; the error is
// EIO when nobody has the terminal open any more.
func (t *Terminal) Write(p []byte) (int, error) {
	t.turn <- struct{}{}
	defer func() { <-t.turn }()
	return t.master.Write(p)
}

// WriteContext types p and gives up when ctx ends: it returns how many bytes
// were typed and the cause.
func (t *Terminal) WriteContext(ctx context.Context, p []byte) (int, error) {
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	defer func() { <-t.turn }()
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	expired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(expired)
		// An error means that the file is closed, which ends the write too.
		_ = t.master.SetWriteDeadline(time.Unix(1, 0))
	})
	n, err := t.master.Write(p)
	if stop() {
		return n, err
	}
	<-expired
	if e := t.master.SetWriteDeadline(time.Time{}); err == nil {
		err = e
	}
	if n < len(p) {
		err = context.Cause(ctx)
	}
	return n, err
}

// OnResize has f told of each new size, before the process learns of it. It must
// be called before anybody else knows the terminal; f from any goroutine.
func (t *Terminal) OnResize(f func(Size)) { t.resized = f }

// Resize sets the size, which the process learns by SIGWINCH.
func (t *Terminal) Resize(s Size) error {
	if t.resized != nil {
		t.resized(s)
	}
	return setSize(t.master, s)
}

// Size is the current size.
func (t *Terminal) Size() (Size, error) { return getSize(t.master) }

// Mode asks the kernel for the current mode.
func (t *Terminal) Mode() (m Mode, err error) {
	err = proc.Control(t.master, func(fd int) error {
		state, err := unix.IoctlGetTermios(fd, getTermios)
		if err != nil {
			return err
		}
		m.Canonical = state.Lflag&unix.ICANON != 0
		m.Echo = state.Lflag&unix.ECHO != 0
		m.Foreground, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return m, err
}

func setSize(f *os.File, s Size) error {
	return proc.Control(f, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: s.Cols, Row: s.Rows})
	})
}

func getSize(f *os.File) (s Size, err error) {
	err = proc.Control(f, func(fd int) error {
		ws, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
		if err == nil {
			s = Size{Cols: ws.Col, Rows: ws.Row}
		}
		return err
	})
	return s, err
}

var _ io.Writer = (*Terminal)(nil)
