package reaper

import (
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
)

// register starts a process that the reaper leaves to the test.
func register(t *testing.T, how Tagging, attr *syscall.ProcAttr, script string) *Ticket {
	t.Helper()
	ticket, err := Shared().Start(how, func() (int, error) {
		return syscall.ForkExec("/bin/sh", []string{"sh", "-c", script}, attr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

// takeStatus waits for a process that register started.
func takeStatus(t *testing.T, ticket *Ticket) (status syscall.WaitStatus) {
	t.Helper()
	if got, err := syscall.Wait4(ticket.pid, &status, 0, nil); got != ticket.pid {
		t.Errorf("the owner got %d, %v", got, err)
	}
	ticket.Release()
	return status
}

// A zombie whose owner does not come hides the orphans behind it from the peek.
// They are reaped all the same, and the owner finds its status untouched.
func TestReaperLooksBehindARegisteredZombie(t *testing.T) {
	r := Shared()
	if err := r.Join(); err != nil {
		t.Skip("orphans do not come here: ", err)
	}
	defer r.Leave()
	zombie := register(t, Untagged, nil, "exit 9")
	if err := unix.Waitid(unix.P_PID, zombie.pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	parent := register(t, Untagged, nil, `(exit 3) & (sleep 0.01; exit 4) & exit 0`)
	takeStatus(t, parent)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(time.Minute)
	for {
		if pids := procfs.OwnChildren(); len(pids) == 1 && pids[0] == zombie.pid {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("children %v are left beside %d", procfs.OwnChildren(), zombie.pid)
		}
		<-tick.C
	}
	if status := takeStatus(t, zombie); status.ExitStatus() != 9 {
		t.Errorf("the owner got %v", status)
	}
}

// A late release must not give up the pid of the process that has the number by
// now.
func TestReleaseIsByTicket(t *testing.T) {
	r := newReaper()
	start := func() *Ticket {
		ticket, err := r.Start(Untagged, func() (int, error) { return 77, nil })
		if err != nil {
			t.Fatal(err)
		}
		return ticket
	}
	first := start()
	second := start() // the number was used again
	first.Release()
	if !r.Owns(77) {
		t.Error("the first release gave up the second's pid")
	}
	second.Release()
	if r.Owns(77) {
		t.Error("the pid is still registered")
	}
}

// The end of a process is seen by its pidfd, and where there is none by a thread
// that waits. Both leave its status.
func TestEndIsAwaitedAndLeftToTake(t *testing.T) {
	for name, await := range map[string]func(pid int) bool{
		"poller": polledEnd,
		"thread": func(pid int) bool { return hasEnded(pid, 0) },
	} {
		theirs, ours, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		ticket := register(t, Untagged, &syscall.ProcAttr{Files: []uintptr{theirs.Fd(), 1, 2}}, "read x; exit 7")
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
		if !hasEnded(ticket.pid, unix.WNOHANG) {
			t.Errorf("%s: it has not ended", name)
		}
		if status := takeStatus(t, ticket); status.ExitStatus() != 7 {
			t.Errorf("%s: got %v", name, status)
		}
	}
}
