package channel

import "net"

// peerUID returns the user of the process at the other end, as the kernel
// knows it.
func peerUID(nc *net.UnixConn) (uid int, err error) {
	raw, err := nc.SyscallConn()
	if err != nil {
		return -1, err
	}
	uid = -1
	var failed error
	err = raw.Control(func(fd uintptr) { uid, failed = socketUID(int(fd)) })
	if err != nil {
		return -1, err
	}
	return uid, failed
}
