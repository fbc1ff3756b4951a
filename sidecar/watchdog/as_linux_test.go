package watchdog_test

import (
	"net"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// as returns a listen function that listens as another user, on a thread of its own that
// ends with it.
func as(uid int) func(path string) (net.Listener, error) {
	return func(path string) (net.Listener, error) {
		type outcome struct {
			fd  int
			err error
		}
		done := make(chan outcome, 1)
		go func() {
			runtime.LockOSThread() // and never unlocked
			fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			if err == nil {
				err = unix.Bind(fd, &unix.SockaddrUnix{Name: path})
			}
			if err == nil {
				if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); errno != 0 {
					err = errno
				} else {
					err = unix.Listen(fd, 16)
				}
			}
			done <- outcome{fd, err}
		}()
		o := <-done
		if o.err != nil {
			return nil, o.err
		}
		f := os.NewFile(uintptr(o.fd), path)
		defer f.Close()
		return net.FileListener(f)
	}
}
