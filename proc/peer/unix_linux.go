package peer

import "golang.org/x/sys/unix"

// socketPeer asks with SO_PEERCRED.
func socketPeer(fd int) (pid, uid int, err error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, -1, err
	}
	return int(c.Pid), int(c.Uid), nil
}
