package sandbox

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// RunShim is all that a program does that was started under ShimName, with the arguments that
// follow that name. It is the first process of a user and a network namespace, and becomes the
// program that it was started for: it returns, with an exit code, only if it cannot.
func RunShim(args []string) int {
	runtime.LockOSThread() // what holds one thread holds the program that it becomes
	if len(args) < 2 {
		return 2
	}
	socket, err := strconv.Atoi(args[0])
	if err != nil {
		return 2
	}
	unix.CloseOnExec(socket)
	if c := runShim(socket, args[1], args[2:]); c != nil {
		_, _ = unix.SendmsgN(socket, c.bytes(), nil, nil, unix.MSG_NOSIGNAL) // or there is nobody to tell
		return 126
	}
	return 0
}

// runShim returns nil if nobody wants a program.
func runShim(socket int, path string, argv []string) *complaint {
	if err := sendListener(socket); err != nil {
		return complain(err)
	}
	message := make([]byte, shimMessage)
	n, err := unix.Read(socket, message)
	if err != nil || n == 0 {
		return nil // whoever started this has gone
	}
	o, err := readOrder(message[:n])
	if err != nil {
		return &complaint{errno: unix.EPROTO, did: "the shim's order"}
	}
	if o.layers&Landlock != 0 {
		o.ruleset = uintptr(socket + 1)
		unix.CloseOnExec(int(o.ruleset))
	}
	if err := o.take(nil); err != nil {
		return complain(err)
	}
	if o.processes > 0 { // last: threads of this one count too
		if err := lower(0, unix.RLIMIT_NPROC, o.processes); err != nil {
			return complain(os.NewSyscallError("prlimit", err))
		}
	}
	err = syscall.Exec(path, argv, os.Environ())
	c := complain(err)
	c.did = "exec"
	return c
}

// complain returns what is told of an error.
func complain(err error) *complaint {
	c := &complaint{errno: unix.EINVAL, did: err.Error()}
	if layer := (*LayerError)(nil); errors.As(err, &layer) {
		c.layer = layer.Layer
	}
	if call := (*os.SyscallError)(nil); errors.As(err, &call) {
		c.did = call.Syscall
	}
	errors.As(err, &c.errno)
	return c
}

// sendListener makes what is in the namespace, and sends its listener.
func sendListener(socket int) error {
	if err := loopbackUp(); err != nil {
		return err
	}
	l, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(l)
	if err := unix.Bind(l, &unix.SockaddrInet4{Port: NamespacePort, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return os.NewSyscallError("bind", err)
	}
	if err := unix.Listen(l, unix.SOMAXCONN); err != nil {
		return os.NewSyscallError("listen", err)
	}
	return os.NewSyscallError("sendmsg", unix.Sendmsg(socket, []byte{0}, unix.UnixRights(l), nil, unix.MSG_NOSIGNAL))
}
