package proc

import "os"

// stdio holds the files between a process and us.
type stdio struct {
	// child holds the files that the process gets as 0, 1 and 2.
	child [3]*os.File
	// theirs are the process's ends, which are closed here once the process has them.
	theirs []*os.File
	// stdin, stdout and stderr are our ends of the pipes, nil with a terminal; stderr is nil too if
	// the command is Merged.
	stdin, stdout, stderr *os.File
}

// openStdio makes three close-on-exec pipes, our ends of them pollable, or takes the command's
// terminal. If the command has another user, it gives that user the process's ends, so that the
// process can open /dev/stdout, or its terminal by name.
func openStdio(c *Command) (*stdio, error) {
	s := new(stdio)
	err := s.open(c)
	if err == nil && c.User.Credential() != nil {
		err = s.give(c)
	}
	if err != nil {
		s.closeAll()
		return nil, err
	}
	return s, nil
}

func (s *stdio) open(c *Command) (err error) {
	if c.Terminal != nil {
		s.child = [3]*os.File{c.Terminal, c.Terminal, c.Terminal}
		return nil
	}
	if c.Stdin != nil {
		s.child[0] = c.Stdin
	} else if s.child[0], s.stdin, err = s.pipe(0); err != nil {
		return err
	}
	if s.child[1], s.stdout, err = s.pipe(1); err != nil {
		return err
	}
	if c.Merged {
		s.child[2] = s.child[1]
		return nil
	}
	s.child[2], s.stderr, err = s.pipe(2)
	return err
}

// pipe makes the pipe for a descriptor and returns the process's end and ours.
func (s *stdio) pipe(descriptor int) (theirs, ours *os.File, err error) {
	theirs, ours, err = openPipe(descriptor)
	if err == nil {
		s.theirs = append(s.theirs, theirs)
	}
	return theirs, ours, err
}

// give makes the command's user the owner of the process's ends. A file that the caller gave as
// standard input keeps its owner.
func (s *stdio) give(c *Command) error {
	for _, f := range s.child {
		if f == c.Stdin {
			continue
		}
		if err := f.Chown(int(c.User.UID), int(c.User.GID)); err != nil {
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

// Control runs fn on the descriptor of f without making the file blocking, as File.Fd would do.
// After Close the error is os.ErrClosed.
func Control(f *os.File, fn func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = fn(int(fd)) }); err != nil {
		return os.ErrClosed // the only possible cause of the error
	}
	return inner
}
