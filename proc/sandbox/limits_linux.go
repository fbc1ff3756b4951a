package sandbox

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// set limits a process. What the process has started before that keeps its own limits.
func (l Limits) set(pid int) error {
	for _, one := range []struct {
		name  string
		which int
		max   uint64
	}{
		{"memory", unix.RLIMIT_DATA, uint64(max(l.Memory, 0))},
		{"cpu", unix.RLIMIT_CPU, uint64((max(l.CPU, 0) + time.Second - 1) / time.Second)},
		{"disk", unix.RLIMIT_FSIZE, uint64(max(l.Disk, 0))},
	} {
		if one.max == 0 {
			continue
		}
		if err := lower(pid, one.which, one.max); err != nil {
			return fmt.Errorf("sandbox: the limit %s: %w", one.name, err)
		}
	}
	return nil
}

// lower sets both limits of a process to at most n.
func lower(pid, which int, n uint64) error {
	var was unix.Rlimit
	if err := unix.Prlimit(pid, which, nil, &was); err != nil {
		return err
	}
	n = min(n, was.Max)
	return unix.Prlimit(pid, which, &unix.Rlimit{Cur: min(n, was.Cur), Max: n}, nil)
}

// counted returns the group that counts the program's processes, nil if they are not counted or
// if no group can be made. user is the program's user.
func (l Limits) counted(user int) (*group, error) {
	if l.Processes == 0 {
		return nil, nil
	}
	g, err := newGroup(l.Processes)
	if errors.Is(err, errNoGroup) && user != 0 {
		return nil, nil // count sets a limit of the user's
	}
	return g, err
}

// count limits the number of processes by user, in addition to those that the user has now. It
// does not bind root.
func (l Limits) count(pid, user int) error {
	return lower(pid, unix.RLIMIT_NPROC, uint64(tasksOf(user)+l.Processes))
}

// countInside returns the limit of a user's processes for a program in a user namespace of its own,
// 0 for none. Linux 5.14 counts there only those of the namespace, an older kernel all.
func (l Limits) countInside() uint64 {
	switch {
	case l.Processes <= 0:
		return 0
	case kernelAtLeast(5, 14):
		return uint64(l.Processes)
	}
	return uint64(tasksOf(os.Geteuid()) + l.Processes)
}

// kernelAtLeast reports whether the kernel has at least a version.
func kernelAtLeast(major, minor int) bool {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return false
	}
	var a, b int
	_, err := fmt.Sscanf(unix.ByteSliceToString(u.Release[:]), "%d.%d", &a, &b)
	return err == nil && (a > major || a == major && b >= minor)
}

// gaps says which limits cannot be held for a user.
func (l Limits) gaps(user int) []string {
	if l.Processes == 0 || user != 0 {
		return nil
	}
	g, err := newGroup(l.Processes)
	if err != nil {
		return []string{fmt.Sprintf("it can start any number of processes as root: %s", err)}
	}
	g.remove()
	return nil
}
