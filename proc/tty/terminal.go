package tty

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Terminal is our side of a process's pseudo-terminal. Its methods may be called from many
// goroutines; after Output has returned they fail with os.ErrClosed. Output must be called
// once.
type Terminal struct {
	child  *proc.Child
	master *os.File
	raw    syscall.RawConn
	// turn holds one token, and only its holder writes. So the bytes of two writes do not mix,
	// and a deadline ends only one of them.
	turn    chan struct{}
	held    atomic.Int64 // bytes that were read and not taken yet
	resized func(Size)   // nil if nothing follows the size
	arbiter *Arbiter
}

// Mode is the mode that the process has set on its terminal.
type Mode struct {
	// Canonical is true if input is collected to lines of at most 4,095 bytes; the rest of a
	// longer line is lost.
	Canonical bool
	// Echo is true if what is typed is shown. Canonical without Echo is a password prompt.
	Echo bool
	// Foreground is the process group that reads the terminal.
	Foreground int
}

// Size is the size of a terminal in character cells.
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

// open makes a pseudo-terminal. It returns our side, and the process's end as a file.
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

// prepare makes our side pollable and sets up the process's end as a program expects it.
func (t *Terminal) prepare(tty *os.File, size Size) (err error) {
	// creack/pty has made the master blocking again without telling the File. Without this
	// call, deadlines and Close silently fail to end a Read.
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

// setUTF8 makes a backspace in canonical mode remove a whole character.
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

// Child returns the process.
func (t *Terminal) Child() *proc.Child { return t.child }

// Arbiter returns the arbiter, which decides who types into the terminal.
func (t *Terminal) Arbiter() *Arbiter { return t.arbiter }

// Write types p. It waits while the process does not read. The error is EIO if no process has
// the terminal open any more.
func (t *Terminal) Write(p []byte) (int, error) {
	t.turn <- struct{}{}
	defer func() { <-t.turn }()
	return t.master.Write(p)
}

// Type types text and gives up when ctx ends; then it returns how many bytes were typed, and the
// cause of ctx.
func (t *Terminal) Type(ctx context.Context, text string) (int, error) {
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
	n, err := t.master.WriteString(text)
	if stop() {
		return n, err
	}
	<-expired
	if e := t.master.SetWriteDeadline(time.Time{}); err == nil {
		err = e
	}
	if n < len(text) {
		err = context.Cause(ctx)
	}
	return n, err
}

// OnResize sets the function that is called with each new size before the process learns of it.
// OnResize must be called before another goroutine uses the terminal; f is called from any
// goroutine.
func (t *Terminal) OnResize(f func(Size)) { t.resized = f }

// Resize sets the size. The process learns of it by SIGWINCH.
func (t *Terminal) Resize(s Size) error {
	if t.resized != nil {
		t.resized(s)
	}
	return setSize(t.master, s)
}

// Size returns the current size.
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

// Unread returns how many bytes of output have come and were not taken by Output's emit yet.
func (t *Terminal) Unread() int {
	waiting := 0
	_ = proc.Control(t.master, func(fd int) (err error) { // an error means that the terminal is closed
		waiting, err = unix.IoctlGetInt(fd, inputQueue)
		return err
	})
	return waiting + int(t.held.Load())
}

// Untaken returns how many bytes that were typed the program has not read yet; ok is false if the
// system does not tell. While the terminal edits lines, only whole lines count.
func (t *Terminal) Untaken() (n int, ok bool) {
	err := proc.Control(t.master, func(fd int) (err error) {
		n, err = unreadBehind(fd)
		return err
	})
	return n, err == nil
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
