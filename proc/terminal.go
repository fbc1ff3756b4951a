package proc

import (
	"context"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Terminal is our side of a process's pseudo-terminal. Its methods may be
// called from many goroutines; after Output has returned they fail with
// os.ErrClosed.
type Terminal struct {
	master *os.File
	raw    syscall.RawConn
	// turn holds one token; who has it writes, so that the bytes of two writes
	// do not mix and a deadline cuts one of them only.
	turn    chan struct{}
	resized func(Size) // nil: nobody follows the size
	desk    *Desk
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

func newTerminal(master *os.File) (*Terminal, error) {
	raw, err := master.SyscallConn()
	if err != nil {
		return nil, err
	}
	t := &Terminal{master: master, raw: raw, turn: make(chan struct{}, 1)}
	t.desk = newDesk(t)
	return t, nil
}

// Desk is where people sit who type into the terminal.
func (t *Terminal) Desk() *Desk { return t.desk }

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
	err = control(t.master, func(fd int) error {
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
	return control(f, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: s.Cols, Row: s.Rows})
	})
}

func getSize(f *os.File) (s Size, err error) {
	err = control(f, func(fd int) error {
		ws, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
		if err == nil {
			s = Size{Cols: ws.Col, Rows: ws.Row}
		}
		return err
	})
	return s, err
}

var _ io.Writer = (*Terminal)(nil)
