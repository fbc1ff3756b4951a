package procfs

import (
	"os"
	"strconv"
	"strings"
)

// OwnChildren returns the children of all threads of this process.
func OwnChildren() []int {
	self := os.Getpid()
	var all []int
	for _, tid := range numbers("/proc/self/task") {
		pids, _ := Children(self, tid)
		all = append(all, pids...)
	}
	return all
}

// Children returns the children of one thread; ok is false if the kernel was built without
// CONFIG_PROC_CHILDREN.
func Children(pid, tid int) (pids []int, ok bool) {
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
