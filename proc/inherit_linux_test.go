package proc_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// playDispositions says which signals it ignores, and then a child of its host.
func playDispositions([]string) int {
	const say = `grep SigIgn /proc/self/status`
	own, _ := os.ReadFile("/proc/self/status")
	for l := range strings.Lines(string(own)) {
		if strings.HasPrefix(l, "SigIgn") {
			fmt.Print("ours ", l)
		}
	}
	first, h := proc.NewHost(proc.HostOptions{}), proc.NewHost(proc.HostOptions{})
	defer h.Close()
	first.Close() // gives back what the other still needs
	child, err := h.Start(proctest.Shell(say))
	if err != nil {
		return 1
	}
	out, _, _ := proctest.Output(child)
	fmt.Print("child ", out)
	tm, err := tty.Start(h, proctest.Shell(say), tty.Size{Cols: 80, Rows: 24})
	if err != nil {
		return 1
	}
	tm.Output(func(b []byte) { fmt.Printf("child %s", b) })
	return 0
}

func TestIgnoredSignalsAreResetForTheChild(t *testing.T) {
	out := proctest.RunApart(t, "/bin/sh", "-c", `trap "" HUP INT QUIT; exec "$0" dispositions`, proctest.Self(t))
	masks := map[string][]uint64{}
	for l := range strings.Lines(out) {
		f := strings.Fields(l)
		mask, err := strconv.ParseUint(f[2], 16, 64)
		if err != nil {
			t.Fatalf("%q: %v", l, err)
		}
		masks[f[0]] = append(masks[f[0]], mask)
	}
	bits := uint64(1<<(syscall.SIGHUP-1) | 1<<(syscall.SIGINT-1) | 1<<(syscall.SIGQUIT-1))
	if len(masks["ours"]) != 1 || masks["ours"][0]&bits == 0 {
		t.Fatalf("the program itself did not inherit ignored signals: %s", out)
	}
	if len(masks["child"]) != 2 {
		t.Fatal(out)
	}
	for _, m := range masks["child"] {
		if m&bits != 0 {
			t.Errorf("the child ignores %x: %s", m&bits, out)
		}
	}
}

// sleeper starts something that lives and has no files of its own.
func sleeper(t *testing.T, h *proc.Host, terminal bool) *proc.Child {
	t.Helper()
	c := proc.Command{Argv: []string{"/bin/sleep", "300"}}
	if terminal {
		return proctest.FollowTerminal(t, proctest.StartTerminal(t, h, c)).Child
	}
	return proctest.Follow(t, proctest.Start(t, h, c)).Child
}

func TestNoFileLeaksIntoChildren(t *testing.T) {
	// Inherited as from a supervisor: without close-on-exec.
	var inherited [2]int
	if err := syscall.Pipe(inherited[:]); err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(inherited[0])
	defer syscall.Close(inherited[1])
	h := proctest.NewHost(t)
	for i, terminal := range []bool{false, true, false, true} {
		pid := sleeper(t, h, terminal).PID()
		// The loader opens libraries of its own, and closes them; what was
		// inherited stays.
		if !proctest.Within(proctest.Patience, func() bool { return len(extraFiles(t, pid)) == 0 }) {
			t.Errorf("child %d has %q", i, extraFiles(t, pid))
		}
		for fd := range 3 {
			if flags := openFlags(t, pid, fd); flags&unix.O_NONBLOCK != 0 {
				t.Errorf("descriptor %d of child %d is non-blocking", fd, i)
			}
		}
	}
}

// extraFiles are the descriptors of a process beside the standard ones.
func extraFiles(t *testing.T, pid int) (extra []string) {
	t.Helper()
	names, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if n.Name() > "2" || len(n.Name()) > 1 {
			// The error is that of one that was closed just now.
			target, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, n.Name()))
			extra = append(extra, n.Name()+": "+target)
		}
	}
	return extra
}

func openFlags(t *testing.T, pid, fd int) int64 {
	t.Helper()
	info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", pid, fd))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(info), "flags:")
	flags, err := strconv.ParseInt(strings.Fields(rest)[0], 8, 64)
	if err != nil {
		t.Fatal(err)
	}
	return flags
}

func TestUserIsDropped(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to switch users")
	}
	h := proctest.NewHost(t)
	user := func(s string) *proc.User {
		u, err := proc.ParseUser(s)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for who, want := range map[string]string{
		"65532":     "65532 65532 65532",
		"1234:5678": "1234 5678 5678",
	} {
		c := proctest.Shell(`echo $(id -u) $(id -g) $(id -G); echo reopened >/dev/stdout`)
		c.User = user(who)
		out, stderr, _ := proctest.Output(proctest.Start(t, h, c))
		if out != want+"\nreopened\n" {
			t.Errorf("%s: %q %q, want %q", who, out, stderr, want)
		}
		c = proctest.Shell(`echo $(id -u); echo reopened >$(tty)`)
		c.User = user(who)
		out = proctest.TerminalOutput(proctest.StartTerminal(t, h, c))
		if !strings.HasSuffix(out, "\nreopened\r\n") {
			t.Errorf("%s in a terminal: %q", who, out)
		}
	}
	c := proctest.Shell("true")
	c.User, c.Argv = user("65532"), []string{write(t, t.TempDir(), "mine", "#!/bin/sh\n", 0o700)}
	if _, err := h.Start(c); err == nil || !strings.Contains(err.Error(), "uid 65532") {
		t.Errorf("a file of root's: %v", err)
	}
}

// Only root may switch users, and who is not is told so.
func TestUserWithoutRoot(t *testing.T) {
	if os.Getuid() != 0 {
		c := proctest.Shell("true")
		c.User = &proc.User{UID: 1, GID: 1}
		_, err := proctest.NewHost(t).Start(c)
		if err == nil || !strings.Contains(err.Error(), "only root") {
			t.Error(err)
		}
		return
	}
	t.Skip("root may switch users")
}

func TestUndumpable(t *testing.T) {
	out := proctest.RunApart(t, proctest.Self(t), "undumpable")
	if out != "1 <nil> 0\n" {
		t.Error(out)
	}
}

func playUndumpable([]string) int {
	before, _ := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	err := proc.Undumpable()
	after, _ := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	fmt.Println(before, err, after)
	return 0
}
