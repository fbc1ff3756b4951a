package sandbox

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// RunShim is all that a program does that was started under ShimName, with the arguments that
// follow that name. It becomes the program that it was started for: it returns, with an exit code,
// only if it cannot.
func RunShim(args []string) int {
	runtime.LockOSThread() // what holds one thread holds the program that it becomes
	if len(args) < 3 {
		return 2
	}
	socket, err := strconv.Atoi(args[1])
	if err != nil {
		return 2
	}
	// From the socket on, nothing is for the program, nor what somebody in the other process opened to
	// be inherited. An error means that the kernel is older than Linux 5.11.
	if unix.CloseRange(uint(socket), 1<<32-1, unix.CLOSE_RANGE_CLOEXEC) != nil {
		unix.CloseOnExec(socket)
	}
	if c := runShim(socket, args[0], args[2], args[3:]); c != nil {
		_, _ = unix.SendmsgN(socket, c.bytes(), nil, nil, unix.MSG_NOSIGNAL) // or there is nobody to tell
		return 126
	}
	return 0
}

// runShim returns nil if nobody wants a program.
func runShim(socket int, where, path string, argv []string) *complaint {
	if err := greet(socket, where); err != nil {
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
	next := socket
	descriptor := func() int {
		next++
		unix.CloseOnExec(next)
		return next
	}
	if o.layers&Landlock != 0 {
		o.ruleset = uintptr(descriptor())
	}
	group := -1
	if o.counted {
		group = descriptor()
	}
	if err := o.confine(); err != nil {
		return complain(err)
	}
	return o.exec(group, path, argv)
}

// greet says that the shim is there, and makes what must be there.
func greet(socket int, where string) error {
	if where == shimInside {
		return sendListener(socket)
	}
	return os.NewSyscallError("sendmsg", unix.Sendmsg(socket, []byte{0}, nil, nil, unix.MSG_NOSIGNAL))
}

// confine puts the shim into its sandbox.
func (o *order) confine() error {
	dir, err := unix.Getwd()
	if err != nil && o.entered {
		return os.NewSyscallError("getcwd", err)
	}
	if err := o.take(o.user); err != nil || !o.entered {
		return err
	}
	if err := unix.Chdir(dir); err != nil { // the kernel has asked whether we can
		return &os.PathError{Op: "chdir", Path: dir, Err: err}
	}
	return nil
}

// exec limits the shim and has it become the program. The limits hold for the shim too, whose runtime
// would end it for the lack of a page or a thread: everything is made before, and between the first
// limit and the program are nothing but system calls.
func (o *order) exec(group int, path string, argv []string) *complaint {
	file, err := unix.BytePtrFromString(path)
	if err != nil {
		return &complaint{errno: unix.EINVAL, did: "exec"}
	}
	args, err := syscall.SlicePtrFromStrings(argv)
	if err != nil {
		return &complaint{errno: unix.EINVAL, did: "exec"}
	}
	env, err := syscall.SlicePtrFromStrings(os.Environ())
	if err != nil {
		return &complaint{errno: unix.EINVAL, did: "exec"}
	}
	_ = syscall.Exec("", nil, nil) // fails, but puts back the limit of open files, which the runtime raised
	if group >= 0 {
		zero := [...]byte{'0'}
		if _, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(group), uintptr(unsafe.Pointer(&zero)), 1); errno != 0 {
			return &complaint{errno: errno, did: "entering the control group"}
		}
	}
	for _, l := range o.limits {
		if errno := l.lower(); errno != 0 {
			return &complaint{errno: errno, did: "prlimit"}
		}
	}
	_, _, errno := unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(file)), uintptr(unsafe.Pointer(&args[0])), uintptr(unsafe.Pointer(&env[0])))
	return &complaint{errno: errno, did: "exec"}
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
	if dir := (*os.PathError)(nil); errors.As(err, &dir) {
		c.did = "exec" // as it is without a shim
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
