package peer

import "golang.org/x/sys/unix"

// socketPeer asks with LOCAL_PEERCRED and LOCAL_PEERPID.
func socketPeer(fd int) (pid, uid int, err error) {
	c, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, -1, err
	}
	pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	return pid, int(c.Uid), err
}
