package tree_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

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
	mustEndAtOnce(t, s.Child, syscall.SIGHUP)
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
