package proc_test

import (
	"strconv"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

func TestExitIsWhatTheProcessDid(t *testing.T) {
	h := proctest.NewHost(t)
	cases := []struct {
		args   []string
		want   proc.Exit
		status int
		text   string
	}{
		{[]string{"exit", "0"}, proc.Exit{}, 0, "exit status 0"},
		{[]string{"exit", "3"}, proc.Exit{Code: 3}, 3, "exit status 3"},
		{[]string{"exit", "255"}, proc.Exit{Code: 255}, 255, "exit status 255"},
		{raise(syscall.SIGTERM), proc.Exit{Signal: syscall.SIGTERM}, 143, "killed by SIGTERM"},
		{raise(syscall.SIGKILL), proc.Exit{Signal: syscall.SIGKILL}, 137, "killed by SIGKILL"},
		{raise(syscall.SIGINT), proc.Exit{Signal: syscall.SIGINT}, 130, "killed by SIGINT"},
	}
	for _, c := range cases {
		child := proctest.Start(t, h, proctest.Command(t, c.args...))
		_, _, got := proctest.Output(child)
		if got != c.want || got.Status() != c.status || got.String() != c.text {
			t.Errorf("%v: %+v, status %d, %q; want %+v, %d, %q", c.args, got, got.Status(), got, c.want, c.status, c.text)
		}
		if got.Success() != (c.status == 0) {
			t.Errorf("%v: Success() = %v", c.args, got.Success())
		}
		if child.Exit() != got {
			t.Errorf("%v: Exit() = %v after %v", c.args, child.Exit(), got)
		}
	}
}

func raise(s syscall.Signal) []string { return []string{"raise", strconv.Itoa(int(s))} }

func TestSignalsReachProcessAndGroup(t *testing.T) {
	h := proctest.NewHost(t)
	for name, send := range map[string]func(*proc.Child) error{
		"process": func(c *proc.Child) error { return c.Signal(syscall.SIGTERM) },
		"group":   func(c *proc.Child) error { return c.SignalGroup(syscall.SIGTERM) },
	} {
		s := proctest.Follow(t, proctest.Start(t, h, proctest.Command(t, "block")))
		s.PID("pid")
		if err := send(s.Child); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := s.End(); got.Signal != syscall.SIGTERM {
			t.Errorf("%s: %v", name, got)
		}
		if err := send(s.Child); err == nil {
			t.Errorf("%s: a signal after the end is no error", name)
		}
	}
}
