package tree_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// playBlind is a host without /proc, and says how long a stop took.
func playBlind(args []string) int {
	if _, err := os.Stat("/proc/self"); err == nil {
		fmt.Println("there is a /proc")
		return 1
	}
	h := proc.NewHost(proc.HostOptions{})
	defer h.Close()
	c := proc.Command{Argv: []string{"/bin/sh", "-c", args[1]}, Env: []string{"PATH=/usr/bin:/bin"}, Grace: 300 * time.Millisecond}
	child, output, err := startIn(h, c, args[0] == "pty")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	ready, read := make(chan struct{}), make(chan struct{})
	var once sync.Once
	go func() {
		defer close(read)
		said := ""
		output(func(b []byte) {
			if said += string(b); strings.Contains(said, "ready") {
				once.Do(func() { close(ready) })
			}
		})
	}()
	<-ready
	pid, begin := child.PID(), time.Now()
	exit := child.Stop()
	fmt.Printf("%v after %d ms\n", exit, time.Since(begin).Milliseconds())
	if syscall.Kill(-pid, 0) == nil {
		fmt.Println("the group lives")
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
	<-read
	return 0
}

// startIn starts a command in a terminal or with pipes, and returns what reads its
// output.
func startIn(h *proc.Host, c proc.Command, terminal bool) (*proc.Child, func(emit func([]byte)) proc.Exit, error) {
	if !terminal {
		child, err := h.Start(c)
		return child, func(emit func([]byte)) proc.Exit { return child.Output(emit, nil) }, err
	}
	tm, err := tty.Start(h, c, tty.Size{Cols: 80, Rows: 24})
	if err != nil {
		return nil, nil, err
	}
	return tm.Child(), tm.Output, nil
}

// Without /proc nothing can be seen, and what is known by number ends all the same.
func TestStopWithoutProc(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to mount")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ script, want string }{
		"polite":            {"echo ready; exec sleep 300", "killed by SIGTERM"},
		"stubborn":          {"trap '' TERM HUP; echo ready; while :; do sleep 1; done", "killed by SIGKILL"},
		"stubborn follower": {"(trap '' TERM HUP; echo ready; while :; do sleep 1; done) & exec sleep 300", "killed by SIGTERM"},
	} {
		for _, how := range []string{"pipe", "pty"} {
			t.Run(name+"/"+how, func(t *testing.T) {
				cmd := finite(t, "unshare", "--mount", "sh", "-c", `mount -t tmpfs none /proc && exec "$@"`, "sh", exe, "blind", how, c.script)
				cmd.Env = append(os.Environ(), proctest.ProgramVariable+"=1", proctest.NoExitPause)
				var complaint strings.Builder
				cmd.Stderr = &complaint
				out, err := cmd.Output()
				if err != nil && strings.Contains(complaint.String(), "unshare") {
					t.Skip(complaint.String())
				}
				if err != nil || !strings.HasPrefix(string(out), c.want) || strings.Contains(string(out), "lives") {
					t.Errorf("%v: %s%s", err, out, complaint.String())
				}
			})
		}
	}
}
