package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
)

// group is a control group that counts the processes and threads of one program.
type group struct {
	dir     string
	threads bool // version 1, which a thread can enter alone
}

// groupPrefix begins the name of a group; our pid follows.
const groupPrefix = "sidecar-limit-"

// errNoGroup says that no group can be made.
var errNoGroup = errors.New("no control group that counts processes (pids) can be made here")

// newGroup makes a group for at most n processes. It first removes the groups whose processes
// have ended.
func newGroup(n int) (*group, error) {
	parent, threads := groupParent()
	if parent == "" {
		return nil, errNoGroup
	}
	sweepGroups(parent)
	g := &group{dir: filepath.Join(parent, groupPrefix+strconv.Itoa(os.Getpid())+"-"+rand.Text()[:8]), threads: threads}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoGroup, err)
	}
	if err := os.WriteFile(filepath.Join(g.dir, "pids.max"), []byte(strconv.Itoa(n)), 0); err != nil {
		g.remove()
		return nil, fmt.Errorf("%w: %w", errNoGroup, err)
	}
	return g, nil
}

// groupParent returns the group that we are in, if it can have groups that count processes, and
// reports whether it is of version 1.
func groupParent() (dir string, threads bool) {
	if path, ok := controlPath("pids"); ok {
		const mount = "/sys/fs/cgroup/pids"
		if _, err := os.Stat(filepath.Join(mount, path)); err == nil {
			return filepath.Join(mount, path), true
		}
		return mount, true // a container sees its own group as the root
	}
	path, ok := procfs.Cgroup(0)
	if !ok {
		return "", false
	}
	for _, mount := range procfs.CgroupMounts() {
		dir := filepath.Join(mount, path)
		control := filepath.Join(dir, "cgroup.subtree_control")
		_ = os.WriteFile(control, []byte("+pids"), 0) // the next line tells whether it worked
		on, _ := os.ReadFile(control)
		if slices.Contains(strings.Fields(string(on)), "pids") {
			return dir, false
		}
	}
	return "", false
}

// controlPath returns our group of a controller of version 1.
func controlPath(controller string) (string, bool) {
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) == 3 && slices.Contains(strings.Split(fields[1], ","), controller) {
			return fields[2], true
		}
	}
	return "", false
}

// enter puts the calling thread, and what it starts, into the group. It does nothing in version
// 2, which moves processes only.
func (g *group) enter() error {
	if !g.threads {
		return nil
	}
	return os.WriteFile(filepath.Join(g.dir, "tasks"), []byte(strconv.Itoa(unix.Gettid())), 0)
}

// add puts a process that was just started into the group, and what it has started already.
func (g *group) add(pid int) error {
	if g.threads {
		return nil
	}
	procs := filepath.Join(g.dir, "cgroup.procs")
	if err := os.WriteFile(procs, []byte(strconv.Itoa(pid)), 0); err != nil {
		return err
	}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid)) // mostly there are none
	for child := range strings.FieldsSeq(string(children)) {
		_ = os.WriteFile(procs, []byte(child), 0) // it may have ended
	}
	return nil
}

// remove removes the group, unless something runs in it.
func (g *group) remove() { _ = os.Remove(g.dir) }

// groupAge is how old a group is before it is swept: one that was just made has no process yet.
const groupAge = time.Minute

// sweepGroups removes the groups of ours, and of processes that have ended, in which nothing
// runs. One in which something runs cannot be removed.
func sweepGroups(parent string) {
	dirs, _ := filepath.Glob(filepath.Join(parent, groupPrefix+"*"))
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > groupAge {
			_ = os.Remove(dir)
		}
	}
}

// tasksOf counts the processes and threads of a user.
func tasksOf(uid int) (n int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		var st unix.Stat_t
		if unix.Stat(dir, &st) == nil && int(st.Uid) == uid {
			tasks, _ := os.ReadDir(filepath.Join(dir, "task"))
			n += len(tasks)
		}
	}
	return n
}
