package tree_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/tree"
)

// parentOf is the parent of a process, "" when it is gone.
func parentOf(pid int) string {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, rest, _ := strings.Cut(string(status), "\nPPid:\t")
	parent, _, _ := strings.Cut(rest, "\n")
	return parent
}

// outsider starts a process with an entry in its environment that is no descendant of
// ours, and returns its number, 0 where whoever we descend from gives it back to us.
func outsider(t *testing.T, entry string) (pid int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $!")
	cmd.Env = append(os.Environ(), entry)
	out, err := cmd.Output()
	if err == nil {
		pid, err = strconv.Atoi(strings.TrimSpace(string(out)))
	}
	if err != nil {
		t.Fatal(err)
	}
	p, _ := os.FindProcess(pid)
	t.Cleanup(func() { _ = p.Kill() })
	proctest.Eventually(t, "the outsider has a new parent", func() bool { return parentOf(pid) != "" && parentOf(pid) != strconv.Itoa(cmd.Process.Pid) })
	if parentOf(pid) == strconv.Itoa(os.Getpid()) {
		return 0
	}
	return pid
}

func TestOwns(t *testing.T) {
	const entry = "SIDECAR_CHANNEL_TOKEN=outsider"
	outside := outsider(t, entry)
	h := proctest.NewHost(t)
	c := proctest.Marked(t, proctest.Shell(`sleep 60 & echo kid $!
		(setsid sleep 60 >/dev/null 2>&1 & echo orphan $!)
		(env -i setsid sleep 60 >/dev/null 2>&1 & echo bare $!)
		wait`))
	s := proctest.Follow(t, proctest.Start(t, h, c))
	kid, orphan, bare := s.PID("kid"), s.PID("orphan"), s.PID("bare")
	forged := proctest.Shell(`echo kid $$; exec sleep 60`)
	forged.Env = append(forged.Env, c.Marker)
	other := proctest.Follow(t, proctest.Start(t, h, forged))
	otherPID := other.PID("kid")
	for _, pid := range []int{orphan, bare} {
		proctest.Eventually(t, "the orphan comes to us", func() bool { return parentOf(pid) == strconv.Itoa(os.Getpid()) })
		proctest.Eventually(t, "the orphan has its last environment", func() bool {
			name, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
			return string(name) == "sleep\n"
		})
	}
	for what, c := range map[string]struct {
		pid  int
		want bool
	}{
		"itself": {s.Child.PID(), true}, "a child": {kid, true}, "an orphan with the marker": {orphan, true},
		"an orphan without it": {bare, false}, "another's process with it": {otherPID, false},
		"this process": {os.Getpid(), false}, "the one above": {os.Getppid(), false}, "nobody": {1 << 30, false},
	} {
		l := tree.LineageOf(c.pid)
		if got := s.Child.Owns(l); got != c.want || l.PID() != c.pid {
			t.Errorf("%s (%d): %v", what, c.pid, got)
		}
	}
	if top := tree.LineageOf(kid).Top(); top != s.Child.PID() {
		t.Errorf("the top of a child is %d, not %d", top, s.Child.PID())
	}
	if top := tree.LineageOf(orphan).Top(); top != 0 {
		t.Errorf("the top of an orphan is %d", top)
	}
	if c := proctest.Marked(t, proctest.Shell("exec sleep 60")); outside != 0 {
		c.Env, c.Marker = append(c.Env, entry), entry
		s := proctest.Follow(t, proctest.Start(t, h, c))
		if s.Child.Owns(tree.LineageOf(outside)) {
			t.Error("a process that is none of ours is the child's, for it has its marker")
		}
		s.Child.Kill()
	}
	p, _ := os.FindProcess(bare)
	_ = p.Kill()
	s.Child.Kill()
	other.Child.Kill()
}
