package tree_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

// A grandchild that ignores SIGTERM, has its own session and no marker is found
// through its parent, which ignores SIGTERM as well.
func TestStopFollowsParents(t *testing.T) {
	c := proctest.Marked(t, proctest.Command(t, "spawn", "sic", "spawn", "sic", "stubborn"))
	c.Grace = 100 * time.Millisecond
	s := proctest.Follow(t, proctest.Start(t, proctest.NewHost(t), c))
	pids := []int{s.PID("leader"), s.PID("leader"), s.PID("pid")}
	s.Child.Stop()
	for _, pid := range pids {
		mustBeGone(t, "a descendant", pid)
	}
}

// A daemon that has taken a session of its own and was orphaned before anybody looked is found,
// even if it has cleared its environment. That of another child is a stranger.
func TestStopFindsADaemon(t *testing.T) {
	for name, how := range map[string]string{"with its environment": "sx", "without": "scx"} {
		t.Run(name, func(t *testing.T) {
			h := proctest.NewHost(t)
			daemon := func() (*proctest.Stream, int) {
				s := proctest.Follow(t, proctest.Start(t, h, proctest.Marked(t, proctest.Command(t, "spawn", how, "stubborn"))))
				pid := s.PID("pid")
				if got := s.End(); !got.Success() {
					t.Fatal(got)
				}
				return s, pid
			}
			stranger, strangerPID := daemon()
			s, pid := daemon()
			if n := s.Child.Background(); n != 1 {
				t.Errorf("Background() = %d, want 1", n)
			}
			if got := s.Child.Stop(); !got.Success() {
				t.Errorf("Stop changed the exit to %v", got)
			}
			mustBeGone(t, "the daemon", pid)
			if n := s.Child.Background(); n != 0 {
				t.Errorf("Background() = %d after Stop", n)
			}
			if !proctest.Alive(strangerPID) {
				t.Error("a stranger was killed")
			}
			stranger.Child.Stop()
			mustBeGone(t, "the other daemon", strangerPID)
		})
	}
}

// Root in a container has neither CAP_SYS_PTRACE nor CAP_SYS_RESOURCE. So it may not read another
// user's environment as itself, nor give a tag to that user's process. Daemons that have lost
// their tag or cleared their environment are found all the same.
func TestStopFindsDaemonsOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to switch users")
	}
	for _, program := range []string{"setpriv", "prlimit"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("it gives capabilities and limits up: ", err)
		}
	}
	const caps = "-sys_ptrace,-sys_admin,-perfmon,-sys_resource"
	for _, daemon := range []string{"setsid prlimit --rttime=unlimited sleep 300", "env -i setsid sleep 300"} {
		out := proctest.RunApart(t, "setpriv", "--bounding-set="+caps, "--inh-caps="+caps, proctest.Self(t), "otheruser", daemon)
		if out != "denied true left 0\n" {
			t.Errorf("%s: %s", daemon, out)
		}
	}
}

// playOtherUser stops a child of another uid that has left a daemon behind.
func playOtherUser(args []string) int {
	h := proc.NewHost(proc.HostOptions{})
	defer h.Close()
	c := proctest.Shell(args[0] + ` >/dev/null 2>&1 & echo $!`)
	c.User, c.Marker = &proc.User{UID: 65532, GID: 65532}, "SIDECAR_CHANNEL_TOKEN=proc-test-other-user"
	c.Env = append(c.Env, c.Marker)
	child, err := h.Start(c)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	out, _, _ := proctest.Output(child)
	pid := strings.TrimSpace(out)
	// Wait until it has left the group and is what it will be.
	proctest.Within(proctest.Patience, func() bool {
		name, _ := os.ReadFile("/proc/" + pid + "/comm")
		return string(name) == "sleep\n"
	})
	_, err = os.ReadFile("/proc/" + pid + "/environ")
	fmt.Printf("denied %v ", os.IsPermission(err))
	child.Stop()
	left := child.Background()
	if n, _ := strconv.Atoi(pid); proctest.Alive(n) {
		left++
	}
	fmt.Println("left", left)
	return 0
}
