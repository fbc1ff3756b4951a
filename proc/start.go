package proc

import (
	"os"
	"sync"
	"syscall"
)

// Start starts a process and its waiter. The error is a *StartError. The caller must call
// Output once, to read what the process writes and to release its files.
func (h *Host) Start(c Command) (*Child, error) {
	if err := check(&c, h.isClosed()); err != nil {
		return nil, err
	}
	path, err := LookPath(c.Argv[0], c.Dir, c.Env)
	if err != nil {
		return nil, err
	}
	io, err := openStdio(&c)
	if err != nil {
		return nil, diagnose(&c, path, err)
	}
	child := &Child{host: h, io: io, terminal: c.Terminal != nil, grace: c.Grace, silent: make(chan struct{})}
	err = child.spawn(path, &c)
	io.closeTheirs()
	if err != nil {
		io.closeOurs()
		return nil, diagnose(&c, path, err)
	}
	if !h.add(child) {
		child.abandon()
		return nil, closedError(&c)
	}
	return child, nil
}

// abandon ends a process whose host was closed while it was started.
func (c *Child) abandon() {
	var waiter sync.WaitGroup
	waiter.Go(c.wait)
	c.Kill()
	waiter.Wait()
	c.closeFiles()
}

func check(c *Command, closed bool) error {
	switch {
	case len(c.Argv) == 0:
		return &StartError{Code: 127, Reason: "no command given", Err: syscall.EINVAL}
	case c.Terminal != nil && c.Stdin != nil:
		return &StartError{Name: c.Argv[0], Code: 126, Reason: "a terminal is its own standard input", Err: syscall.EINVAL}
	case closed:
		return closedError(c)
	}
	return nil
}

func closedError(c *Command) error {
	return &StartError{Name: c.Argv[0], Code: 126, Reason: "not started: " + errHostClosed.Error(), Err: errHostClosed}
}

// spawn starts the process.
func (c *Child) spawn(path string, cmd *Command) error {
	attr := &os.ProcAttr{Dir: cmd.Dir, Env: cmd.Env, Files: append(c.io.child[:len(c.io.child):len(c.io.child)], cmd.Files...), Sys: attributes(cmd)}
	if attr.Env == nil {
		attr.Env = []string{} // nil would mean ours
	}
	var err error
	c.tree, err = c.host.trees.Start(path, cmd.Argv, attr, cmd.Marker, cmd.Sandbox)
	return err
}

// attributes gives every process its own session, and so a process group whose number is its
// pid. Without Command.Terminal the session has no terminal, so a program that asks for a
// password on /dev/tty gets an error at once; in a mere background group it would be stopped
// and would never end.
func attributes(c *Command) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Setsid:     true,
		Setctty:    c.Terminal != nil, // the terminal is descriptor 0 in the process
		Credential: c.User.Credential(),
	}
}
