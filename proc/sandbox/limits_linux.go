package sandbox

import (
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// errNoShim says what a program that uses this package must do for Limits.
var errNoShim = errors.New("sandbox: limits need a shim: a program whose main function calls sandbox.RunShim if it is named sandbox.ShimName, with its path in Rules.Shim")

// limit is one limit of a process, as the kernel knows it (RLIMIT_...).
type limit struct {
	Which uint32
	Max   uint64
}

// perProcess returns the limits that hold for each process by itself.
func (l Limits) perProcess() (all []limit) {
	for _, one := range []limit{
		{unix.RLIMIT_DATA, uint64(max(l.Memory, 0))},
		{unix.RLIMIT_CPU, uint64((max(l.CPU, 0) + time.Second - 1) / time.Second)},
		{unix.RLIMIT_FSIZE, uint64(max(l.Disk, 0))},
	} {
		if one.Max > 0 {
			all = append(all, one)
		}
	}
	return all
}

// of returns the limits of a user's program, and the group that counts its processes, nil if there
// is none. Where no group can be made, the processes of a user other than root are limited in
// addition to those that the user has now.
func (l Limits) of(user int) ([]limit, *group, error) {
	all := l.perProcess()
	if l.Processes <= 0 {
		return all, nil, nil
	}
	g, err := newGroup(l.Processes)
	if errors.Is(err, errNoGroup) && user != 0 {
		return append(all, limit{unix.RLIMIT_NPROC, uint64(tasksOf(user) + l.Processes)}), nil, nil
	}
	return all, g, err
}

// inside returns the limits of a program in a user namespace of its own. Linux 5.14 counts there
// only the processes of the namespace, an older kernel all that the user has.
func (l Limits) inside() []limit {
	all := l.perProcess()
	switch {
	case l.Processes <= 0:
		return all
	case kernelAtLeast(5, 14):
		return append(all, limit{unix.RLIMIT_NPROC, uint64(l.Processes)})
	}
	return append(all, limit{unix.RLIMIT_NPROC, uint64(tasksOf(os.Geteuid()) + l.Processes)})
}

// lower limits the calling process, unless it is limited to less already. It takes no memory.
func (l limit) lower() unix.Errno {
	var limits [2]unix.Rlimit
	was, now := &limits[0], &limits[1]
	if _, _, errno := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, uintptr(l.Which), 0, uintptr(unsafe.Pointer(was)), 0, 0); errno != 0 {
		return errno
	}
	now.Max = min(l.Max, was.Max)
	now.Cur = min(now.Max, was.Cur)
	_, _, errno := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, uintptr(l.Which), uintptr(unsafe.Pointer(now)), 0, 0, 0)
	return errno
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
	if l.Processes <= 0 || user != 0 {
		return nil
	}
	g, err := newGroup(l.Processes)
	if err != nil {
		return []string{fmt.Sprintf("it can start any number of processes as root: %s", err)}
	}
	g.remove()
	return nil
}
