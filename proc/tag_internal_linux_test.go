package proc

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A tag is a child's own, is read in both ways, and leaves no trace in us, who may
// have one ourselves.
func TestTags(t *testing.T) {
	var was unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_RTTIME, nil, &was); err != nil || was.Cur != unix.RLIM_INFINITY && !isTag(was.Cur) {
		t.Skipf("no tags here: %v %v", was, err)
	}
	defer func() { _ = unix.Prlimit(0, unix.RLIMIT_RTTIME, &was, nil) }()
	h := NewHost(HostOptions{})
	defer h.Close()
	own := []uint64{was.Cur, uint64(newTag())}
	seen := map[tag]bool{}
	for _, limit := range own {
		if err := unix.Prlimit(0, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: limit, Max: was.Max}, nil); err != nil {
			t.Fatal(err)
		}
		for _, user := range []*User{nil, nil, {UID: 65532, GID: 65532}} {
			if user != nil && !isRoot() {
				continue
			}
			c, err := h.Start(Command{Argv: []string{"/bin/sh", "-c", "sleep 300 & wait"}, User: user})
			if err != nil {
				t.Fatal(err)
			}
			mark := c.ticket.tag
			if mark == 0 || seen[mark] {
				t.Errorf("the tag %d is not its own", mark)
			}
			seen[mark] = true
			if got := tagOf(c.PID()); got != mark {
				t.Errorf("tagOf: %d, want %d", got, mark)
			}
			if got := limitOf(c.PID()); got != uint64(mark) {
				t.Errorf("limitOf: %d, want %d", got, mark)
			}
			c.Kill()
			c.Output(nil, nil)
		}
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
	if err := unix.Prlimit(0, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: meant, Max: was.Max}, nil); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Prlimit(0, unix.RLIMIT_RTTIME, &was, nil) }()
	h := NewHost(HostOptions{})
	defer h.Close()
	for _, user := range []*User{nil, {UID: 65532, GID: 65532}} {
		if user != nil && !isRoot() {
			continue
		}
		c, err := h.Start(Command{Argv: []string{"/bin/sh", "-c", "sleep 300 & wait"}, User: user})
		if err != nil {
			t.Fatal(err)
		}
		if got := limitOf(c.PID()); c.ticket.tag != 0 || tagOf(c.PID()) != 0 || got != meant {
			t.Errorf("the tag %d, and the limit %d", c.ticket.tag, got)
		}
		c.Kill()
		c.Output(nil, nil)
	}
	if got := limitOf(os.Getpid()); got != meant {
		t.Errorf("our own limit is %d", got)
	}
}

// One look that found nobody is not believed, nor are two with a fork between them.
func TestEmptinessTakesSeveralLooks(t *testing.T) {
	var e emptiness
	for look, want := range []bool{false, false, true} {
		e.forks = "before" // somebody forked since
		if got := e.believed(); got != want {
			t.Errorf("look %d: %v", look+1, got)
		}
	}
}
