package tty_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// playGuarded has the terminal, with a guard, until it is killed. It says so on
// its descriptor 3.
func playGuarded(args []string) int {
	h := proc.NewHost(proc.HostOptions{})
	defer h.Close()
	exe, err := os.Executable()
	if err != nil {
		return 1
	}
	tm, err := tty.Start(h, proc.Command{Argv: []string{exe, "block"}, Env: os.Environ()}, tty.Size{Cols: 80, Rows: 24})
	if err != nil {
		return 1
	}
	p, err := tty.Attach(tm, os.Stdin, os.Stdout)
	if err != nil {
		return 1
	}
	defer p.Close()
	p.Show([]byte(args[0]))
	if err := p.Guard(exe); err != nil {
		return 1
	}
	p.Show([]byte(args[1]))
	fmt.Fprintln(os.NewFile(3, "up"), os.Getpid())
	tm.Output(nil)
	return 0
}

// playKiller is a shell: it starts a program in front, kills it, and takes its
// terminal back.
func playKiller(args []string) int {
	before, err := unix.IoctlGetTermios(0, unix.TCGETS)
	if err != nil {
		return 1
	}
	up, theirs, err := os.Pipe()
	if err != nil {
		return 1
	}
	p, err := os.StartProcess("/proc/self/exe", append([]string{os.Args[0], "guarded"}, args...), &os.ProcAttr{
		Env: os.Environ(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr, theirs},
	})
	if err != nil {
		return 1
	}
	theirs.Close()
	line, err := bufio.NewReader(up).ReadString('\n')
	if err != nil {
		return 1
	}
	raw, err := unix.IoctlGetTermios(0, unix.TCGETS)
	if err != nil || raw.Lflag == before.Lflag {
		return 1
	}
	_ = p.Kill()
	state, err := p.Wait()
	if err != nil {
		return 1
	}
	same := proctest.Within(proctest.Patience, func() bool {
		now, err := unix.IoctlGetTermios(0, unix.TCGETS)
		return err == nil && *now == *before
	})
	fmt.Println("\nkilled", state.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL, same, strings.TrimSpace(line))
	return 0
}

// guards counts the guards of a process.
func guards(t *testing.T, pid string) (n int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if line, _ := os.ReadFile(f); string(line) == tty.GuardName+"\x00of process "+pid+"\x00" {
			n++
		}
	}
	return n
}

func TestGuardGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after string // the guard's start
		want          []string
		not           string
	}{
		"main screen":      {"\x1b[?1003h", "\x1b[?25l\x1b[>1uhalf", []string{"\x1b[?1003l", "\x1b[?2004l", "\x1b[?25h", "\x1b[<99u", "\r\n\x1b[J"}, "\x1b[?1049l"},
		"alternate before": {"\x1b[?1049h", "half", []string{"\x1b[?1049l", "\x1b[?25h"}, "\x1b[J"},
		"alternate after":  {"", "\x1b[?1049hhalf", []string{"\x1b[?1049l", "\x1b[?25h"}, "\x1b[J"},
		"alternate left":   {"\x1b[?1049h", "\x1b[?1049lhalf", []string{"\x1b[?25h", "\r\n\x1b[J"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := terminal(t, proctest.NewHost(t), "killer", c.before, c.after)
			said := strings.Fields(s.Line("killed"))
			if len(said) != 3 || said[0] != "true" || said[1] != "true" {
				t.Fatalf("killed, and the line settings are back: %q", said)
			}
			proctest.Eventually(t, "the guard's end", func() bool { return guards(t, said[2]) == 0 })
			s.End()
			_, reset, _ := strings.Cut(s.All(), "half")
			for _, want := range c.want {
				if !strings.Contains(reset, want) {
					t.Errorf("%q is missing in %q", want, reset)
				}
			}
			if c.not != "" && strings.Contains(reset, c.not) {
				t.Errorf("%q is in %q", c.not, reset)
			}
		})
	}
}

// TestGuardLeavesWithThePerson: nothing is done twice, and nobody stays.
func TestGuardLeavesWithThePerson(t *testing.T) {
	t.Parallel()
	s := terminal(t, proctest.NewHost(t), "person", "guarded")
	s.Line("size")
	pid := strconv.Itoa(s.Child.PID())
	proctest.Eventually(t, "the guard", func() bool { return guards(t, pid) == 1 })
	if _, err := s.Terminal.Write([]byte("q")); err != nil {
		t.Fatal(err)
	}
	if got := s.End(); got.Code != 7 {
		t.Error(got)
	}
	if n := guards(t, pid); n != 0 {
		t.Errorf("%d guards are left", n)
	}
	if n := bytes.Count([]byte(s.All()), []byte("\x1b[?25h")); n != 1 {
		t.Errorf("reset %d times", n)
	}
}
