package tree_test

import (
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/peer/peertest"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

// mustEndAtOnce stops a child, which ends by that signal and uses up no grace.
func mustEndAtOnce(t *testing.T, c *proc.Child, by syscall.Signal) {
	t.Helper()
	begin := time.Now()
	if got := c.Stop(); got.Signal != by {
		t.Error(got)
	}
	if d := time.Since(begin); d > proctest.Patience {
		t.Errorf("took %v", d)
	}
}

func TestStopEndsAPoliteProcessAtOnce(t *testing.T) {
	c := proctest.Command(t, "block")
	c.Grace = time.Hour
	s := proctest.Follow(t, proctest.Start(t, proctest.NewHost(t), c))
	s.PID("pid")
	mustEndAtOnce(t, s.Child, syscall.SIGTERM)
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
	mustEndAtOnce(t, s.Child, syscall.SIGTERM)
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
