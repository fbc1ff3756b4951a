package reaper_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

// playReaper is a program with its own host. It starts args[1] children whose
// status it knows, each leaving an orphan behind, and children that cannot
// start, eight at a time, and says what came of them. args[0] is "on" or "off"
// for the reaper.
func playReaper(args []string) int {
	n, _ := strconv.Atoi(args[1])
	off := args[0] == "off"
	if off {
		// Orphans shall come all the same, to show that they do.
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	}
	h := proc.NewHost(proc.HostOptions{NoReaper: off})
	wrong := startMany(h, n)
	proctest.Within(proctest.Patience, func() bool { return countChildren("Z") == countChildren("") })
	if !off {
		proctest.Within(proctest.Patience, func() bool { return countChildren("") == 0 })
	}
	zombies := countChildren("Z")
	h.Close()
	fmt.Printf("pid1 %v wrong %d zombies %d\n", os.Getpid() == 1, wrong, zombies)
	return 0
}

func startMany(h *proc.Host, n int) (wrong int) {
	var mu sync.Mutex
	var all sync.WaitGroup
	slots := make(chan struct{}, 8)
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			want := i % 256
			got, ok := startOne(h, want)
			if !ok || got.Status() != want || !startNothing(h) {
				mu.Lock()
				wrong++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return wrong
}

// startOne forks twice: the inner sleep's parent is gone before it ends.
func startOne(h *proc.Host, code int) (proc.Exit, bool) {
	script := fmt.Sprintf("(sleep 0.0%d; exit 7) >&- 2>&- & exit %d", code%10, code)
	child, err := h.Start(proctest.Shell(script))
	if err != nil {
		return proc.Exit{}, false
	}
	return child.Output(nil, nil), true
}

func startNothing(h *proc.Host) bool {
	_, err := h.Start(proc.Command{Argv: []string{"/bin/sh"}, Dir: "/no/such/dir"})
	var e *proc.StartError
	return errors.As(err, &e) && e.ExitCode() == 126
}

// countChildren counts children of this process in a state, "" for all.
func countChildren(state string) (n int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		line, _ := os.ReadFile(f)
		_, rest, _ := strings.Cut(string(line), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) && (state == "" || fields[0] == state) {
			n++
		}
	}
	return n
}

func TestReaperLosesNoStatusAndLeavesNoZombie(t *testing.T) {
	out := proctest.RunApart(t, proctest.Self(t), "reaper", "on", "300")
	if out != "pid1 false wrong 0 zombies 0\n" {
		t.Error(out)
	}
}

// Without the reaper the same program must show zombies, or the test above
// shows nothing.
func TestOrphansDoCome(t *testing.T) {
	out := proctest.RunApart(t, proctest.Self(t), "reaper", "off", "30")
	if !strings.HasPrefix(out, "pid1 false wrong 0 zombies ") || strings.HasSuffix(out, " 0\n") {
		t.Error(out)
	}
}

func TestReaperAsPID1(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root for a PID namespace")
	}
	if out, err := exec.Command("unshare", "--fork", "--pid", "--mount-proc", "true").CombinedOutput(); err != nil {
		t.Skipf("unshare --pid does not work here: %v %s", err, out)
	}
	out := proctest.RunApart(t, "unshare", "--fork", "--pid", "--mount-proc", proctest.Self(t), "reaper", "on", "300")
	if out != "pid1 true wrong 0 zombies 0\n" {
		t.Error(out)
	}
}

// Two hosts of one program, one of them with the reaper off, do not take each
// other's statuses.
func TestHostsShareTheReaper(t *testing.T) {
	hosts := []*proc.Host{proctest.NewHost(t), proctest.NewHost(t), proc.NewHost(proc.HostOptions{NoReaper: true})}
	defer hosts[2].Close()
	var all sync.WaitGroup
	for _, h := range hosts {
		all.Go(func() {
			for i := range 40 {
				if got, ok := startOne(h, i); !ok || got.Status() != i {
					t.Errorf("%v, want %d", got, i)
				}
			}
		})
	}
	all.Wait()
}
