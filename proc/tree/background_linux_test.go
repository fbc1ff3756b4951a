package tree_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

// A turn that ends normally leaves background processes alone and counts them.
func TestBackgroundIsCountedNotKilled(t *testing.T) {
	h := proctest.NewHost(t)
	_, _, _ = proctest.Output(proctest.Start(t, h, proctest.Command(t, "exit", "0")))
	s := proctest.Follow(t, proctest.Start(t, h, proctest.Shell(`sleep 300 >/dev/null 2>&1 & echo pid $!; setsid sleep 300 >/dev/null 2>&1 & echo pid $!`)))
	pids := []int{s.PID("pid"), s.PID("pid")}
	s.End()
	if n := s.Child.Background(); n < 1 {
		t.Errorf("Background() = %d", n)
	}
	for _, pid := range pids {
		if !proctest.Alive(pid) {
			t.Error("a background process was killed")
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	proctest.Eventually(t, "the background to end", func() bool { return s.Child.Background() == 0 })
}

// playCloses is a host that closes while what its children left is running.
func playCloses([]string) int {
	h := proc.NewHost(proc.HostOptions{})
	exe, _ := os.Executable()
	bystander := exec.Command("sleep", "300") // started by other means: nobody's business
	if err := bystander.Start(); err != nil {
		return 1
	}
	for _, argv := range [][]string{{"spawn", "scx", "stubborn"}, {"spawn", "scx", "spawn", "sci", "stubborn"}} {
		c := proc.Command{Argv: append([]string{exe}, argv...), Env: append(os.Environ(), "SIDECAR_CHANNEL_TOKEN=closes")}
		child, err := h.Start(c)
		if err != nil {
			return 1
		}
		child.Output(func(b []byte) { os.Stdout.Write(b) }, nil)
	}
	h.Close()
	if proctest.Alive(bystander.Process.Pid) {
		fmt.Println("bystander lives")
	}
	_ = bystander.Process.Kill()
	fmt.Println("closed")
	return 0
}

// What children have left in the background ends with the host.
func TestCloseEndsWhatIsLeft(t *testing.T) {
	c := proctest.Command(t, "closes")
	cmd := finite(t, c.Argv...)
	cmd.Env = c.Env
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "bystander lives\nclosed\n") {
		t.Errorf("%v: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		var pid int
		if n, _ := fmt.Sscanf(line, "pid %d", &pid); n == 1 {
			mustBeGone(t, "a daemon", pid)
		}
		if n, _ := fmt.Sscanf(line, "leader %d", &pid); n == 1 {
			mustBeGone(t, "a daemon's parent", pid)
		}
	}
}
