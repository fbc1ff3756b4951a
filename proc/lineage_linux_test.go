package proc_test

import (
	"os"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
)

// parentOf is the parent of a process, "" when it is gone.
func parentOf(pid int) string {
	status, _ := os.ReadFile("/proc/" + itoa(pid) + "/status")
	_, rest, _ := strings.Cut(string(status), "\nPPid:\t")
	parent, _, _ := strings.Cut(rest, "\n")
	return parent
}

func TestRaised(t *testing.T) {
	h := newHost(t)
	c := marked(t, shell(`sleep 60 & echo kid $!
		(setsid sleep 60 >/dev/null 2>&1 & echo orphan $!)
		(env -i setsid sleep 60 >/dev/null 2>&1 & echo bare $!)
		wait`))
	s := follow(t, start(t, h, c))
	kid, orphan, bare := s.pid("kid"), s.pid("orphan"), s.pid("bare")
	forged := shell(`echo kid $$; exec sleep 60`)
	forged.Env = append(forged.Env, c.Marker)
	other := follow(t, start(t, h, forged))
	otherPID := other.pid("kid")
	for _, pid := range []int{orphan, bare} {
		eventually(t, "the orphan comes to us", func() bool { return parentOf(pid) == itoa(os.Getpid()) })
		eventually(t, "the orphan has its last environment", func() bool {
			name, _ := os.ReadFile("/proc/" + itoa(pid) + "/comm")
			return string(name) == "sleep\n"
		})
	}
	for what, c := range map[string]struct {
		pid  int
		want bool
	}{
		"itself": {s.child.PID(), true}, "a child": {kid, true}, "an orphan with the marker": {orphan, true},
		"an orphan without it": {bare, false}, "another's process with it": {otherPID, false},
		"this process": {os.Getpid(), false}, "the one above": {os.Getppid(), false}, "nobody": {1 << 30, false},
	} {
		l := proc.LineageOf(c.pid)
		if got := s.child.Raised(l); got != c.want || l.PID() != c.pid {
			t.Errorf("%s (%d): %v", what, c.pid, got)
		}
	}
	if top := proc.LineageOf(kid).Top(); top != s.child.PID() {
		t.Errorf("the top of a child is %d, not %d", top, s.child.PID())
	}
	if top := proc.LineageOf(orphan).Top(); top != 0 {
		t.Errorf("the top of an orphan is %d", top)
	}
	p, _ := os.FindProcess(bare)
	_ = p.Kill()
	s.child.Kill()
	other.child.Kill()
}
