package tree

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
	"github.com/a2a-sidecar/sidecar/proc/reaper"
)

// cgroups gives each tree with a terminal its own control group (version 2), where one can be
// made. A descendant cannot leave the group unseen, and one write kills all that is in it. In
// most containers no group can be made, and a finder must find the processes instead. A group
// is never used twice, because some kernels kill a process that is started in a group that was
// killed before.
type cgroups struct {
	open sync.Once
	dir  string // the directory of this Starter, "" if there is none
	made atomic.Int64

	mu   sync.Mutex
	used []*cgroup // in use by a tree, even if its own process has ended
}

// cgroup is the group of one tree.
type cgroup struct{ path string }

// take returns a new group, nil if none can be made.
func (g *cgroups) take() *cgroup {
	g.open.Do(func() { g.dir = makeCgroups() })
	if g.dir == "" {
		return nil
	}
	c := &cgroup{path: filepath.Join(g.dir, strconv.FormatInt(g.made.Add(1), 10))}
	if os.Mkdir(c.path, 0o755) != nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used = append(g.used, c)
	return c
}

// give removes a group and reports whether it was empty. A group in which something
// still runs stays with its tree.
func (g *cgroups) give(c *cgroup) bool {
	if os.Remove(c.path) != nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used = slices.DeleteFunc(g.used, func(x *cgroup) bool { return x == c })
	return true
}

// close kills what is left in the groups and removes all groups.
func (g *cgroups) close() {
	g.open.Do(func() {}) // there will be none
	if g.dir == "" {
		return
	}
	g.mu.Lock()
	left := g.used
	g.used = nil
	g.mu.Unlock()
	for _, c := range left {
		c.kill()
	}
	deadline := time.Now().Add(dieWait)
	for _, c := range left {
		for pause := pollMin; c.populated() && time.Now().Before(deadline); pause = min(2*pause, pollMax) {
			<-time.After(pause)
		}
		_ = os.Remove(c.path) // what cannot be killed keeps it
	}
	_ = os.Remove(g.dir)
}

// start starts a process in the group.
func (c *cgroup) start(path string, argv []string, attr os.ProcAttr) (*os.Process, error) {
	dir, err := os.Open(c.path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	sys := *attr.Sys
	sys.UseCgroupFD, sys.CgroupFD = true, int(dir.Fd())
	attr.Sys = &sys
	return os.StartProcess(path, argv, &attr)
}

// kill kills all processes in the group at once.
func (c *cgroup) kill() {
	_ = os.WriteFile(filepath.Join(c.path, "cgroup.kill"), []byte("1"), 0) // one that has gone is empty
}

// populated reports whether any process lives in the group.
func (c *cgroup) populated() bool {
	events, err := os.ReadFile(filepath.Join(c.path, "cgroup.events"))
	return err == nil && bytes.Contains(events, []byte("populated 1"))
}

// cgroupPrefix begins the name of a Starter's directory; our pid follows.
const cgroupPrefix = "sidecar-"

// makeCgroups makes the directory of a Starter in our own group. It returns "" if the directory
// cannot be made, if making it is somebody else's task, or if the kernel lacks what we need.
func makeCgroups() string {
	own := procfs.OwnCgroup()
	if own == "" {
		return ""
	}
	sweepCgroups(own)
	dir := filepath.Join(own, cgroupPrefix+strconv.Itoa(os.Getpid())+"-"+rand.Text()[:8])
	if os.Mkdir(dir, 0o755) != nil {
		return ""
	}
	if !(&cgroup{dir}).works() {
		_ = os.Remove(dir)
		return ""
	}
	return dir
}

// works reports whether the kernel can kill by group (5.14), can start a process in a group
// (5.7, and a seccomp filter that allows it), and does not kill the process that it starts
// there. The test is to start a program that does not exist: the error must say exactly that.
func (c *cgroup) works() bool {
	if _, err := os.Stat(filepath.Join(c.path, "cgroup.kill")); err != nil {
		return false
	}
	nothing := filepath.Join(c.path, "nothing")
	var process *os.Process
	release, err := reaper.Register(func() (pid int, err error) {
		if process, err = c.start(nothing, []string{nothing}, os.ProcAttr{Env: []string{}, Sys: &syscall.SysProcAttr{}}); err != nil {
			return 0, err
		}
		return process.Pid, nil
	})
	if err == nil {
		_, _ = process.Wait()
		release()
	}
	return errors.Is(err, syscall.ENOENT)
}

// sweepCgroups removes the groups left by sidecars that were killed. A group with a process in
// it cannot be removed.
func sweepCgroups(own string) {
	dirs, _ := os.ReadDir(own) // what was read is what there is
	for _, d := range dirs {
		dir := filepath.Join(own, d.Name())
		rest, ok := strings.CutPrefix(d.Name(), cgroupPrefix)
		text, _, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(text)
		if !ok || err != nil || pid <= 0 || unix.Kill(pid, 0) != unix.ESRCH {
			continue
		}
		groups, _ := os.ReadDir(dir)
		for _, group := range groups {
			if _, err := strconv.Atoi(group.Name()); err == nil {
				_ = os.Remove(filepath.Join(dir, group.Name()))
			}
		}
		_ = os.Remove(dir)
	}
}
