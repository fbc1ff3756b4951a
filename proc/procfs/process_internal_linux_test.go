package procfs

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestParseStat(t *testing.T) {
	const rest = " S 10 20 30 34817 20 2097152 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0\n"
	for _, name := range []string{"sh", "a b", ") S 1 1 1", "(()", "\n", ""} {
		got, ok := parseStat(7, []byte("7 ("+name+")"+rest))
		want := Process{PID: 7, PPID: 10, Group: 20, Session: 30, State: 'S', Threads: 1, Kernel: true, Start: 4242, Terminal: unix.Mkdev(136, 1), Foreground: 20}
		if !ok || got != want {
			t.Errorf("%q: %+v, %v", name, got, ok)
		}
	}
	for _, bad := range []string{"", "7 (sh) S 1", "7 (sh"} {
		if got, ok := parseStat(7, []byte(bad)); ok {
			t.Errorf("%q: %+v", bad, got)
		}
	}
	self, ok := Read(os.Getpid())
	if !ok || self.PPID != os.Getppid() || self.Group != unix.Getpgrp() || self.Start > Clock() {
		t.Errorf("ourselves: %+v, %v at %d", self, ok, Clock())
	}
}

// A signal meant for one process does not reach the next of its number.
func TestSignalChecksTheStart(t *testing.T) {
	cmd := exec.Command("/bin/sleep", "300")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p, ok := Read(cmd.Process.Pid)
	if !ok {
		t.Fatal("not there")
	}
	stranger := p
	stranger.Start--
	stranger.Signal(unix.SIGKILL)
	p.Signal(unix.SIGTERM)
	_ = cmd.Wait()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != unix.SIGTERM {
		t.Error(cmd.ProcessState)
	}
}
