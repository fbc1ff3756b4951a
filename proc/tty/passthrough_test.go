package tty_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// openPTY is a real terminal: what is written to master is typed by a person,
// what is read from it is on the screen.
func openPTY(t *testing.T) (master, pts *os.File) {
	t.Helper()
	master, pts, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: 90, Rows: 20}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.SetNonblock(int(master.Fd()), true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close(); pts.Close() })
	return master, pts
}

// desk is a person at a real terminal in front of an agent.
type desk struct {
	*proctest.Stream
	t      *testing.T
	person *tty.Passthrough
	keys   *os.File // typed by the person
	pts    *os.File
	screen func() string
}

func sit(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t}
	d.keys, d.pts = openPTY(t)
	var mu sync.Mutex
	var seen bytes.Buffer
	d.screen = func() string { mu.Lock(); defer mu.Unlock(); return seen.String() }
	var reading sync.WaitGroup
	reading.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := d.keys.Read(buf)
			mu.Lock()
			seen.Write(buf[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	t.Cleanup(func() { _ = d.keys.SetReadDeadline(time.Unix(1, 0)); reading.Wait() })
	tm := startAgent(t)
	var err error
	d.person, err = tty.Attach(tm, d.pts, d.pts)
	if err != nil {
		tm.Child().Kill()
		t.Fatal(err)
	}
	d.Stream = proctest.FollowTerminal(t, tm, d.person.Show)
	t.Cleanup(d.person.Close)
	return d
}

func (d *desk) press(s string) {
	d.t.Helper()
	if _, err := io.WriteString(d.keys, s); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) shows(want string) {
	d.t.Helper()
	proctest.Eventually(d.t, "the screen to show "+want, func() bool { return strings.Contains(d.screen(), want) })
}

// startAgent starts a program that tells its size and each byte that is typed.
func startAgent(t *testing.T) *tty.Terminal {
	t.Helper()
	tm, err := tty.Start(proctest.NewHost(t), proctest.Command(t, "terminal", "raw"), tty.Size{Cols: 10, Rows: 5})
	if err != nil {
		t.Fatal(err)
	}
	return tm
}

func TestPersonSeesAndTypes(t *testing.T) {
	d := sit(t)
	if got := d.Line("size"); got != "90x20 <nil>" && d.Line("size") != "90x20 <nil>" {
		t.Errorf("the real size does not count: %s", got)
	}
	d.press("é\x03")
	for _, want := range []string{"195", "169", "3"} {
		if got := d.Line("key"); got != want {
			t.Errorf("key %s, want %s", got, want)
		}
	}
	d.shows("key 3")
	if got := d.Terminal.Arbiter().Keys(); got != 2 {
		t.Errorf("%d keys, want 2", got)
	}
}

func TestPersonFollowsTheWindow(t *testing.T) {
	d := sit(t)
	d.Line("size")
	// Not by pty.Setsize, which would make the file blocking.
	onFile(t, d.keys, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: 61, Row: 17})
	})
	// The kernel tells the terminal's foreground group, which we are not in.
	if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
		t.Fatal(err)
	}
	proctest.Eventually(t, "the new size", func() bool {
		got, err := d.Terminal.Size()
		return err == nil && got == tty.Size{Cols: 61, Rows: 17}
	})
}

func TestPersonGetsTheTerminalBack(t *testing.T) {
	master, pts := openPTY(t)
	before := termios(t, pts)
	flags := fileFlags(t, pts)
	s := proctest.FollowTerminal(t, startAgent(t))
	s.Line("size")
	p, err := tty.Attach(s.Terminal, pts, pts)
	if err != nil {
		t.Fatal(err)
	}
	if got := termios(t, pts); got.Lflag&(unix.ICANON|unix.ECHO|unix.ISIG) != 0 {
		t.Error("the terminal is not raw")
	}
	if got := fileFlags(t, pts); got != flags {
		t.Errorf("the shared file has flags %x, had %x", got, flags)
	}
	p.Show([]byte("\x1b[?1049"))
	p.Show([]byte("h\x1b[?2004h\x1b[>1u\x1b[?25l\x1b[31m\x1b]0;unfinished"))
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(p.Close)
	}
	calls.Wait()
	p.Close()
	if got := termios(t, pts); got != before {
		t.Errorf("line settings %+v, were %+v", got, before)
	}
	p.Show([]byte("too late"))
	screen := shown(t, master, pts)
	_, reset, _ := strings.Cut(screen, "unfinished")
	if !strings.HasPrefix(reset, "\x1b\\") {
		t.Errorf("%q does not end the title", reset)
	}
	for _, want := range []string{"\x1b[?1049l", "\x1b[?2004l", "\x1b[?1000l", "\x1b[?1002l", "\x1b[?1003l", "\x1b[?1006l", "\x1b[<", "\x1b[?25h", "\x1b[0m"} {
		if !strings.Contains(reset, want) {
			t.Errorf("%q is missing in %q", want, reset)
		}
	}
	if strings.Contains(reset, "too late") {
		t.Error("Screen writes after Close")
	}
	if n := strings.Count(reset, "\x1b[?1049l"); n != 1 {
		t.Errorf("reset %d times", n)
	}
}

// shown is all that was written to the terminal so far.
func shown(t *testing.T, master, pts *os.File) string {
	t.Helper()
	const end = "that was all"
	if _, err := pts.WriteString(end); err != nil {
		t.Fatal(err)
	}
	_ = master.SetReadDeadline(time.Now().Add(proctest.Patience))
	var all []byte
	buf := make([]byte, 4096)
	for !bytes.HasSuffix(all, []byte(end)) {
		n, err := master.Read(buf)
		if err != nil {
			t.Fatalf("%v after %q", err, all)
		}
		all = append(all, buf[:n]...)
	}
	return strings.TrimSuffix(string(all), end)
}

func fileFlags(t *testing.T, f *os.File) (flags int) {
	t.Helper()
	onFile(t, f, func(fd int) (err error) {
		flags, err = unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		return err
	})
	return flags
}

func TestPersonStaysOnTheMainScreen(t *testing.T) {
	master, pts := openPTY(t)
	s := proctest.FollowTerminal(t, startAgent(t))
	p, err := tty.Attach(s.Terminal, pts, pts)
	if err != nil {
		t.Fatal(err)
	}
	p.Show([]byte("\x1b[?1049h\x1b[?1049l"))
	p.Close()
	if got := shown(t, master, pts); strings.Count(got, "\x1b[?1049l") != 1 {
		t.Errorf("%q leaves an alternate screen that is not on", got)
	}
}

// A program that was killed leaves its row, and nothing below it.
func TestPersonSeesTheProgramFall(t *testing.T) {
	for show, want := range map[string]bool{"a\r\nbox\x1b[A": true, "\x1b[?1049ha\r\nbox": false} {
		master, pts := openPTY(t)
		s := proctest.FollowTerminal(t, startAgent(t))
		p, err := tty.Attach(s.Terminal, pts, pts)
		if err != nil {
			t.Fatal(err)
		}
		p.Show([]byte(show))
		p.Killed()
		p.Close()
		if got := shown(t, master, pts); strings.HasSuffix(got, "\r\n\x1b[J") != want {
			t.Errorf("%q", got)
		}
	}
}

// Close ends a Screen that waits for a terminal that takes nothing.
func TestPersonCloseEndsAStuckScreen(t *testing.T) {
	t.Parallel()
	_, pts := openPTY(t)
	s := proctest.FollowTerminal(t, startAgent(t))
	p, err := tty.Attach(s.Terminal, pts, pts)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); p.Show(make([]byte, 4<<20)) }()
	select {
	case <-done:
		t.Error("four megabytes went nowhere")
	case <-time.After(100 * time.Millisecond):
	}
	begin := time.Now()
	p.Close()
	proctest.Receive(t, done, "Screen")
	if d := time.Since(begin); d > proctest.Patience {
		t.Errorf("took %v", d)
	}
}

func TestExclusiveHoldsKeysInOrder(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.Line("size")
	err := d.Terminal.Arbiter().Exclusive(t.Context(), nil, func() {}, func() error {
		d.press("bc")
		proctest.Eventually(t, "the keys", func() bool { return d.Terminal.Arbiter().Keys() == 2 })
		_, err := d.Terminal.Write([]byte("a\r"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []byte{'a', '\r', 'b', 'c'} {
		if got := d.Line("key"); got != strconv.Itoa(int(want)) {
			t.Errorf("key %s, want %d", got, want)
		}
	}
}

func TestExclusiveWaitsForAnEmptyLine(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.Line("size")
	d.press("half a line")
	d.Line("key")
	enter := make(chan time.Time, 1)
	got := make(chan time.Time, 1)
	var turn sync.WaitGroup
	turn.Go(func() {
		if err := d.Terminal.Arbiter().Exclusive(t.Context(), nil, func() {}, func() error { got <- time.Now(); return nil }); err != nil {
			t.Error(err)
		}
	})
	select {
	case <-got:
		t.Error("typed into the person's line")
	case <-time.After(700 * time.Millisecond):
	}
	enter <- time.Now()
	d.press("\r")
	if wait := proctest.Receive(t, got, "the turn").Sub(<-enter); wait < 500*time.Millisecond {
		t.Errorf("only %v after Enter", wait)
	}
	turn.Wait()
}

func TestExclusiveEndsWithItsContext(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.Line("size")
	d.press("x")
	d.Line("key")
	cause := errors.New("no more")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
	if err := d.Terminal.Arbiter().Exclusive(ctx, nil, func() {}, func() error { t.Error("it ran"); return nil }); !errors.Is(err, cause) {
		t.Error(err)
	}
	d.press("y") // not held
	d.Line("key")
	// A person who has left is not waited for.
	d.person.Close()
	want := errors.New("mine")
	if err := d.Terminal.Arbiter().Exclusive(t.Context(), nil, func() {}, func() error { return want }); !errors.Is(err, want) {
		t.Error(err)
	}
}

// playPerson is the whole product in small: it runs an agent and hands its own
// terminal to it.
func playPerson(args []string) int {
	h := proc.NewHost(proc.HostOptions{})
	defer h.Close()
	c := proc.Command{Argv: []string{os.Args[0], "terminal", "raw"}, Env: os.Environ()}
	tm, err := tty.Start(h, c, tty.Size{Cols: 1, Rows: 1})
	if err != nil {
		return 1
	}
	p, err := tty.Attach(tm, os.Stdin, os.Stdout)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if len(args) > 0 {
		if err := p.Guard("/proc/self/exe"); err != nil {
			fmt.Println(err)
		}
	}
	exit := tm.Output(p.Show)
	p.Close()
	fmt.Println("restored")
	return exit.Code
}

// The terminal of a program under a terminal: both ends are ours.
func TestPersonThroughTwoTerminals(t *testing.T) {
	s := terminal(t, proctest.NewHost(t), "person")
	tm := s.Terminal
	s.Line("size 100x30")
	before, err := tm.Mode()
	if err != nil || before.Canonical || before.Echo {
		t.Errorf("not raw: %+v, %v", before, err)
	}
	if err := tm.Resize(tty.Size{Cols: 66, Rows: 6}); err != nil {
		t.Fatal(err)
	}
	s.Line("size 66x6")
	if _, err := tm.Write([]byte("aq")); err != nil {
		t.Fatal(err)
	}
	s.Line("key 97")
	s.Line("key 113")
	if got := s.End(); got.Code != 7 {
		t.Error(got)
	}
	if !strings.Contains(s.All(), "restored\r\n") { // CR by the line settings
		t.Errorf("%q", s.All())
	}
}
