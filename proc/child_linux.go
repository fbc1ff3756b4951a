package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// reap waits for the process. It first waits without taking the status, then takes the status
// under the lock. So no holder of the lock can signal a pid that now belongs to another
// process.
func (c *Child) reap() (*os.ProcessState, error) {
	if !polledEnd(c.pid) {
		hasEnded(c.pid, 0)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	state, err := c.process.Wait()
	c.reaped, c.reapedAt = true, clock()
	c.orphaned = unix.Kill(-c.pid, 0) != unix.ESRCH
	return state, err
}

// polledEnd waits in the runtime's poller until a child has ended, because a wait in the kernel
// would occupy one thread for each child. It reports false if that is impossible: before Linux
// 5.10, or under a seccomp filter.
func polledEnd(pid int) bool {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return false
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close() // only watched
	raw, err := f.SyscallConn()
	return err == nil && raw.Read(func(uintptr) bool { return hasEnded(pid, unix.WNOHANG) }) == nil
}

// hasEnded reports whether a child has ended, without taking its status. Without WNOHANG it
// waits until the child has ended. An error appears again when the status is taken.
func hasEnded(pid, how int) bool {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT|how, nil)
		if err != unix.EINTR {
			return err != nil || siginfoPID(&info) != 0
		}
	}
}

// enter starts the process, in its control group if it has one.
func (c *Child) enter(path string, argv []string, attr *os.ProcAttr) (*os.Process, error) {
	if c.cgroup == nil {
		return os.StartProcess(path, argv, attr)
	}
	p, err := c.cgroup.start(path, argv, *attr)
	if err == nil {
		c.grouped = true
		return p, nil
	}
	c.host.cgroups.give(c.cgroup)
	c.cgroup = nil
	return os.StartProcess(path, argv, attr) // if this fails too, the group is not the cause
}

// tagging returns how the process gets its tag.
func (c *Child) tagging() tagging {
	switch {
	case !c.host.reaps:
		return untagged
	case c.user.credential() != nil:
		return tagBefore
	}
	return tagAfter
}

// joinCgroup makes the control group of a child with a terminal. A child with pipes gets none:
// it lives as long as one message, a group would add a tenth to that time, and it has its tag.
func (c *Child) joinCgroup() {
	if c.terminal {
		c.cgroup = c.host.cgroups.take(c.host.reaper)
	}
}

// leaveCgroup removes the control group if the process and all other processes in it have
// ended.
func (c *Child) leaveCgroup() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cgroup != nil && c.host.cgroups.give(c.cgroup) {
		c.cgroup = nil
	}
}

// killCgroup kills all processes in the control group.
func (c *Child) killCgroup() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cgroup != nil {
		c.cgroup.kill()
	}
}

// cgroupEmpty reports whether there is, or was, a control group and no process is left in it.
func (c *Child) cgroupEmpty() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.grouped && (c.cgroup == nil || !c.cgroup.populated())
}

// leftGroup reports whether the process group still had members when the process was waited
// for.
func (c *Child) leftGroup() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.orphaned
}

// clock returns the time since boot in the unit that /proc/PID/stat uses for the start of a
// process: 1/100 s on every architecture that Go supports.
func clock() uint64 {
	var t unix.Timespec
	// It cannot fail; if it did, 0 would only make us more careful.
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &t)
	return uint64(t.Nano() / 10_000_000)
}

// capacity returns how many bytes the pipe can hold.
func capacity(pipe *os.File) int {
	size := pipeSize
	_ = Control(pipe, func(fd int) error {
		n, err := unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0)
		if err == nil {
			size = n
		}
		return err
	})
	return size
}
