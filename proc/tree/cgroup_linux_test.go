package tree_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

// A child with a terminal has a control group of its own where one can be made, all in it end with
// the child's stop or with the host, and none is left.
func TestControlGroups(t *testing.T) {
	h := proc.NewHost(proc.HostOptions{})
	defer h.Close()
	c := proctest.Command(t, "spawn", "scx", "stubborn")
	groupOf := func(pid int) string {
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
		_, path, _ := strings.Cut("\n"+string(data), "\n0::")
		return strings.TrimSpace(path)
	}
	inTerminal := func(c proc.Command) *proctest.Stream {
		return proctest.FollowTerminal(t, proctest.StartTerminal(t, h, c))
	}
	stopped, left := inTerminal(c), inTerminal(c)
	pids := []int{stopped.PID("pid"), left.PID("pid")}
	one, other := groupOf(pids[0]), groupOf(pids[1])
	if own := groupOf(os.Getpid()); one == own {
		if os.Getuid() == 0 && own != "/" || !canMakeGroup(own) {
			t.Skip("no control groups can be made here")
		}
		t.Fatalf("they are in our own group %s", own)
	}
	if one == other {
		t.Errorf("both are in %s", one)
	}
	stopped.End()
	left.End()
	stopped.Child.Stop()
	mustBeGone(t, "what a stopped child left", pids[0])
	if !proctest.Alive(pids[1]) {
		t.Error("another child's process was killed")
	}
	for range 3 { // which use it again
		inTerminal(proctest.Command(t, "exit", "0")).End()
	}
	h.Close()
	proctest.Eventually(t, "what a child left to end with the host", func() bool { return !proctest.Alive(pids[1]) })
	for _, mount := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		if _, err := os.Stat(filepath.Dir(mount + one)); err == nil {
			t.Errorf("%s is left", filepath.Dir(mount+one))
		}
	}
}

// canMakeGroup reports whether a group that can be killed can be made in another.
func canMakeGroup(in string) bool {
	for _, mount := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		dir := filepath.Join(mount, in, fmt.Sprint("proc-test-", os.Getpid()))
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		_, err := os.Stat(filepath.Join(dir, "cgroup.kill"))
		os.Remove(dir)
		if err == nil { // else it may be a plain directory, where version 1 has the place
			return true
		}
	}
	return false
}
