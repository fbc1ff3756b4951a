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

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
)

// group is a control group that counts the processes and threads of one program.
type group struct {
	dir string
	// procs is open to write: what writes 0 to it enters the group, with all its threads, whatever
	// its user is by then.
	procs *os.File
}

// errNoGroup says that no group can be made.
var errNoGroup = errors.New("no control group that counts processes (pids) can be made here")

// newGroup makes a group for at most n processes and threads. It first removes the groups whose
// processes have ended.
func newGroup(n int) (*group, error) {
	parent, version, err := groupParent()
	if err == nil && version == 2 {
		err = countIn(parent)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoGroup, err)
	}
	sweepGroups(parent, pidNamespace())
	return newGroupIn(parent, n)
}

func newGroupIn(parent string, n int) (*group, error) {
	g := &group{dir: filepath.Join(parent, groupName(os.Getpid(), pidNamespace(), rand.Text()[:8]))}
	err := os.Mkdir(g.dir, 0o755)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoGroup, err)
	}
	if err = g.makeThreaded(); err == nil {
		err = os.WriteFile(g.file("pids.max"), []byte(strconv.Itoa(n)), 0)
	}
	if err == nil {
		g.procs, err = os.OpenFile(g.file("cgroup.procs"), os.O_WRONLY, 0)
	}
	if err != nil {
		g.remove()
		return nil, fmt.Errorf("%w: %w", errNoGroup, err)
	}
	return g, nil
}

func (g *group) file(name string) string { return filepath.Join(g.dir, name) }

// makeThreaded makes a new group one that processes can enter. In version 2, a group that has both
// processes of its own, as ours has, and groups that count is the root of threaded groups, and a new
// group in it is of no use until it is one.
func (g *group) makeThreaded() error {
	kind, err := os.ReadFile(g.file("cgroup.type"))
	if err != nil || strings.TrimSpace(string(kind)) != "domain invalid" {
		return nil // version 1, a kernel before 4.14, or in the root, which may have both
	}
	return os.WriteFile(g.file("cgroup.type"), []byte("threaded"), 0)
}

// files returns the descriptors that the shim needs of g, which may be nil.
func (g *group) files() []*os.File {
	if g == nil {
		return nil
	}
	return []*os.File{g.procs}
}

// remove removes the group, which may be nil, and reports whether it is gone: nothing runs in it.
func (g *group) remove() bool {
	if g == nil {
		return true
	}
	if g.procs != nil {
		_ = g.procs.Close() // again, if it was tried before
	}
	err := os.Remove(g.dir)
	return err == nil || errors.Is(err, os.ErrNotExist)
}

// groupParent returns the directory in which groups that count processes are made, and its version.
// The error says why there is none.
func groupParent() (dir string, version int, err error) {
	self, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", 0, err
	}
	if path, ok := controlPath(self, "pids"); ok {
		return version1(path), 1, nil
	}
	if own := procfs.OwnCgroup(); own != "" {
		return own, 2, nil
	}
	return "", 0, errors.New("there is no control group for us to divide")
}

// version1 returns the directory of a group of version 1.
func version1(path string) string {
	const mount = "/sys/fs/cgroup/pids"
	if dir := filepath.Join(mount, path); unix.Access(dir, unix.F_OK) == nil {
		return dir
	}
	return mount // a container sees its own group as the root
}

// controlPath returns our group of a controller of version 1.
func controlPath(self []byte, controller string) (string, bool) {
	for line := range strings.Lines(string(self)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) == 3 && slices.Contains(strings.Split(fields[1], ","), controller) {
			return fields[2], true
		}
	}
	return "", false
}

// countIn has the groups in a group of version 2 count their processes. The kernel lets a group that
// has processes of its own do that for this controller, unless it has groups with processes that are
// not threaded.
func countIn(dir string) error {
	control := filepath.Join(dir, "cgroup.subtree_control")
	on, err := os.ReadFile(control)
	if err != nil {
		return err
	}
	if slices.Contains(strings.Fields(string(on)), "pids") {
		return nil
	}
	has, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		return err
	}
	if !slices.Contains(strings.Fields(string(has)), "pids") {
		return fmt.Errorf("%s has no pids controller", dir)
	}
	return os.WriteFile(control, []byte("+pids"), 0)
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
