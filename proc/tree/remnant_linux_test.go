package tree_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// held gives the command the writing end of a pipe as its standard input: the end
// of the pipe that is returned is that of all that descends from it.
func held(t *testing.T, c *proc.Command) (gone <-chan struct{}) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	c.Stdin = w
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.Close()
		_, _ = io.Copy(io.Discard, r)
	}()
	return done
}

// A daemon that has cleared its environment, taken a session of its own and lost
// its parent is found all the same, and that of another child is a stranger.
func TestStopFindsADaemonOfAnotherEnvironment(t *testing.T) {
	h := proctest.NewHost(t)
	stranger := proctest.Follow(t, proctest.Start(t, h, proctest.Marked(t, proctest.Command(t, "spawn", "scx", "stubborn"))))
	strangerPID := stranger.PID("pid")
	s := proctest.Follow(t, proctest.Start(t, h, proctest.Marked(t, proctest.Command(t, "spawn", "scx", "stubborn"))))
	pid := s.PID("pid")
	stranger.End()
	if got := s.End(); !got.Success() {
		t.Fatal(got)
	}
	if n := s.Child.Background(); n != 1 {
		t.Errorf("Background() = %d, want 1", n)
	}
	s.Child.Stop()
	mustBeGone(t, "the daemon", pid)
	if n := s.Child.Background(); n != 0 {
		t.Errorf("Background() = %d after Stop", n)
	}
	if !proctest.Alive(strangerPID) {
		t.Error("a stranger was killed")
	}
	stranger.Child.Stop()
	mustBeGone(t, "the other daemon", strangerPID)
}

// playChain forks and ends, and its child does the same: at any time there is one
// process, which lives for some 100 µs. Its only argument is "m" to keep its
// environment or "c" to run without.
func playChain(args []string) int {
	if args[0] == "c" {
		exe, _ := os.Executable()
		_ = syscall.Exec(exe, []string{exe, "chain", "m"}, []string{proctest.ProgramVariable + "=1"})
		return 1
	}
	proctest.AwaitTag()
	fmt.Println("chain")
	runtime.LockOSThread()
	chain(200_000)
	return 0
}

// chain makes nothing but system calls: after a fork there is no runtime.
//
//go:norace
//go:nosplit
func chain(generations int) {
	for range generations {
		pid, _, _ := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		if pid != 0 {
			syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0)
	}
	syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
}

func TestStopOutrunsAChainOfForks(t *testing.T) {
	const longGone = 2 * time.Second
	for _, how := range []string{"m", "c"} {
		t.Run(how, func(t *testing.T) {
			h := proctest.NewHost(t)
			for range 5 {
				c := proctest.Marked(t, proctest.Command(t, "chain", how))
				gone := held(t, &c)
				s := proctest.Follow(t, proctest.Start(t, h, c))
				s.Line("chain")
				c.Stdin.Close()
				s.End()
				begin := time.Now()
				s.Child.Kill()
				select {
				case <-gone:
				case <-time.After(longGone): // left alone it lives some 20 s
					t.Fatalf("something lives %v after the kill, which took %v", longGone, time.Since(begin)-longGone)
				}
			}
		})
	}
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

// finite is a command that is killed when it takes too long, and whose output
// nobody waits for then.
func finite(t *testing.T, argv ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), proctest.Patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second
	return cmd
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
