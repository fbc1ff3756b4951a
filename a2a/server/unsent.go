package server

import (
	"crypto/tls"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxUnsent is how many bytes the kernel accepts beyond what it can send. By default it
// accepts megabytes, and accepts more only after a third of them is gone: a slow but steady
// reader would look as if it had stalled.
const maxUnsent = 512 << 10

// limitUnsent limits how many unsent bytes the kernel accepts for a connection.
func limitUnsent(c net.Conn) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	raw, ok := c.(syscall.Conn)
	if !ok {
		return
	}
	if rc, err := raw.SyscallConn(); err == nil {
		// A connection that is not TCP, or has ended, goes without.
		_ = rc.Control(func(fd uintptr) {
			_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, maxUnsent)
		})
	}
}
