package channel

import "golang.org/x/sys/unix"

// socketUID asks with SO_PEERCRED.
func socketUID(fd int) (int, error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(c.Uid), nil
}
