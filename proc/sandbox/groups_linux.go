package sandbox

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// groups are the control groups of the processes that were started.
type groups struct {
	mu sync.Mutex
	of map[*os.Process]*group
}

// add notes the group of a process, which may be nil. Its descriptor is of no more use.
func (s *groups) add(p *os.Process, g *group) {
	if g == nil {
		return
	}
	_ = g.procs.Close()
	s.tidy()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[*os.Process]*group{}
	}
	s.of[p] = g
}

// tidy forgets the groups in which something still ran when Ended was called last, and nothing does
// now.
func (s *groups) tidy() {
	s.mu.Lock()
	all := slices.Collect(maps.Keys(s.of))
	s.mu.Unlock()
	for _, p := range all {
		s.ended(p)
	}
}

// ended removes and forgets the group of a process, unless something runs in it.
func (s *groups) ended(p *os.Process) {
	s.mu.Lock()
	g := s.of[p]
	s.mu.Unlock()
	if g == nil || !g.remove() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of, p)
}

// Ended removes what was made for a process that Start returned and that has been waited for: its
// control group. While anything that the process started is left there, Ended does nothing and may be
// called again; else the next start under the same rules removes the group. One that stays after that
// is removed by [SweepGroups] of a later process, or by a start that is a minute later.
func (s *Sandbox) Ended(p *os.Process) { s.groups.ended(p) }

// groupPrefix begins the name of a group.
const groupPrefix = "sidecar-limit-"

// groupName returns the name of a group: the pid of the process that made it, the pid namespace in
// which it has this pid, and what no other group has.
func groupName(pid int, namespace uint64, unique string) string {
	return fmt.Sprintf("%s%d-%d-%s", groupPrefix, pid, namespace, unique)
}

// groupAge is how old a group is before it is swept if nobody knows whether its maker lives: one that
// was just made has no process yet.
const groupAge = time.Minute

// SweepGroups removes the control groups that processes left that used this package and were killed.
// It spares groups in which something runs. It is for the start of a program.
func SweepGroups() {
	if parent, _, err := groupParent(); err == nil {
		sweepGroups(parent, pidNamespace())
	}
}

// sweepGroups removes the empty groups in a directory whose maker was in our pid namespace and is
// gone, or that are old. The kernel does not remove one in which something runs.
func sweepGroups(parent string, namespace uint64) {
	dirs, _ := filepath.Glob(filepath.Join(parent, groupPrefix+"*"))
	for _, dir := range dirs {
		if orphaned(filepath.Base(dir), namespace) || old(dir) {
			_ = os.Remove(dir)
		}
	}
}

func old(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && time.Since(info.ModTime()) > groupAge
}

// orphaned reports whether the maker of a group is known to be gone.
func orphaned(name string, namespace uint64) bool {
	fields := strings.Split(strings.TrimPrefix(name, groupPrefix), "-")
	if len(fields) != 3 || namespace == 0 || fields[1] != strconv.FormatUint(namespace, 10) {
		return false
	}
	pid, err := strconv.Atoi(fields[0])
	return err == nil && pid > 0 && unix.Kill(pid, 0) == unix.ESRCH
}

// pidNamespace returns the number of our pid namespace, 0 if it is not known.
func pidNamespace() uint64 {
	var st unix.Stat_t
	if unix.Stat("/proc/self/ns/pid", &st) != nil {
		return 0
	}
	return st.Ino
}
