package peer

import "net"

// Unix returns the process and the user at the other end of a Unix socket, as the kernel
// noted them when the connection was made: of a connection that was accepted, those that
// connected; of one that was dialed, those that listen. They stay the same if another
// process has the socket now. After an error uid is -1.
func Unix(c *net.UnixConn) (pid, uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, -1, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { pid, uid, failed = socketPeer(int(fd)) })
	if err == nil {
		err = failed
	}
	if err != nil {
		return 0, -1, err
	}
	return pid, uid, nil
}
