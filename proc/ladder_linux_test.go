package proc_test

import (
	"bytes"
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
	"github.com/a2a-sidecar/sidecar/proc/peertest"
)

const marker = "SIDECAR_CHANNEL_TOKEN=proc-test-"

// marked gives the command a marker that no other test has.
func marked(t *testing.T, c proc.Command) proc.Command {
	c.Marker = marker + t.Name() + strconv.FormatInt(time.Now().UnixNano(), 36)
	c.Env = append(c.Env, c.Marker)
	return c
}

func mustBeGone(t *testing.T, what string, pid int) {
	t.Helper()
	// The zombie of an orphan is the reaper's, which Stop waits for.
	if alive(pid) {
		t.Errorf("%s (%d) is still there", what, pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestStopEndsAPoliteProcessAtOnce(t *testing.T) {
	c := command(t, "block")
	c.Grace = time.Hour
	s := follow(t, start(t, newHost(t), c))
	s.pid("pid")
	begin := time.Now()
	if got := s.child.Stop(); got.Signal != syscall.SIGTERM {
		t.Error(got)
	}
	if d := time.Since(begin); d > soon {
		t.Errorf("took %v", d)
	}
}

func TestStopEndsAStoppedProcess(t *testing.T) {
	c := command(t, "block")
	c.Grace = time.Hour
	s := follow(t, start(t, newHost(t), c))
	s.pid("pid")
	if err := s.child.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if got := s.child.Stop(); got.Signal != syscall.SIGTERM {
		t.Error(got)
	}
}

func TestStopWaitsTheGraceAndNoLonger(t *testing.T) {
	c := command(t, "stubborn")
	c.Grace = 300 * time.Millisecond
	s := follow(t, start(t, newHost(t), c))
	s.pid("pid")
	begin := time.Now()
	if got := s.child.Stop(); got.Signal != syscall.SIGKILL {
		t.Error(got)
	}
	if d := time.Since(begin); d < c.Grace || d > c.Grace+soon {
		t.Errorf("took %v with a grace of %v", d, c.Grace)
	}
}

// The grace is for the whole group: one that cleans up after the leader has gone
// may finish, and no more than that is waited for.
func TestStopLetsTheGroupFinish(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cleaned-up")
	c := shell(`(trap 'sleep 0.3; >"$FILE"; exit' TERM; echo pid $$; while :; do sleep 0.01; done) & wait`)
	c.Env, c.Grace = append(c.Env, "FILE="+file), time.Hour
	s := follow(t, start(t, newHost(t), c))
	s.pid("pid")
	begin := time.Now()
	if got := s.child.Stop(); got.Signal != syscall.SIGTERM {
		t.Error(got)
	}
	if d := time.Since(begin); d > soon {
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
			c := command(t, "spawn", how, "stubborn")
			c.Grace = 200 * time.Millisecond
			s := follow(t, start(t, newHost(t), c))
			pid := s.pid("pid")
			begin := time.Now()
			if got := s.child.Stop(); got.Signal != syscall.SIGTERM {
				t.Error(got)
			}
			mustBeGone(t, "the grandchild", pid)
			if d := time.Since(begin); d > soon {
				t.Errorf("took %v", d)
			}
		})
	}
}

// A grandchild that ignores SIGTERM, has its own session and no marker is found
// through its parent, which ignores SIGTERM as well.
func TestStopFollowsParents(t *testing.T) {
	c := marked(t, command(t, "spawn", "sic", "spawn", "sic", "stubborn"))
	c.Grace = 100 * time.Millisecond
	s := follow(t, start(t, newHost(t), c))
	pids := []int{s.pid("leader"), s.pid("leader"), s.pid("pid")}
	_ = pids
	s.child.Stop()
	for _, pid := range pids {
		mustBeGone(t, "a descendant", pid)
	}
}

// A daemon that was orphaned before anybody looked is found by its marker; one
// with another marker is a stranger.
func TestStopFindsADaemonByItsMarker(t *testing.T) {
	h := newHost(t)
	other := marked(t, command(t, "spawn", "sx", "stubborn"))
	other.Marker += "-other"
	other.Env[len(other.Env)-1] = other.Marker
	stranger := follow(t, start(t, h, other))
	strangerPID := stranger.pid("pid")
	stranger.end()

	c := marked(t, command(t, "spawn", "sx", "stubborn"))
	s := follow(t, start(t, h, c))
	pid := s.pid("pid")
	if got := s.end(); !got.Success() {
		t.Fatal(got)
	}
	if n := s.child.Background(); n != 1 {
		t.Errorf("Background() = %d, want 1", n)
	}
	if got := s.child.Stop(); !got.Success() {
		t.Errorf("Stop changed the exit to %v", got)
	}
	mustBeGone(t, "the daemon", pid)
	if n := s.child.Background(); n != 0 {
		t.Errorf("Background() = %d after Stop", n)
	}
	if !alive(strangerPID) {
		t.Error("a stranger was killed")
	}
	stranger.child.Stop()
	mustBeGone(t, "the other daemon", strangerPID)
}

func TestStopEndsTheCommandOfAShell(t *testing.T) {
	c := shell(`sleep 300 & echo pid $!; wait`)
	c.Grace = time.Hour
	s := follow(t, start(t, newHost(t), c))
	pid := s.pid("pid")
	begin := time.Now()
	s.child.Stop()
	mustBeGone(t, "sleep", pid)
	if d := time.Since(begin); d > soon {
		t.Errorf("took %v", d)
	}
}

// A job of an interactive shell has a process group of its own, in the session
// of its terminal.
func TestStopEndsTheJobsOfAnInteractiveShell(t *testing.T) {
	c := shell("")
	c.Argv = []string{"/bin/bash", "--norc", "-i"}
	c.PTY = &proc.Size{Cols: 80, Rows: 24}
	c.Grace = 50 * time.Millisecond
	s := follow(t, start(t, newHost(t), c))
	if _, err := s.child.Terminal().Write([]byte("(trap '' HUP; exec sleep 300) & echo p''id $!\r")); err != nil {
		t.Fatal(err)
	}
	pid := s.pid("pid")
	s.child.Stop()
	mustBeGone(t, "the job", pid)
}

// An interactive shell ignores SIGTERM; the end of its terminal it does not.
func TestStopHangsUpAnIdleShell(t *testing.T) {
	c := shell("")
	c.Argv = []string{"/bin/bash", "--norc", "--noprofile", "-i"}
	c.PTY, c.Grace = &proc.Size{Cols: 80, Rows: 24}, 2400*time.Millisecond // below ten times the wait for it
	s := follow(t, start(t, newHost(t), c))
	if _, err := s.child.Terminal().Write([]byte("echo p''id $$\r")); err != nil {
		t.Fatal(err)
	}
	s.pid("pid")
	begin := time.Now()
	if got := s.child.Stop(); got.Signal != syscall.SIGHUP {
		t.Error(got)
	}
	if d := time.Since(begin); d > soon {
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
			c := shell(note)
			c.Env, c.Grace = append(c.Env, "FILE="+file), 10*time.Second
			switch name {
			case "terminal":
				c.PTY = &proc.Size{Cols: 80, Rows: 24}
			case "job":
				c.PTY = &proc.Size{Cols: 80, Rows: 24}
				c.Argv = []string{"/bin/bash", "--norc", "--noprofile", "-i"}
			case "pipes":
				c.Grace = 600 * time.Millisecond
			}
			s := follow(t, start(t, newHost(t), c))
			if name == "job" {
				script := filepath.Join(t.TempDir(), "job")
				if err := os.WriteFile(script, []byte(note), 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := s.child.Terminal().Write([]byte("sh " + script + "\r")); err != nil {
					t.Fatal(err)
				}
			}
			s.pid("pid")
			s.child.Stop()
			heard, _ := os.ReadFile(file)
			if got := strings.ReplaceAll(string(heard), "HUP\nHUP\n", "HUP\n"); got != want { // bash passes it on
				t.Errorf("it heard %q, want %q", got, want)
			}
		})
	}
}

func TestKillCutsTheGraceShortAndAllAgree(t *testing.T) {
	c := command(t, "spawn", "si", "stubborn")
	c.Grace = time.Hour
	s := follow(t, start(t, newHost(t), c))
	pids := []int{s.pid("pid"), s.pid("pid")}
	exits := make(chan proc.Exit, 9)
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() { exits <- s.child.Stop() })
	}
	calls.Go(func() { exits <- s.child.Kill() })
	for range 9 {
		if got := receive(t, exits, "Stop"); got.Signal != syscall.SIGKILL {
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
			c := shell(script)
			mark := "STORM=" + strconv.FormatInt(time.Now().UnixNano(), 36)
			c.Env = append(c.Env, mark)
			s := follow(t, start(t, newHost(t), c))
			for range 40 {
				s.line("more")
			}
			s.child.Kill()
			s.end()
			if n := strings.Count(s.all(), "more"); name == "in the group" && n > 1900 {
				t.Errorf("the storm was over before it was stopped: %d processes", n)
			}
			if left := withEntry(mark); len(left) > 0 {
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
	h := newHost(t)
	for range 50 {
		c := marked(t, shell(`setsid sleep 300 >&- 2>&- & exit 0`))
		child := start(t, h, c)
		child.Output(nil, nil)
		child.Kill()
		if left := withEntry(c.Marker); len(left) > 0 {
			t.Errorf("%d daemons left", len(left))
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

// withEntry lists the living processes with that line in their environment.
func withEntry(entry string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		env, _ := os.ReadFile(f)
		if bytes.Contains(env, []byte(entry)) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// A command that was only checked is gone, though it had begun.
func TestCheckLeavesNothing(t *testing.T) {
	h := newHost(t)
	mark := "CHECKED=" + strconv.FormatInt(time.Now().UnixNano(), 36)
	for range 20 {
		if err := h.Check(proc.Command{Argv: []string{"/bin/sleep", "300"}, Env: []string{mark}}); err != nil {
			t.Fatal(err)
		}
	}
	if left := withEntry(mark); len(left) > 0 {
		t.Errorf("%d processes left", len(left))
	}
}

func TestGrandchildThatHoldsStdoutDelaysNothing(t *testing.T) {
	for name, args := range map[string][]string{
		"silent": {"spawn", "sx", "stubborn"},
		"noisy":  {"spawn", "sx", "flood", "1000000000000"},
	} {
		t.Run(name, func(t *testing.T) {
			child := start(t, newHost(t), marked(t, command(t, args...)))
			t.Cleanup(func() { child.Kill() })
			late := 0
			exit := child.Output(func(b []byte) {
				select {
				case <-child.Exited():
					late += len(b)
				default:
				}
			}, nil)
			if !exit.Success() {
				t.Error(exit)
			}
			// What was being read at the end, and a full pipe.
			if late > 128<<10 {
				t.Errorf("%d bytes after the end", late)
			}
		})
	}
}

// The last words of a process that its parent does not wait for still come.
func TestOutputWaitsALittleForTheEnd(t *testing.T) {
	out, _, _ := output(start(t, newHost(t), shell(`(while kill -0 $$ 2>&-; do :; done; echo last) & exit 0`)))
	if out != "last\n" {
		t.Errorf("%q", out)
	}
}

// A turn that ends normally leaves background processes alone and counts them.
func TestBackgroundIsCountedNotKilled(t *testing.T) {
	h := newHost(t)
	_, _, _ = output(start(t, h, command(t, "exit", "0")))
	s := follow(t, start(t, h, shell(`sleep 300 >/dev/null 2>&1 & echo pid $!; setsid sleep 300 >/dev/null 2>&1 & echo pid $!`)))
	pids := []int{s.pid("pid"), s.pid("pid")}
	s.end()
	if n := s.child.Background(); n < 1 {
		t.Errorf("Background() = %d", n)
	}
	for _, pid := range pids {
		if !alive(pid) {
			t.Error("a background process was killed")
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	eventually(t, "the background to end", func() bool { return s.child.Background() == 0 })
}

// A process whose main thread has ended shows as a zombie, and runs.
func TestStopEndsWhatHasNoMainThread(t *testing.T) {
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	s := follow(t, start(t, newHost(t), command(t, "hidden", peertest.Leader, ln.Addr().String())))
	pid := s.pid("hidden")
	s.child.Kill()
	if exit := s.end(); exit.Signal != syscall.SIGKILL || alive(pid) {
		t.Errorf("it ended as %v, and is alive: %v", exit, alive(pid))
	}
}
