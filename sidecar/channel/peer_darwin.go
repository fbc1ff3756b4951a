package channel

import "golang.org/x/sys/unix"

// socketUID asks with LOCAL_PEERCRED.
func socketUID(fd int) (int, error) {
	c, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(c.Uid), nil
}
