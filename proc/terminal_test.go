package proc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/a2a-sidecar/sidecar/proc"
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
		return playBlock()
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

func terminal(t testing.TB, h *proc.Host, args ...string) *stream {
	t.Helper()
	c := command(t, args...)
	c.PTY = &proc.Size{Cols: 100, Rows: 30}
	return follow(t, start(t, h, c))
}

func TestTerminalSizeAndResize(t *testing.T) {
	s := terminal(t, newHost(t), "terminal", "raw")
	if got := s.line("size"); got != "100x30 <nil>" {
		t.Errorf("at the start: %s", got)
	}
	tm := s.child.Terminal()
	if err := tm.Resize(proc.Size{Cols: 77, Rows: 11}); err != nil {
		t.Fatal(err)
	}
	if got := s.line("size"); got != "77x11 <nil>" {
		t.Errorf("after Resize: %s", got)
	}
	if got, err := tm.Size(); err != nil || got != (proc.Size{Cols: 77, Rows: 11}) {
		t.Errorf("Size() = %v, %v", got, err)
	}
}

func TestTerminalTypesAndEnds(t *testing.T) {
	s := terminal(t, newHost(t), "terminal", "raw")
	s.line("size")
	if s.child.Stdin() != nil {
		t.Error("there is a pipe too")
	}
	for _, k := range "aq" {
		if _, err := s.child.Terminal().Write([]byte(string(k))); err != nil {
			t.Fatal(err)
		}
		if got := s.line("key"); got != itoa(int(k)) {
			t.Errorf("key %s for %q", got, k)
		}
	}
	if got := s.end(); got.Code != 7 {
		t.Error(got)
	}
	if _, err := s.child.Terminal().Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a write after the end: %v", err)
	}
	if _, err := s.child.Terminal().Mode(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Mode after the end: %v", err)
	}
}

func TestTerminalEchoes(t *testing.T) {
	c := shell("cat")
	c.PTY = &proc.Size{Cols: 80, Rows: 24}
	s := follow(t, start(t, newHost(t), c))
	if _, err := s.child.Terminal().Write([]byte("grüße\n")); err != nil {
		t.Fatal(err)
	}
	s.line("grüße") // the echo
	s.line("grüße") // cat
	// Backspace removes a whole character of a cooked line.
	if _, err := s.child.Terminal().Write([]byte("ü\x7fx\n\x04")); err != nil {
		t.Fatal(err)
	}
	s.end()
	if got := s.all(); !strings.HasSuffix(got, "\nx\r\n") {
		t.Errorf("%q", got)
	}
}

func TestTerminalMode(t *testing.T) {
	h := newHost(t)
	for mode, want := range map[string]proc.Mode{
		"cooked":   {Canonical: true, Echo: true},
		"raw":      {},
		"password": {Canonical: true},
	} {
		s := terminal(t, h, "terminal", mode)
		want.Foreground = s.child.PID()
		eventually(t, mode, func() bool {
			got, err := s.child.Terminal().Mode()
			if err != nil {
				t.Fatal(err)
			}
			return got == want
		})
	}
}

func TestTerminalWriteEndsWithItsContext(t *testing.T) {
	s := terminal(t, newHost(t), "terminal", "deaf")
	s.line("pid")
	tm := s.child.Terminal()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(time.Second, func() { cancel(cause) })
	n, err := tm.WriteContext(ctx, make([]byte, 1<<20))
	if !errors.Is(err, cause) || n == 0 || n == 1<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if _, err := tm.WriteContext(ctx, []byte("x")); !errors.Is(err, cause) {
		t.Errorf("with an ended context: %v", err)
	}
	// The deadline of one write is not the next one's.
	short, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	if _, err := tm.WriteContext(short, make([]byte, 1<<20)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the second write: %v", err)
	}
}

// A grandchild that survives the hang-up keeps the terminal open; the output
// ends all the same, with all that was written before.
func TestTerminalHeldOpen(t *testing.T) {
	c := shell(`trap "" HUP; sleep 300 & echo pid $!; exit 5`)
	c.PTY = &proc.Size{Cols: 80, Rows: 24}
	child := start(t, newHost(t), c)
	var out strings.Builder
	exit := child.Output(func(b []byte) { out.Write(b) }, nil)
	if exit.Code != 5 {
		t.Error(exit)
	}
	var pid int
	if _, err := fmt.Sscanf(out.String(), "pid %d", &pid); err != nil {
		t.Fatalf("%q: %v", out.String(), err)
	}
	if !alive(pid) {
		t.Error("the grandchild was ended")
	}
	child.Stop()
	if alive(pid) {
		t.Error("Stop left the grandchild")
	}
}

func TestTerminalLosesNothing(t *testing.T) {
	h := newHost(t)
	for _, n := range []int{1, 4096, 300_000, 3_000_000} {
		c := command(t, "flood", itoa(n))
		c.PTY = &proc.Size{Cols: 80, Rows: 24}
		got, _, exit := output(start(t, h, c))
		if len(got) != n || !isPattern(got) || !exit.Success() {
			t.Errorf("%d bytes of %d, %v", len(got), n, exit)
		}
	}
}

// A slow consumer must get all, in order, and slow the process down.
func TestTerminalSlowConsumer(t *testing.T) {
	c := command(t, "flood", "900000")
	c.PTY = &proc.Size{Cols: 80, Rows: 24}
	var got strings.Builder
	child := start(t, newHost(t), c)
	calls := 0
	child.Output(func(b []byte) {
		if calls++; calls == 3 {
			select {
			case <-child.Exited():
				t.Error("the process ended though its output was not taken")
			case <-time.After(200 * time.Millisecond):
			}
		}
		got.Write(b)
	}, nil)
	if got.Len() != 900000 || !isPattern(got.String()) {
		t.Errorf("%d bytes", got.Len())
	}
}

func TestIsForegroundTerminal(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if proc.IsForegroundTerminal(f, f) {
		t.Error("/dev/null is a terminal")
	}
	master, tty := openPTY(t)
	if proc.IsForegroundTerminal(tty, tty) || proc.IsForegroundTerminal(master, master) {
		t.Error("somebody else's terminal is ours")
	}
	s := terminal(t, newHost(t), "foreground")
	if got := s.line("foreground"); got != "true" {
		t.Errorf("in our own terminal: %s", got)
	}
}

func playForeground([]string) int {
	fmt.Println("foreground", proc.IsForegroundTerminal(os.Stdin, os.Stdout))
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
