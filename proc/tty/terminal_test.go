package tty_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// playTerminal says what its terminal is like. Its first argument sets a mode.
func playTerminal(args []string) int {
	if args[0] == "raw" || args[0] == "deaf" {
		if _, err := term.MakeRaw(0); err != nil {
			fmt.Println("error", err)
			return 1
		}
	}
	if args[0] == "password" {
		fmt.Print("ready\n")
		_, err := term.ReadPassword(0)
		fmt.Println("password", err)
		return 0
	}
	winch := make(chan os.Signal, 1)
	signal.Notify(winch, syscall.SIGWINCH)
	say := func() {
		cols, rows, err := term.GetSize(1)
		fmt.Print("size ", cols, "x", rows, " ", err, "\r\n")
	}
	say()
	if args[0] == "deaf" {
		return proctest.Block()
	}
	keys := make(chan byte)
	go func() {
		var b [1]byte
		for {
			if _, err := os.Stdin.Read(b[:]); err != nil {
				return
			}
			keys <- b[0]
		}
	}()
	for {
		select {
		case <-winch:
			say()
		case k := <-keys:
			fmt.Printf("key %d\r\n", k)
			if k == 'q' {
				return 7
			}
		}
	}
}

func terminal(t testing.TB, h *proc.Host, args ...string) *proctest.Stream {
	t.Helper()
	tm, err := tty.Start(h, proctest.Command(t, args...), tty.Size{Cols: 100, Rows: 30})
	if err != nil {
		t.Fatal(err)
	}
	return proctest.FollowTerminal(t, tm)
}

func TestTerminalSizeAndResize(t *testing.T) {
	s := terminal(t, proctest.NewHost(t), "terminal", "raw")
	if got := s.Line("size"); got != "100x30 <nil>" {
		t.Errorf("at the start: %s", got)
	}
	tm := s.Terminal
	if err := tm.Resize(tty.Size{Cols: 77, Rows: 11}); err != nil {
		t.Fatal(err)
	}
	if got := s.Line("size"); got != "77x11 <nil>" {
		t.Errorf("after Resize: %s", got)
	}
	if got, err := tm.Size(); err != nil || got != (tty.Size{Cols: 77, Rows: 11}) {
		t.Errorf("Size() = %v, %v", got, err)
	}
}

func TestTerminalNeedsASize(t *testing.T) {
	_, err := tty.Start(proctest.NewHost(t), proctest.Shell("true"), tty.Size{Rows: 24})
	var e *proc.StartError
	if !errors.As(err, &e) || e.ExitCode() != 126 || !strings.Contains(err.Error(), "/bin/sh: a terminal needs at least one column") {
		t.Error(err)
	}
}

func TestTerminalTypesAndEnds(t *testing.T) {
	s := terminal(t, proctest.NewHost(t), "terminal", "raw")
	s.Line("size")
	if s.Child.Stdin() != nil {
		t.Error("there is a pipe too")
	}
	for _, k := range "aq" {
		if _, err := s.Terminal.Write([]byte(string(k))); err != nil {
			t.Fatal(err)
		}
		if got := s.Line("key"); got != strconv.Itoa(int(k)) {
			t.Errorf("key %s for %q", got, k)
		}
	}
	if got := s.End(); got.Code != 7 {
		t.Error(got)
	}
	if _, err := s.Terminal.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a write after the end: %v", err)
	}
	if _, err := s.Terminal.Mode(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Mode after the end: %v", err)
	}
}

func TestTerminalEchoes(t *testing.T) {
	c := proctest.Shell("cat")
	s := proctest.FollowTerminal(t, proctest.StartTerminal(t, proctest.NewHost(t), c))
	if _, err := s.Terminal.Write([]byte("grüße\n")); err != nil {
		t.Fatal(err)
	}
	s.Line("grüße") // the echo
	s.Line("grüße") // cat
	// Backspace removes a whole character of a cooked line.
	if _, err := s.Terminal.Write([]byte("ü\x7fx\n\x04")); err != nil {
		t.Fatal(err)
	}
	s.End()
	if got := s.All(); !strings.HasSuffix(got, "\nx\r\n") {
		t.Errorf("%q", got)
	}
}

func TestTerminalMode(t *testing.T) {
	h := proctest.NewHost(t)
	for mode, want := range map[string]tty.Mode{
		"cooked":   {Canonical: true, Echo: true},
		"raw":      {},
		"password": {Canonical: true},
	} {
		s := terminal(t, h, "terminal", mode)
		want.Foreground = s.Child.PID()
		proctest.Eventually(t, mode, func() bool {
			got, err := s.Terminal.Mode()
			if err != nil {
				t.Fatal(err)
			}
			return got == want
		})
	}
}

func TestTerminalWriteEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := terminal(t, proctest.NewHost(t), "terminal", "deaf")
	s.Line("pid")
	tm := s.Terminal
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(time.Second, func() { cancel(cause) })
	n, err := tm.Type(ctx, strings.Repeat("x", 1<<20))
	if !errors.Is(err, cause) || n == 0 || n == 1<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if _, err := tm.Type(ctx, "x"); !errors.Is(err, cause) {
		t.Errorf("with an ended context: %v", err)
	}
	// The deadline of one write is not the next one's.
	short, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	if _, err := tm.Type(short, strings.Repeat("x", 1<<20)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the second write: %v", err)
	}
}

// A grandchild that survives the hang-up keeps the terminal open; the output
// ends all the same, with all that was written before.
func TestTerminalHeldOpen(t *testing.T) {
	t.Parallel()
	c := proctest.Shell(`trap "" HUP; sleep 300 & echo pid $!; exit 5`)
	tm := proctest.StartTerminal(t, proctest.NewHost(t), c)
	child := tm.Child()
	var out strings.Builder
	exit := tm.Output(func(b []byte) { out.Write(b) })
	if exit.Code != 5 {
		t.Error(exit)
	}
	var pid int
	if _, err := fmt.Sscanf(out.String(), "pid %d", &pid); err != nil {
		t.Fatalf("%q: %v", out.String(), err)
	}
	if !proctest.Alive(pid) {
		t.Error("the grandchild was ended")
	}
	child.Stop()
	if proctest.Alive(pid) {
		t.Error("Stop left the grandchild")
	}
}

func TestTerminalLosesNothing(t *testing.T) {
	t.Parallel()
	h := proctest.NewHost(t)
	for _, n := range []int{1, 4096, 300_000, 3_000_000} {
		c := proctest.Command(t, "flood", strconv.Itoa(n))
		got := proctest.TerminalOutput(proctest.StartTerminal(t, h, c))
		if len(got) != n || !proctest.IsPattern(got) {
			t.Errorf("%d bytes of %d", len(got), n)
		}
	}
}

// A slow consumer must get all, in order, and slow the process down.
func TestTerminalSlowConsumer(t *testing.T) {
	t.Parallel()
	c := proctest.Command(t, "flood", "900000")
	var got strings.Builder
	tm := proctest.StartTerminal(t, proctest.NewHost(t), c)
	child := tm.Child()
	calls := 0
	tm.Output(func(b []byte) {
		if calls++; calls == 3 {
			select {
			case <-child.Exited():
				t.Error("the process ended though its output was not taken")
			case <-time.After(200 * time.Millisecond):
			}
		}
		got.Write(b)
	})
	if got.Len() != 900000 || !proctest.IsPattern(got.String()) {
		t.Errorf("%d bytes", got.Len())
	}
}

func TestIsForegroundTerminal(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if tty.IsForegroundTerminal(f, f) {
		t.Error("/dev/null is a terminal")
	}
	master, pts := openPTY(t)
	if tty.IsForegroundTerminal(pts, pts) || tty.IsForegroundTerminal(master, master) {
		t.Error("somebody else's terminal is ours")
	}
	s := terminal(t, proctest.NewHost(t), "foreground")
	if got := s.Line("foreground"); got != "true" {
		t.Errorf("in our own terminal: %s", got)
	}
}

func playForeground([]string) int {
	fmt.Println("foreground", tty.IsForegroundTerminal(os.Stdin, os.Stdout))
	return 0
}

// termios reads the line settings of a terminal.
func termios(t *testing.T, f *os.File) (state unix.Termios) {
	t.Helper()
	onFile(t, f, func(fd int) error {
		now, err := getTermios(fd)
		if err == nil {
			state = *now
		}
		return err
	})
	return state
}

// onFile uses a descriptor without changing the file.
func onFile(t *testing.T, f *os.File, fn func(fd int) error) {
	t.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = fn(int(fd)) }); err != nil || inner != nil {
		t.Fatal(err, inner)
	}
}
