package proc

import (
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// peek returns the pid of a child that can be waited for, 0 if there is none. It does not take
// the child's status.
func peek() int {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0 // ECHILD: no children at all
		}
		return siginfoPID(&info)
	}
}

// siginfoPID reads si_pid, the first field of siginfo's union. The union follows three ints and
// is aligned like a pointer.
func siginfoPID(info *unix.Siginfo) int {
	const align = unsafe.Sizeof(uintptr(0))
	const offset = (12 + align - 1) &^ (align - 1)
	return int(*(*int32)(unsafe.Add(unsafe.Pointer(info), offset)))
}

// ourChildren returns the children of all threads of this process.
func ourChildren() []int {
	self := os.Getpid()
	var all []int
	for _, tid := range numericNames("/proc/self/task") {
		pids, _ := childrenOf(self, tid)
		all = append(all, pids...)
	}
	return all
}

// childrenOf returns the children of one thread; ok is false if the kernel was built without
// CONFIG_PROC_CHILDREN.
func childrenOf(pid, tid int) (pids []int, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/task/" + strconv.Itoa(tid) + "/children")
	if err != nil {
		return nil, false
	}
	for _, f := range strings.Fields(string(data)) {
		if n, err := strconv.Atoi(f); err == nil {
			pids = append(pids, n)
		}
	}
	return pids, true
}
