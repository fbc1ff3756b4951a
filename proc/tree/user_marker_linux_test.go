package tree_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

// Root in a container has no CAP_SYS_PTRACE, and so may not read another
// user's environment as itself.
func TestMarkerOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to switch users")
	}
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Skip("needs setpriv to give capabilities up")
	}
	const caps = "-sys_ptrace,-sys_admin,-perfmon"
	out := proctest.RunApart(t, "setpriv", "--bounding-set="+caps, "--inh-caps="+caps, proctest.Self(t), "otheruser")
	if out != "denied true background 1 left 0\n" {
		t.Error(out)
	}
}

// playOtherUser stops a child of another uid that has left a daemon behind.
func playOtherUser([]string) int {
	h := proc.NewHost(proc.HostOptions{})
	defer h.Close()
	c := proctest.Shell(`setsid sleep 300 >/dev/null 2>&1 & echo $!`)
	c.User, c.Marker = &proc.User{UID: 65532, GID: 65532}, "SIDECAR_CHANNEL_TOKEN=proc-test-other-user"
	c.Env = append(c.Env, c.Marker)
	child, err := h.Start(c)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	out, _, _ := proctest.Output(child)
	pid := strings.TrimSpace(out)
	// Wait until it has left the group.
	n, _ := strconv.Atoi(pid)
	proctest.Within(proctest.Patience, func() bool { sid, _ := unix.Getsid(n); return sid == n })
	_, err = os.ReadFile("/proc/" + pid + "/environ")
	fmt.Printf("denied %v background %d ", os.IsPermission(err), child.Background())
	child.Stop()
	fmt.Println("left", len(proctest.WithEntry(c.Marker))+child.Background())
	return 0
}
