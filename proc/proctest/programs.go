// Package proctest is what the tests of processes share: programs that a test plays
// itself, children whose output is read in the background, and waiting for what
// must come.
package proctest

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/reaper"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// ProgramVariable makes the test binary play a program: its arguments are the program's name
// and the program's arguments.
const ProgramVariable = "PROC_TEST_PROGRAM"

// ReadyVariable names a descriptor that a program closes after it has printed its pid.
const ReadyVariable = "PROC_TEST_READY"

// NoExitPause avoids the second that a program built with -race waits at exit.
const NoExitPause = "GORACE=atexit_sleep_ms=0"

// Program is a program that a test binary plays. It returns the exit code.
type Program func(args []string) int

// Main is the TestMain of a package. It plays one of the package's programs or one of those
// that every test has; otherwise it runs the tests.
func Main(m *testing.M, programs map[string]Program) {
	if os.Args[0] == sandbox.ShimName {
		os.Exit(sandbox.RunShim(os.Args[1:]))
	}
	if os.Getenv(ProgramVariable) == "" {
		os.Exit(m.Run())
	}
	name, args := os.Args[1], os.Args[2:]
	run, ok := programs[name]
	if !ok {
		run, ok = common()[name]
	}
	if !ok {
		fmt.Fprintln(os.Stderr, "no such program:", name)
		os.Exit(99)
	}
	os.Exit(run(args))
}

func common() map[string]Program {
	return map[string]Program{
		"exit":     playExit,
		"spawn":    playSpawn,
		"flood":    playFlood,
		"block":    func([]string) int { return Block() },
		"stubborn": func([]string) int { return Stubborn() },
	}
}

func playExit(args []string) int {
	code, _ := strconv.Atoi(args[0])
	return code
}

// pattern is what the program "flood" writes again and again.
const pattern = "0123456789abcdef"

// playFlood writes args[0] bytes.
func playFlood(args []string) int {
	n, _ := strconv.Atoi(args[0])
	line := []byte(strings.Repeat(pattern, 4096))
	for n > 0 {
		m, err := os.Stdout.Write(line[:min(n, len(line))])
		if err != nil {
			return 1
		}
		n -= m
	}
	return 0
}

// IsPattern reports whether all of s is output of "flood".
func IsPattern(s string) bool {
	return strings.HasPrefix(strings.Repeat(pattern, len(s)/len(pattern)+1), s)
}

// Block prints its pid and waits to be killed.
func Block() int {
	fmt.Println("pid", os.Getpid())
	if fd, err := strconv.Atoi(os.Getenv(ReadyVariable)); err == nil {
		syscall.Close(fd)
	}
	select {}
}

// Stubborn is Block for a program that only SIGKILL can end.
func Stubborn() int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	return Block()
}

// Self returns the path of the test binary.
func Self(t testing.TB) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// RunApart runs a program outside of any host and returns what it writes. A test binary in its
// arguments plays one of its programs.
func RunApart(t testing.TB, argv ...string) string {
	t.Helper()
	path, err := proc.LookPath(argv[0], "", os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var p *os.Process
	release, err := reaper.Register(func() (int, error) {
		p, err = os.StartProcess(path, argv, &os.ProcAttr{
			Env: append(os.Environ(), ProgramVariable+"=1", NoExitPause), Files: []*os.File{in, w, w},
		})
		if err != nil {
			return 0, err
		}
		return p.Pid, nil
	})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	out, _ := io.ReadAll(r)
	if state, err := p.Wait(); err != nil || !state.Success() {
		t.Fatalf("%v: %v %v\n%s", argv, state, err, out)
	}
	return string(out)
}

// Command returns the command that plays a program in a process of its own.
func Command(t testing.TB, args ...string) proc.Command {
	t.Helper()
	return proc.Command{
		Argv: append([]string{Self(t)}, args...),
		Env:  append(os.Environ(), ProgramVariable+"=1", NoExitPause),
	}
}

// Marked gives a command a marker that no other test has.
func Marked(t testing.TB, c proc.Command) proc.Command {
	c.Marker = "SIDECAR_CHANNEL_TOKEN=proc-test-" + t.Name() + strconv.FormatInt(time.Now().UnixNano(), 36)
	c.Env = append(c.Env, c.Marker)
	return c
}

// Shell returns the command that runs a shell script. It is for what a shell says most shortly
// or starts fastest.
func Shell(script string) proc.Command {
	return proc.Command{Argv: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}}
}
