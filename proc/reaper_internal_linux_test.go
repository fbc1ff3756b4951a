package proc

import (
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A zombie whose owner does not come hides the orphans behind it from the peek.
// They are reaped all the same, and the owner finds its status untouched.
func TestReaperLooksBehindARegisteredZombie(t *testing.T) {
	h := NewHost(HostOptions{})
	defer h.Close()
	var pid int
	ticket, err := h.reaper.start(untagged, func() (_ int, err error) {
		pid, err = syscall.ForkExec("/bin/sh", []string{"sh", "-c", "exit 9"}, nil)
		return pid, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	c, err := h.Start(Command{Argv: []string{"/bin/sh", "-c", `(exit 3) & (sleep 0.01; exit 4) & exit 0`}, Env: []string{"PATH=/bin:/usr/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	c.Output(nil, nil)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(time.Minute)
	for {
		if pids := ourChildren(); len(pids) == 1 && pids[0] == pid {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("children %v are left beside %d", ourChildren(), pid)
		}
		<-tick.C
	}
	var status syscall.WaitStatus
	if got, err := syscall.Wait4(pid, &status, 0, nil); got != pid || status.ExitStatus() != 9 {
		t.Errorf("the owner got %d, %v, %v", got, status, err)
	}
	ticket.release()
}

// A late release must not give up the pid of the process that has the number by
// now.
func TestReleaseIsByTicket(t *testing.T) {
	r := newReaper()
	start := func() *ticket {
		ticket, err := r.start(untagged, func() (int, error) { return 77, nil })
		if err != nil {
			t.Fatal(err)
		}
		return ticket
	}
	first := start()
	second := start() // the number was used again
	first.release()
	if !r.isOwned(77) {
		t.Error("the first release gave up the second's pid")
	}
	second.release()
	if r.isOwned(77) {
		t.Error("the pid is still registered")
	}
}

func TestParseStat(t *testing.T) {
	const rest = " S 10 20 30 34817 20 2097152 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0\n"
	for _, name := range []string{"sh", "a b", ") S 1 1 1", "(()", "\n", ""} {
		got, ok := parseStat(7, []byte("7 ("+name+")"+rest))
		want := process{pid: 7, ppid: 10, group: 20, session: 30, state: 'S', threads: 1, kernel: true, start: 4242}
		if !ok || got != want {
			t.Errorf("%q: %+v, %v", name, got, ok)
		}
	}
	for _, bad := range []string{"", "7 (sh) S 1", "7 (sh"} {
		if got, ok := parseStat(7, []byte(bad)); ok {
			t.Errorf("%q: %+v", bad, got)
		}
	}
	self, ok := readProcess(os.Getpid())
	if !ok || self.ppid != os.Getppid() || self.group != unix.Getpgrp() || self.start > clock() {
		t.Errorf("ourselves: %+v, %v at %d", self, ok, clock())
	}
}

// After the child has ended its number may become somebody else's.
func TestNumberOfAnEndedChild(t *testing.T) {
	tr := newTree(&Child{pid: 50, born: 100, reaped: true, reapedAt: 200})
	cases := map[string]struct {
		all  []process
		want bool
	}{
		"nobody left":                 {nil, false},
		"a member from before":        {[]process{{pid: 51, group: 50, start: 150}}, true},
		"one of the session":          {[]process{{pid: 51, session: 50, start: 150}}, true},
		"a zombie keeps it":           {[]process{{pid: 51, group: 50, start: 150, state: 'Z'}}, true},
		"a new process of the number": {[]process{{pid: 50, group: 50, start: 300}, {pid: 51, group: 50, start: 150}}, false},
		"only later members":          {[]process{{pid: 60, group: 50, start: 300}}, false},
		"one older than the child":    {[]process{{pid: 40, group: 50, start: 50}}, false},
	}
	for name, c := range cases {
		if got := tr.numberIsOurs(c.all); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	tr.c.reaped = false
	if !tr.numberIsOurs(nil) {
		t.Error("a number that was not given up")
	}
}

// A signal meant for one process does not reach the next of its number.
func TestSignalChecksTheStart(t *testing.T) {
	h := NewHost(HostOptions{})
	defer h.Close()
	c, err := h.Start(Command{Argv: []string{"/bin/sleep", "300"}})
	if err != nil {
		t.Fatal(err)
	}
	p, ok := readProcess(c.PID())
	if !ok {
		t.Fatal("not there")
	}
	stranger := p
	stranger.start--
	stranger.signal(unix.SIGKILL)
	p.signal(unix.SIGTERM)
	if exit := c.Output(nil, nil); exit.Signal != unix.SIGTERM {
		t.Error(exit)
	}
}

// The end of a process is seen by its pidfd, and where there is none by a thread
// that waits. Both leave its status.
func TestEndIsAwaitedAndLeftToTake(t *testing.T) {
	h := NewHost(HostOptions{})
	defer h.Close()
	for name, await := range map[string]func(pid int) bool{
		"poller": polledEnd,
		"thread": func(pid int) bool { return hasEnded(pid, 0) },
	} {
		theirs, ours, err := openPipe(0)
		if err != nil {
			t.Fatal(err)
		}
		ticket, err := h.reaper.start(untagged, func() (int, error) {
			return syscall.ForkExec("/bin/sh", []string{"sh", "-c", "read x; exit 7"}, &syscall.ProcAttr{Files: []uintptr{theirs.Fd(), 1, 2}})
		})
		if err != nil {
			t.Fatal(err)
		}
		theirs.Close()
		if hasEnded(ticket.pid, unix.WNOHANG) {
			t.Errorf("%s: it has ended before its input", name)
		}
		ended := make(chan bool, 1)
		go func() { ended <- await(ticket.pid) }()
		ours.Close()
		select {
		case ok := <-ended:
			if !ok {
				t.Skipf("%s: it cannot wait here", name)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: the end was not seen", name)
		}
		var status syscall.WaitStatus
		if got, err := syscall.Wait4(ticket.pid, &status, syscall.WNOHANG, nil); got != ticket.pid || status.ExitStatus() != 7 {
			t.Errorf("%s: got %d, %v, %v", name, got, status, err)
		}
		ticket.release()
	}
}
