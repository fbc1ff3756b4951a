package tree_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/peer/peertest"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

func mustBeGone(t *testing.T, what string, pid int) {
	t.Helper()
	// The zombie of an orphan is the reaper's, which Stop waits for.
	if proctest.Alive(pid) {
		t.Errorf("%s (%d) is still there", what, pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestStopEndsAPoliteProcessAtOnce(t *testing.T) {
	c := proctest.Command(t, "block")
	c.Grace = time.Hour
	s := proctest.Follow(t, proctest.Start(t, proctest.NewHost(t), c))
	s.PID("pid")
	begin := time.Now()
	if got := s.Child.Stop(); got.Signal != syscall.SIGTERM {
		t.Error(got)
	}
	if d := time.Since(begin); d > proctest.Patience {
		t.Errorf("took %v", d)
	}
}

func TestStopEndsAStoppedProcess(t *testing.T) {
	c := proctest.Command(t, "block")
	c.Grace = time.Hour
	s := proctest.Follow(t, proctest.Start(t, proctest.NewHost(t), c))
	s.PID("pid")
	if err := s.Child.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if got := s.Child.Stop(); got.Signal != syscall.SIGTERM {
		t.Error(got)
	}
}

func TestStopWaitsTheGraceAndNoLonger(t *testing.T) {
	c := proctest.Command(t, "stubborn")
	c.Grace = 300 * time.Millisecond
	s := proctest.Follow(t, proctest.Start(t, proctest.NewHost(t), c))
	s.PID("pid")
	begin := time.Now()
	if got := s.Child.Stop(); got.Signal != syscall.SIGKILL {
		t.Error(got)
	}
	if d := time.Since(begin); d < c.Grace || d > c.Grace+proctest.Patience {
		t.Errorf("took %v with a grace of %v", d, c.Grace)
	}
}

// The grace is for the whole group: one that cleans up after the leader has gone
// may finish, and no more than that is waited for.
func TestStopLetsTheGroupFinish(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cleaned-up")
	c := proctest.Shell(`(trap 'sleep 0.3; >"$FILE"; exit' TERM; echo pid $$; while :; do sleep 0.01; done) & wait`)
	c.Env, c.Grace = append(c.Env, "FILE="+file), time.Hour
	s := proctest.Follow(t, proctest.Start(t, proctest.NewHost(t), c))
	s.PID("pid")
	begin := time.Now()
	if got := s.Child.Stop(); got.Signal != syscall.SIGTERM {
		t.Error(got)
	}
	if d := time.Since(begin); d > proctest.Patience {
		t.Errorf("took %v", d)
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("killed before the grace was over: %v", err)
	}
}

// What is left after the leader obeyed SIGTERM is killed too: the one in its
// group after the grace, those outside at once.
func TestStopKillsWhatOutlivesTheLeader(t *testing.T) {
	for name, how := range map[string]string{"in the group": "", "in its own session": "s"} {
		t.Run(name, func(t *testing.T) {
			c := proctest.Command(t, "spawn", how, "stubborn")
			c.Grace = 200 * time.Millisecond
			s := proctest.Follow(t, proctest.Start(t, proctest.NewHost(t), c))
			pid := s.PID("pid")
			begin := time.Now()
			if got := s.Child.Stop(); got.Signal != syscall.SIGTERM {
				t.Error(got)
			}
			mustBeGone(t, "the grandchild", pid)
			if d := time.Since(begin); d > proctest.Patience {
				t.Errorf("took %v", d)
			}
		})
	}
}

// A grandchild that ignores SIGTERM, has its own session and no marker is found
// through its parent, which ignores SIGTERM as well.
func TestStopFollowsParents(t *testing.T) {
	c := proctest.Marked(t, proctest.Command(t, "spawn", "sic", "spawn", "sic", "stubborn"))
	c.Grace = 100 * time.Millisecond
	s := proctest.Follow(t, proctest.Start(t, proctest.NewHost(t), c))
	pids := []int{s.PID("leader"), s.PID("leader"), s.PID("pid")}
	_ = pids
	s.Child.Stop()
	for _, pid := range pids {
		mustBeGone(t, "a descendant", pid)
	}
}

// A daemon that was orphaned before anybody looked is found by its marker; one
// with another marker is a stranger.
func TestStopFindsADaemonByItsMarker(t *testing.T) {
	h := proctest.NewHost(t)
	other := proctest.Marked(t, proctest.Command(t, "spawn", "sx", "stubborn"))
	other.Marker += "-other"
	other.Env[len(other.Env)-1] = other.Marker
	stranger := proctest.Follow(t, proctest.Start(t, h, other))
	strangerPID := stranger.PID("pid")
	stranger.End()

	c := proctest.Marked(t, proctest.Command(t, "spawn", "sx", "stubborn"))
	s := proctest.Follow(t, proctest.Start(t, h, c))
	pid := s.PID("pid")
	if got := s.End(); !got.Success() {
		t.Fatal(got)
	}
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
}

func TestStopEndsTheCommandOfAShell(t *testing.T) {
	c := proctest.Shell(`sleep 300 & echo pid $!; wait`)
	c.Grace = time.Hour
	s := proctest.Follow(t, proctest.Start(t, proctest.NewHost(t), c))
	pid := s.PID("pid")
	begin := time.Now()
	s.Child.Stop()
	mustBeGone(t, "sleep", pid)
	if d := time.Since(begin); d > proctest.Patience {
		t.Errorf("took %v", d)
	}
}

// A job of an interactive shell has a process group of its own, in the session
// of its terminal.
func TestStopEndsTheJobsOfAnInteractiveShell(t *testing.T) {
	c := proctest.Shell("")
	c.Argv = []string{"/bin/bash", "--norc", "-i"}
	c.Grace = 50 * time.Millisecond
	s := proctest.FollowTerminal(t, proctest.StartTerminal(t, proctest.NewHost(t), c))
	if _, err := s.Terminal.Write([]byte("(trap '' HUP; exec sleep 300) & echo p''id $!\r")); err != nil {
		t.Fatal(err)
	}
	pid := s.PID("pid")
	s.Child.Stop()
	mustBeGone(t, "the job", pid)
}

// An interactive shell ignores SIGTERM; the end of its terminal it does not.
func TestStopHangsUpAnIdleShell(t *testing.T) {
	c := proctest.Shell("")
	c.Argv = []string{"/bin/bash", "--norc", "--noprofile", "-i"}
	c.Grace = 2400 * time.Millisecond // below ten times the wait for it
	s := proctest.FollowTerminal(t, proctest.StartTerminal(t, proctest.NewHost(t), c))
	if _, err := s.Terminal.Write([]byte("echo p''id $$\r")); err != nil {
		t.Fatal(err)
	}
	s.PID("pid")
	begin := time.Now()
	if got := s.Child.Stop(); got.Signal != syscall.SIGHUP {
		t.Error(got)
	}
	if d := time.Since(begin); d > proctest.Patience {
		t.Errorf("took %v", d)
	}
}

// What runs in a terminal hears SIGTERM first, and SIGHUP only when it still
// stands after that; a job in the foreground of a shell hears it too, and may
// finish. What has no terminal is never hung up.
func TestStopHangsUpTheTerminalOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "signals")
	note := `trap 'echo TERM >>"$FILE"' TERM; trap 'echo HUP >>"$FILE"; sleep 0.3; echo done >>"$FILE"; exit 3' HUP; echo pid $$; while :; do sleep 0.01; done`
	for name, want := range map[string]string{"terminal": "TERM\nHUP\ndone\n", "job": "HUP\ndone\n", "pipes": "TERM\n"} {
		t.Run(name, func(t *testing.T) {
			_ = os.Remove(file)
			c := proctest.Shell(note)
			c.Env, c.Grace = append(c.Env, "FILE="+file), 10*time.Second
			switch name {
			case "job":
				c.Argv = []string{"/bin/bash", "--norc", "--noprofile", "-i"}
			case "pipes":
				c.Grace = 600 * time.Millisecond
			}
			var s *proctest.Stream
			if h := proctest.NewHost(t); name == "pipes" {
				s = proctest.Follow(t, proctest.Start(t, h, c))
			} else {
				s = proctest.FollowTerminal(t, proctest.StartTerminal(t, h, c))
			}
			if name == "job" {
				script := filepath.Join(t.TempDir(), "job")
				if err := os.WriteFile(script, []byte(note), 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := s.Terminal.Write([]byte("sh " + script + "\r")); err != nil {
					t.Fatal(err)
				}
			}
			s.PID("pid")
			s.Child.Stop()
			heard, _ := os.ReadFile(file)
			if got := strings.ReplaceAll(string(heard), "HUP\nHUP\n", "HUP\n"); got != want { // bash passes it on
				t.Errorf("it heard %q, want %q", got, want)
			}
		})
	}
}

func TestKillCutsTheGraceShortAndAllAgree(t *testing.T) {
	c := proctest.Command(t, "spawn", "si", "stubborn")
	c.Grace = time.Hour
	s := proctest.Follow(t, proctest.Start(t, proctest.NewHost(t), c))
	pids := []int{s.PID("pid"), s.PID("pid")}
	exits := make(chan proc.Exit, 9)
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() { exits <- s.Child.Stop() })
	}
	calls.Go(func() { exits <- s.Child.Kill() })
	for range 9 {
		if got := proctest.Receive(t, exits, "Stop"); got.Signal != syscall.SIGKILL {
			t.Error(got)
		}
	}
	calls.Wait()
	for _, pid := range pids {
		mustBeGone(t, "a process", pid)
	}
}

// Processes that start others all the time, each in a session of its own and
// without a marker, must not slip through between looking and killing. Those in
// the group are stopped at once, those outside when they are found.
func TestKillOutrunsAForkStorm(t *testing.T) {
	const loop = `n=1000; while [ $((n-=1)) -gt 0 ]; do setsid sleep 300 & echo more; done; wait`
	for name, script := range map[string]string{
		"in the group": `(` + loop + `) & (` + loop + `) & wait`,
		"outside":      `setsid sh -c '` + loop + `' & wait`,
	} {
		t.Run(name, func(t *testing.T) {
			c := proctest.Shell(script)
			mark := "STORM=" + strconv.FormatInt(time.Now().UnixNano(), 36)
			c.Env = append(c.Env, mark)
			s := proctest.Follow(t, proctest.Start(t, proctest.NewHost(t), c))
			for range 40 {
				s.Line("more")
			}
			s.Child.Kill()
			s.End()
			if n := strings.Count(s.All(), "more"); name == "in the group" && n > 1900 {
				t.Errorf("the storm was over before it was stopped: %d processes", n)
			}
			if left := proctest.WithEntry(mark); len(left) > 0 {
				t.Errorf("%d processes left", len(left))
				for _, pid := range left {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		})
	}
}

// A daemon is found at every step of its birth, in the middle of an exec too,
// where it has no environment.
func TestKillFindsADaemonBeingBorn(t *testing.T) {
	h := proctest.NewHost(t)
	for range 50 {
		c := proctest.Marked(t, proctest.Shell(`setsid sleep 300 >&- 2>&- & exit 0`))
		child := proctest.Start(t, h, c)
		child.Output(nil, nil)
		child.Kill()
		if left := proctest.WithEntry(c.Marker); len(left) > 0 {
			t.Errorf("%d daemons left", len(left))
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

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

// A process whose main thread has ended shows as a zombie, and runs.
func TestStopEndsWhatHasNoMainThread(t *testing.T) {
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	s := proctest.Follow(t, proctest.Start(t, proctest.NewHost(t), proctest.Command(t, "hidden", peertest.Leader, ln.Addr().String())))
	pid := s.PID("hidden")
	s.Child.Kill()
	if exit := s.End(); exit.Signal != syscall.SIGKILL || proctest.Alive(pid) {
		t.Errorf("it ended as %v, and is alive: %v", exit, proctest.Alive(pid))
	}
}
