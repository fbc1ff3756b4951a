package tty

import (
	"context"
	"os"

	"github.com/a2a-sidecar/sidecar/proc"
	"golang.org/x/sys/unix"
)

// AwaitInput waits until a terminal's open file has something to read or is at its end. The
// error is the cause of ctx, or the system's.
func AwaitInput(ctx context.Context, f *os.File) error {
	wake, end, err := os.Pipe()
	if err != nil {
		return err
	}
	defer wake.Close()
	defer end.Close()
	defer context.AfterFunc(ctx, func() { _, _ = end.Write([]byte{0}) })()
	return proc.Control(wake, func(woken int) error {
		return proc.Control(f, func(fd int) error {
			fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(woken), Events: unix.POLLIN}}
			for {
				switch _, err := unix.Poll(fds, -1); {
				case err == unix.EINTR:
				case err != nil:
					return os.NewSyscallError("poll", err)
				case fds[1].Revents != 0:
					return context.Cause(ctx)
				default:
					return nil
				}
			}
		})
	})
}
