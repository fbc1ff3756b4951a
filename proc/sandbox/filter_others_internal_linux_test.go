//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// A program that is there before the thread that started it has ended cannot reach our process by
// that thread, although one Landlock domain holds both.
func TestTheStarterGetsNoSignal(t *testing.T) {
	s, err := New(System())
	if err != nil {
		t.Skip(err)
	}
	set, err := s.ruleset()
	if err != nil {
		t.Fatal(err)
	}
	defer set.close()
	h := s.holdBy(set)
	if h.layers&Seccomp == 0 {
		t.Skip("no seccomp")
	}
	var state *os.ProcessState
	onThrowawayThread(func() {
		if err = h.take(nil); err != nil {
			return
		}
		script := "kill -0 $$ && ! kill -0 " + strconv.Itoa(unix.Gettid()) + " 2>/dev/null"
		p, started := os.StartProcess("/bin/sh", []string{"sh", "-c", script}, &os.ProcAttr{})
		if err = started; err == nil {
			state, err = p.Wait()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if !state.Success() {
		t.Errorf("the program can send a signal to the thread that starts it: %v", state)
	}
}

func TestFilterOfOtherProcesses(t *testing.T) {
	const thread = 4711
	refused := resultErrno(unix.EPERM)
	all := filter(nil, 7)
	code := forStarter(all, thread)
	for _, c := range []struct {
		name string
		call uint32
		args []uint64
		want uint32
	}{
		{"kill", unix.SYS_KILL, []uint64{thread, 9}, refused},
		{"kill of another", unix.SYS_KILL, []uint64{thread + 1, 9}, allow},
		{"tkill", unix.SYS_TKILL, []uint64{thread, 9}, refused},
		{"tgkill", unix.SYS_TGKILL, []uint64{1, thread, 9}, refused},
		{"tgkill of another", unix.SYS_TGKILL, []uint64{thread, 1, 9}, allow},
		{"rt_sigqueueinfo", unix.SYS_RT_SIGQUEUEINFO, []uint64{thread, 9}, refused},
		{"rt_tgsigqueueinfo", unix.SYS_RT_TGSIGQUEUEINFO, []uint64{1, thread, 9}, refused},
		{"pidfd_open", unix.SYS_PIDFD_OPEN, []uint64{thread}, refused},
		{"an owner", unix.SYS_FCNTL, []uint64{3, unix.F_SETOWN, thread}, refused},
		{"another owner", unix.SYS_FCNTL, []uint64{3, unix.F_SETOWN, thread + 1}, allow},
		{"an owner in memory", unix.SYS_FCNTL, []uint64{3, 15, 0}, refused},
		{"fcntl", unix.SYS_FCNTL, []uint64{3, unix.F_GETFD, thread}, allow},
		{"FIOSETOWN", unix.SYS_IOCTL, []uint64{3, 0x8901}, refused},
		{"SIOCSPGRP", unix.SYS_IOCTL, []uint64{3, 0x8902}, refused},
		{"own limits", unix.SYS_PRLIMIT64, []uint64{0, unix.RLIMIT_NOFILE, 1}, allow},
		{"another's limits", unix.SYS_PRLIMIT64, []uint64{1, unix.RLIMIT_NOFILE, 1}, refused},
	} {
		if got := judge(t, code, auditArch, c.call, c.args...); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
	if got := judge(t, all, auditArch, unix.SYS_KILL, thread, 9); got != allow {
		t.Errorf("the filter of another thread has changed: %#x", got)
	}
}
