package proc

import (
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// stdio is the plumbing between a process and us.
type stdio struct {
	// child is what the process gets as 0, 1 and 2.
	child [3]*os.File
	// theirs are the ends to close here once the process has them.
	theirs []*os.File
	// stdin, stdout and stderr are our ends of the pipes; stdout is the master
	// of a pseudo-terminal, which has neither of the others.
	stdin, stdout, stderr *os.File
}

// openStdio makes three pipes, or a pseudo-terminal, all close-on-exec and our
// ends pollable. For another user it gives them away, so that the process can
// open /dev/stdout, or its terminal by name.
func openStdio(c *Command) (*stdio, error) {
	s := new(stdio)
	open := s.openPipes
	if c.PTY != nil {
		open = s.openPTY
	}
	err := open(c)
	if err == nil && c.User.credential() != nil {
		err = s.give(c.User)
	}
	if err != nil {
		s.closeAll()
		return nil, err
	}
	return s, nil
}

func (s *stdio) openPipes(c *Command) (err error) {
	if c.Stdin != nil {
		s.child[0] = c.Stdin
	} else if s.child[0], s.stdin, err = s.pipe(0); err != nil {
		return err
	}
	if s.child[1], s.stdout, err = s.pipe(1); err != nil {
		return err
	}
	s.child[2], s.stderr, err = s.pipe(2)
	return err
}

// pipe returns the process's end and ours of the pipe for a descriptor.
func (s *stdio) pipe(descriptor int) (theirs, ours *os.File, err error) {
	theirs, ours, err = openPipe(descriptor)
	if err == nil {
		s.theirs = append(s.theirs, theirs)
	}
	return theirs, ours, err
}

func (s *stdio) openPTY(c *Command) error {
	master, tty, err := pty.Open()
	if err != nil {
		return err
	}
	s.stdout, s.theirs, s.child = master, []*os.File{tty}, [3]*os.File{tty, tty, tty}
	// creack/pty has made the master blocking again behind the File's back.
	// Without this, deadlines and Close silently do not end a Read.
	if err := control(master, func(fd int) error { return syscall.SetNonblock(fd, true) }); err != nil {
		return err
	}
	if err := setUTF8(tty); err != nil {
		return err
	}
	return setSize(master, *c.PTY)
}

// give makes the process's ends belong to u.
func (s *stdio) give(u *User) error {
	for _, f := range s.theirs {
		if err := f.Chown(int(u.UID), int(u.GID)); err != nil {
			return err
		}
	}
	return nil
}

func (s *stdio) closeTheirs() {
	for _, f := range s.theirs {
		_ = f.Close()
	}
}

func (s *stdio) closeOurs() {
	for _, f := range []*os.File{s.stdin, s.stdout, s.stderr} {
		if f != nil {
			_ = f.Close()
		}
	}
}

func (s *stdio) closeAll() {
	s.closeTheirs()
	s.closeOurs()
}

// control runs fn on the descriptor of f without making it blocking, which
// File.Fd would do.
func control(f *os.File, fn func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = fn(int(fd)) }); err != nil {
		return os.ErrClosed // its one cause, under another name
	}
	return inner
}

// setUTF8 lets the backspace of a cooked terminal remove a whole character.
func setUTF8(tty *os.File) error {
	return control(tty, func(fd int) error {
		t, err := unix.IoctlGetTermios(fd, getTermios)
		if err != nil {
			return err
		}
		t.Iflag |= unix.IUTF8
		return unix.IoctlSetTermios(fd, setTermios, t)
	})
}
