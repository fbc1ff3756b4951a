package proc

import (
	"errors"
	"syscall"
)

// Check says why Start would fail, by the same *StartError, and nil when it would
// not. Nothing of the command is run. On Linux the kernel is asked, with all that
// it looks at; where it may not be asked so (a seccomp filter that refuses
// ptrace), and on darwin, what a program needs to be loaded is not seen, but the
// interpreter of a script is.
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

// refusesUser reports whether a command that cannot be started for its user could
// be as ourselves: then it was the kernel's answer, and not that it may not be
// asked.
func (h *Host) refusesUser(path string, c Command) bool {
	if c.User == nil {
		return false
	}
	c.User = nil
	return !untold(h.rehearse(path, &c))
}

// errUntold: the kernel has not been asked.
var errUntold = errors.New("not asked")

// untold reports whether an error may be about the asking, and not about the
// command.
func untold(err error) bool {
	for _, about := range []error{errUntold, syscall.EPERM, syscall.EACCES, syscall.ENOSYS} {
		if errors.Is(err, about) {
			return true
		}
	}
	return false
}

// interpreterFault looks for the interpreter of a script itself.
func interpreterFault(path string) error {
	interp, ok := interpreter(firstBytes(path))
	if !ok || len(interp) == 0 || interp[0] != '/' {
		return nil
	}
	return executable(interp)
}
