package server

import (
	"crypto/tls"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxUnsent is how many bytes of ours the kernel takes beyond what it can send.
// By itself it takes megabytes, and takes more only when a third of them is
// gone: a reader that is slow but steady would look as if it had stalled.
const maxUnsent = 512 << 10

// limitUnsent bounds what the kernel takes for a connection.
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
