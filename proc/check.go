package proc

import (
	"errors"
	"syscall"
)

// Check returns the same *StartError that Start would return, nil if Start would succeed. It
// runs nothing of the command. On Linux it asks the kernel, which checks everything it would
// check at a start. If the kernel may not be asked (a seccomp filter refuses ptrace), and on
// darwin, Check does not see what a program needs to be loaded, but it does check the
// interpreter of a script.
func (h *Host) Check(c Command) error {
	if err := check(&c, h.isClosed()); err != nil {
		return err
	}
	path, err := LookPath(c.Argv[0], c.Dir, c.Env)
	if err != nil {
		return err
	}
	err = h.rehearse(path, &c)
	if untold(err) && !h.refusesUser(path, c) {
		err = interpreterFault(path)
	}
	if err != nil {
		return diagnose(&c, path, err)
	}
	return nil
}

// refusesUser reports whether a command that cannot be started as its user could be started as
// ourselves. If so, the error was the kernel's answer about the user, and does not mean that
// the kernel may not be asked.
func (h *Host) refusesUser(path string, c Command) bool {
	if c.User == nil {
		return false
	}
	c.User = nil
	return !untold(h.rehearse(path, &c))
}

// errUntold says that the kernel has not been asked.
var errUntold = errors.New("not asked")

// untold reports whether an error may come from asking the kernel and not from the command.
func untold(err error) bool {
	for _, about := range []error{errUntold, syscall.EPERM, syscall.EACCES, syscall.ENOSYS} {
		if errors.Is(err, about) {
			return true
		}
	}
	return false
}

// interpreterFault checks the interpreter of a script without the kernel's help.
func interpreterFault(path string) error {
	interp, ok := interpreter(firstBytes(path))
	if !ok || len(interp) == 0 || interp[0] != '/' {
		return nil
	}
	return executable(interp)
}
