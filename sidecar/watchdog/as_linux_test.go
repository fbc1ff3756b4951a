package watchdog_test

import (
	"net"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

// as returns a listen function that listens as another user.
func as(uid int) func(path string) (net.Listener, error) {
	return func(path string) (net.Listener, error) {
		f, err := proctest.SocketAs(uid,
			func(fd int) error { return unix.Bind(fd, &unix.SockaddrUnix{Name: path}) },
			func(fd int) error { return unix.Listen(fd, 16) })
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return net.FileListener(f)
	}
}
