package sandbox

import (
	"fmt"
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
