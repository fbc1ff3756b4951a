package waits

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// call is a system call in which a thread waits.
type call struct {
	number uint64
	args   [6]uint64
}

// callState is what a line of /proc/PID/syscall says.
type callState int

const (
	callWaits   callState = iota // the thread waits in a call
	callRuns                     // the thread runs
	callNone                     // the thread waits, but not in a call
	callUnknown                  // the line cannot be read
)

// parseCall reads a line of /proc/PID/syscall.
func parseCall(line []byte) (c call, state callState) {
	fields := bytes.Fields(line)
	switch {
	case len(fields) == 1 && string(fields[0]) == "running":
		return c, callRuns
	case len(fields) == 3 && string(fields[0]) == "-1":
		return c, callNone
	case len(fields) < 7:
		return c, callUnknown
	}
	var err error
	if c.number, err = strconv.ParseUint(string(fields[0]), 10, 64); err != nil {
		return c, callUnknown
	}
	for i := range c.args {
		if c.args[i], err = strconv.ParseUint(string(bytes.TrimPrefix(fields[1+i], []byte("0x"))), 16, 64); err != nil {
			return c, callUnknown
		}
	}
	return c, callWaits
}

// call returns what a thread does that waits in a system call. It reports whether the call is known
// as one that waits.
func (t thread) call(c call) (w wait, known bool) {
	switch c.number {
	case unix.SYS_READ, unix.SYS_READV, unix.SYS_PREAD64:
		fd := descriptor(c.args[0])
		link := t.link(fd)
		if t.isLink(fd, link) {
			return wait{kind: Reads}, true
		}
		return wait{kind: Busy, doing: Waits, fed: strings.HasPrefix(link, "pipe:")}, false
	case unix.SYS_PPOLL:
		return t.polls(c, c.args[2] != 0), true
	case unix.SYS_PSELECT6:
		return t.selects(c), true
	case unix.SYS_EPOLL_PWAIT:
		return t.watches(c, int32(c.args[3]) >= 0), true
	case unix.SYS_EPOLL_PWAIT2:
		return t.watches(c, c.args[3] != 0), true
	case unix.SYS_IO_URING_ENTER:
		return wait{kind: Watches}, true // the kernel does not tell what is in its ring
	}
	if w, ok := t.oldCall(c); ok {
		return w, true
	}
	doing, known := doings[c.number]
	w = wait{kind: Busy, doing: doing}
	switch c.number {
	case unix.SYS_FUTEX:
		w.idle = c.args[3] == 0 // there is no timeout
	case unix.SYS_RT_SIGTIMEDWAIT:
		w.idle = c.args[2] == 0
	case unix.SYS_RT_SIGSUSPEND:
		w.idle = true
	}
	return w, known
}

// doings tells what a thread does in the calls that wait for something other than descriptors.
var doings = map[uint64]Doing{
	unix.SYS_NANOSLEEP:       Sleeps,
	unix.SYS_CLOCK_NANOSLEEP: Sleeps,
	unix.SYS_WAIT4:           WaitsChild,
	unix.SYS_WAITID:          WaitsChild,
	unix.SYS_FUTEX:           WaitsThread,
	unix.SYS_RT_SIGSUSPEND:   WaitsSignal,
	unix.SYS_RT_SIGTIMEDWAIT: WaitsSignal,
	unix.SYS_WRITE:           Writes,
	unix.SYS_WRITEV:          Writes,
}
