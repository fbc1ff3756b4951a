package proctest

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// SocketAs makes a Unix socket on a thread of its own, which becomes another user between two
// steps and ends then. A nil step is left out. The caller closes the file.
func SocketAs(uid int, before, after func(fd int) error) (*os.File, error) {
	type outcome struct {
		fd  int
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err == nil && before != nil {
			err = before(fd)
		}
		if err == nil {
			if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); errno != 0 {
				err = errno
			} else if after != nil {
				err = after(fd)
			}
		}
		done <- outcome{fd, err}
	}()
	o := <-done
	if o.err != nil {
		return nil, o.err
	}
	return os.NewFile(uintptr(o.fd), "socket"), nil
}
