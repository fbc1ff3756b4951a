package reaper

import (
	"os"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// setLimit gives this process a limit until the test ends.
func setLimit(t *testing.T, cur uint64, was unix.Rlimit) {
	t.Helper()
	if err := unix.Prlimit(0, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: cur, Max: was.Max}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Prlimit(0, unix.RLIMIT_RTTIME, &was, nil) })
}

// eachTagging runs f on processes that have a tag; root tries another user, too.
func eachTagging(t *testing.T, f func(*Ticket)) {
	t.Helper()
	attrs := []*syscall.ProcAttr{{}, {}}
	if os.Geteuid() == 0 {
		attrs = append(attrs, &syscall.ProcAttr{Sys: &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}})
	}
	for _, attr := range attrs {
		ticket := register(t, Tagged, attr, "exec sleep 300")
		f(ticket)
		_ = syscall.Kill(ticket.pid, syscall.SIGKILL)
		takeStatus(t, ticket)
	}
}

// A tag is a process's own, is read in both ways, and leaves no trace in us, who may
// have one ourselves.
func TestTags(t *testing.T) {
	var was unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_RTTIME, nil, &was); err != nil || was.Cur != unix.RLIM_INFINITY && !isTag(was.Cur) {
		t.Skipf("no tags here: %v %v", was, err)
	}
	var seen []Tag
	for _, limit := range []uint64{was.Cur, uint64(newTag())} {
		setLimit(t, limit, was)
		eachTagging(t, func(ticket *Ticket) {
			mark := ticket.Tag
			if mark == 0 || slices.Contains(seen, mark) {
				t.Errorf("the tag %d is not its own", mark)
			}
			seen = append(seen, mark)
			if got := TagOf(ticket.pid); got != mark {
				t.Errorf("tagOf: %d, want %d", got, mark)
			}
			if got := limitOf(ticket.pid); got != uint64(mark) {
				t.Errorf("limitOf: %d, want %d", got, mark)
			}
		})
		if got := limitOf(os.Getpid()); limit != unix.RLIM_INFINITY && got != limit || limit == unix.RLIM_INFINITY && got != 0 {
			t.Errorf("our own limit is %d, was %d", got, limit)
		}
	}
}

// A limit that somebody meant is no tag, and stays: with it there is none.
func TestMeantLimitIsNoTag(t *testing.T) {
	var was unix.Rlimit
	const meant = 1 << 50 // microseconds
	if err := unix.Prlimit(0, unix.RLIMIT_RTTIME, nil, &was); err != nil || was.Max < meant {
		t.Skipf("no such limit here: %v %v", was, err)
	}
	setLimit(t, meant, was)
	eachTagging(t, func(ticket *Ticket) {
		if got := limitOf(ticket.pid); ticket.Tag != 0 || TagOf(ticket.pid) != 0 || got != meant {
			t.Errorf("the tag %d, and the limit %d", ticket.Tag, got)
		}
	})
	if got := limitOf(os.Getpid()); got != meant {
		t.Errorf("our own limit is %d", got)
	}
}
