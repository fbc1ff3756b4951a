package waits

import "golang.org/x/sys/unix"

// oldCall is call for the system calls that newer architectures no longer have.
func (t thread) oldCall(c call) (wait, bool) {
	switch c.number {
	case unix.SYS_POLL:
		return t.polls(c, int32(c.args[2]) >= 0), true
	case unix.SYS_SELECT:
		return t.selects(c), true
	case unix.SYS_EPOLL_WAIT:
		return t.watches(c, int32(c.args[3]) >= 0), true
	case unix.SYS_PAUSE:
		return wait{kind: Busy, doing: WaitsSignal, idle: true}, true
	}
	return wait{}, false
}
