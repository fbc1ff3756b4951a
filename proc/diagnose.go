package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// diagnose explains an error of fork or exec. Such an error is a bare errno, whose cause may be
// the program, its interpreter, the directory, the user or a limit.
func diagnose(c *Command, path string, err error) *StartError {
	e := &StartError{Name: c.Argv[0], Code: 126, Err: cause(err)}
	switch {
	case explainSandbox(e, path, c):
	case explainLimit(e, c):
	case explainNUL(e, c):
	case explainDir(e, c.Dir):
	case explainUser(e, c.User):
	case errors.Is(err, syscall.ENOENT):
		e.Code = 127
		explainAbsent(e, path)
	case errors.Is(err, syscall.EACCES):
		explainDenied(e, path, c.User)
	case errors.Is(err, syscall.ENOEXEC):
		explainFormat(e, path)
	case errors.Is(err, syscall.ETXTBSY):
		e.Reason, e.Hint = path+" is open for writing", "wait until it is written"
	default:
		e.Reason = fmt.Sprintf("%s: %s", path, e.Err)
	}
	return e
}

// Refused returns the error of a command that cannot be started because of err, which occurred
// while the caller prepared the command.
func (c Command) Refused(err error) *StartError {
	e := &StartError{Code: 126, Reason: err.Error(), Err: err}
	if len(c.Argv) > 0 {
		e.Name = c.Argv[0]
	}
	explainLimit(e, &c)
	return e
}

// explainSandbox explains that a program could not be put into its sandbox, or that the sandbox
// does not let it be executed.
func explainSandbox(e *StartError, path string, c *Command) bool {
	if c.Sandbox == nil {
		return false
	}
	var layer *sandbox.LayerError
	switch {
	case errors.As(e.Err, &layer):
		e.Reason, e.Hint = layer.Error(), "sidecar doctor says what this system can hold"
	case errors.Is(e.Err, syscall.EACCES) && c.User == nil && unix.Access(path, unix.X_OK) == nil:
		e.Reason = "its sandbox does not let it execute " + path + ", or the interpreter that it names"
		e.Hint = "let it read the directory that both are in"
	default:
		return false
	}
	return true
}

func explainLimit(e *StartError, c *Command) bool {
	switch {
	case errors.Is(e.Err, syscall.E2BIG):
		e.Reason = fmt.Sprintf("arguments (%d bytes) and environment (%d bytes) are too long", size(c.Argv), size(c.Env))
		e.Hint = "pass large input on standard input or in a file"
	case errors.Is(e.Err, syscall.EAGAIN):
		e.Reason, e.Hint = "no more processes can be started", "raise the limit (ulimit -u, pids.max), or run fewer at once"
	case errors.Is(e.Err, syscall.EMFILE), errors.Is(e.Err, syscall.ENFILE):
		e.Reason, e.Hint = "no more files can be opened", "raise the limit (ulimit -n), or run fewer at once"
	case errors.Is(e.Err, syscall.ENOMEM):
		e.Reason, e.Hint = "out of memory", "raise the limit, or run fewer at once"
	default:
		return false
	}
	return true
}

func size(list []string) (n int) {
	for _, s := range list {
		n += len(s) + 1
	}
	return n
}

func explainNUL(e *StartError, c *Command) bool {
	if !errors.Is(e.Err, syscall.EINVAL) {
		return false
	}
	for i, a := range c.Argv {
		if strings.IndexByte(a, 0) >= 0 {
			e.Reason, e.Hint = fmt.Sprintf("argument %d contains a NUL byte", i), "no program can receive it; pass it on standard input"
			return true
		}
	}
	for _, v := range c.Env {
		if strings.IndexByte(v, 0) >= 0 {
			name, _, _ := strings.Cut(v, "=")
			e.Reason, e.Hint = fmt.Sprintf("variable %q contains a NUL byte", name), "remove it"
			return true
		}
	}
	return false
}

func explainDir(e *StartError, dir string) bool {
	if dir == "" {
		return false
	}
	info, err := os.Stat(dir)
	switch {
	case isAbsent(err):
		e.Reason, e.Hint = fmt.Sprintf("working directory %s does not exist", dir), "create it, or choose another"
	case err != nil:
		e.Reason, e.Hint = fmt.Sprintf("working directory %s: %s", dir, cause(err)), "choose another"
	case !info.IsDir():
		e.Reason, e.Hint = fmt.Sprintf("working directory %s is not a directory", dir), "choose another"
	case unix.Access(dir, unix.X_OK) != nil:
		e.Reason, e.Hint = fmt.Sprintf("working directory %s may not be entered", dir), "check its owner and mode"
	default:
		return false
	}
	return true
}

func explainUser(e *StartError, u *User) bool {
	if u == nil || !errors.Is(e.Err, syscall.EPERM) && !errors.Is(e.Err, syscall.EINVAL) {
		return false
	}
	if !isRoot() {
		e.Reason = fmt.Sprintf("cannot run as uid %d gid %d: only root may switch users", u.UID, u.GID)
		e.Hint = fmt.Sprintf("start as root, or leave the user out (we are uid %d gid %d)", os.Getuid(), os.Getgid())
		return true
	}
	e.Reason = fmt.Sprintf("cannot switch to uid %d gid %d: %s", u.UID, u.GID, e.Err)
	e.Hint = "the container needs CAP_SETUID and CAP_SETGID, and the ids mapped in its user namespace"
	return true
}

// explainAbsent explains that a program has vanished, or that the program exists but its
// interpreter or loader does not.
func explainAbsent(e *StartError, path string) {
	if _, err := os.Stat(path); err != nil {
		e.Reason, e.Hint = absence(path)
		return
	}
	head := firstBytes(path)
	interp, script := interpreter(head)
	switch {
	case script && strings.HasSuffix(interp, "\r"):
		e.Reason = fmt.Sprintf("the first line of %s ends in a carriage return, so its interpreter %q does not exist", path, interp)
		e.Hint = "save the file with Unix line ends"
	case script:
		e.Reason = fmt.Sprintf("%s needs the interpreter %s, which does not exist", path, interp)
		e.Hint = "install it, or correct the #! line"
	default:
		e.Reason = path + " needs a loader that does not exist"
		e.Hint = "it was linked for another C library; use a static build or a base image with that library"
	}
}

func explainDenied(e *StartError, path string, u *User) {
	if interp, ok := interpreter(firstBytes(path)); ok {
		if err := executable(interp); err != nil {
			e.Reason = fmt.Sprintf("%s needs the interpreter %s: %s", path, interp, cause(err))
			e.Hint = "correct the #! line"
			return
		}
	}
	e.Reason, e.Hint = denial(path)
	if u != nil {
		e.Reason = fmt.Sprintf("uid %d gid %d may not execute %s, or not enter its working directory", u.UID, u.GID, path)
		e.Hint = "check the owner and mode of both and of the directories above them"
	}
}

// elfMachine returns Go's name for an e_machine value.
func elfMachine(n uint16) string {
	switch n {
	case 3:
		return "386"
	case 21:
		return "ppc64"
	case 22:
		return "s390x"
	case 40:
		return "arm"
	case 62:
		return "amd64"
	case 183:
		return "arm64"
	case 243:
		return "riscv64"
	}
	return fmt.Sprintf("machine %d", n)
}

func explainFormat(e *StartError, path string) {
	head := firstBytes(path)
	switch {
	case len(head) == 0:
		e.Reason, e.Hint = path+" is empty", "install it again"
	case len(head) > 20 && bytes.HasPrefix(head, []byte("\x7fELF")):
		machine := elfMachine(uint16(head[18]) | uint16(head[19])<<8)
		e.Reason = fmt.Sprintf("%s was built for %s, this is %s/%s", path, machine, runtime.GOOS, runtime.GOARCH)
		e.Hint = "install the build for this machine"
	case bytes.IndexByte(head, 0) >= 0:
		e.Reason, e.Hint = path+" is not a program of this system", "install the build for this machine"
	default:
		e.Reason, e.Hint = path+" is a script without a #! line", "make its first line #!/bin/sh, or name the shell in the command"
	}
}

// interpreter returns the program that a #! line names.
func interpreter(head []byte) (string, bool) {
	rest, ok := bytes.CutPrefix(head, []byte("#!"))
	if !ok {
		return "", false
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	line = bytes.TrimLeft(line, " \t")
	if i := bytes.IndexAny(line, " \t"); i >= 0 {
		line = line[:i]
	}
	return string(line), true
}

// firstBytes returns the part of a file by which the kernel tells its format, nil if the file
// cannot be read.
func firstBytes(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := f.Read(head)
	return head[:n]
}
