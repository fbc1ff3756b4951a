package proc_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
)

// childVariable makes the test binary play a program: its arguments are the
// name of an entry of programs and that one's arguments.
const childVariable = "PROC_TEST_PROGRAM"

// saidVariable is a descriptor that a program closes when it has said its number.
const saidVariable = "PROC_TEST_SAID"

// noExitPause spares the second that a program built with -race waits at exit.
const noExitPause = "GORACE=atexit_sleep_ms=0"

// patience bounds every wait for an event that must come.
const patience = time.Minute

func TestMain(m *testing.M) {
	if os.Args[0] == proc.GuardName {
		proc.KeepGuard()
		return
	}
	if os.Getenv(childVariable) != "" {
		os.Exit(play(os.Args[1:]))
	}
	os.Exit(m.Run())
}

func play(args []string) int {
	run, ok := programs()[args[0]]
	if !ok {
		fmt.Fprintln(os.Stderr, "no such program:", args[0])
		return 99
	}
	return run(args[1:])
}

type program = func(args []string) int

func programs() map[string]program {
	all := map[string]program{
		"exit":  playExit,
		"raise": playRaise,
		"say":   playSay,
		"cat":   playCat,
		"flood": playFlood,
		"block": func([]string) int { return playBlock() },
		"stubborn": func([]string) int {
			signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
			return playBlock()
		},
		"report":     playReport,
		"terminal":   playTerminal,
		"foreground": playForeground,
		"person":     playPerson,
	}
	for name, p := range platformPrograms() {
		all[name] = p
	}
	return all
}

func playExit(args []string) int {
	code, _ := strconv.Atoi(args[0])
	return code
}

func playRaise(args []string) int {
	n, _ := strconv.Atoi(args[0])
	signal.Reset(syscall.Signal(n))
	_ = syscall.Kill(os.Getpid(), syscall.Signal(n))
	return playBlock()
}

func playSay(args []string) int {
	fmt.Print(args[0])
	if len(args) > 1 {
		fmt.Fprint(os.Stderr, args[1])
	}
	return 0
}

func playCat([]string) int {
	if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
		return 1
	}
	return 0
}

// playFlood writes args[0] bytes of a counted pattern.
func playFlood(args []string) int {
	n, _ := strconv.Atoi(args[0])
	line := []byte(strings.Repeat("0123456789abcdef", 4096))
	for n > 0 {
		m, err := os.Stdout.Write(line[:min(n, len(line))])
		if err != nil {
			return 1
		}
		n -= m
	}
	return 0
}

// playBlock says its pid and waits to be killed.
func playBlock() int {
	fmt.Println("pid", os.Getpid())
	if fd, err := strconv.Atoi(os.Getenv(saidVariable)); err == nil {
		syscall.Close(fd)
	}
	select {}
}

// playReport says things about itself.
func playReport(args []string) int {
	for _, what := range args {
		switch what {
		case "env":
			fmt.Printf("env %q\n", os.Environ())
		case "ids":
			groups, _ := os.Getgroups()
			fmt.Printf("ids %d %d %v\n", os.Getuid(), os.Getgid(), groups)
		case "dir":
			dir, _ := os.Getwd()
			fmt.Println("dir", dir)
		case "group":
			fmt.Println("group", os.Getpid() == syscall.Getpgrp())
		case "ignored":
			fmt.Println("ignored", signal.Ignored(syscall.SIGINT), signal.Ignored(syscall.SIGHUP), signal.Ignored(syscall.SIGQUIT))
		}
	}
	return 0
}

// command plays a program in a process of its own.
func command(t testing.TB, args ...string) proc.Command {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return proc.Command{
		Argv: append([]string{exe}, args...),
		Env:  append(os.Environ(), childVariable+"=1", noExitPause),
	}
}

// newHost closes itself, after the test's own cleanups.
func newHost(t testing.TB) *proc.Host {
	t.Helper()
	h := proc.NewHost(proc.HostOptions{})
	t.Cleanup(h.Close)
	return h
}

func start(t testing.TB, h *proc.Host, c proc.Command) *proc.Child {
	t.Helper()
	child, err := h.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	return child
}

// output runs the child to its end.
func output(c *proc.Child) (stdout, stderr string, exit proc.Exit) {
	var out, err strings.Builder
	exit = c.Output(func(b []byte) { out.Write(b) }, func(b []byte) { err.Write(b) })
	return out.String(), err.String(), exit
}

// stream is a child whose output is read in the background.
type stream struct {
	t     testing.TB
	child *proc.Child
	lines chan string
	exit  chan proc.Exit
	all   func() string
}

func follow(t testing.TB, c *proc.Child) *stream {
	t.Helper()
	return followScreen(t, c, nil)
}

// followScreen also passes what comes to screen.
func followScreen(t testing.TB, c *proc.Child, screen func([]byte)) *stream {
	t.Helper()
	s := &stream{t: t, child: c, lines: make(chan string, 4096), exit: make(chan proc.Exit, 1)}
	var mu sync.Mutex
	var seen strings.Builder
	s.all = func() string { mu.Lock(); defer mu.Unlock(); return seen.String() }
	r, w := io.Pipe()
	var both sync.WaitGroup
	both.Go(func() {
		in := bufio.NewScanner(r)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			s.lines <- strings.TrimSuffix(in.Text(), "\r")
		}
		_, _ = io.Copy(io.Discard, r)
		close(s.lines)
	})
	both.Go(func() {
		exit := c.Output(func(b []byte) {
			mu.Lock()
			seen.Write(b)
			mu.Unlock()
			if screen != nil {
				screen(b)
			}
			_, _ = w.Write(b)
		}, nil)
		w.Close()
		s.exit <- exit
	})
	t.Cleanup(func() { c.Kill(); both.Wait() })
	return s
}

// line waits for the next line that begins with the word and returns the rest.
func (s *stream) line(word string) string {
	s.t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case l, ok := <-s.lines:
			if !ok {
				s.t.Fatalf("output ended without a line %q; it was %q", word, s.all())
			}
			if rest, ok := strings.CutPrefix(l, word); ok {
				return strings.TrimSpace(rest)
			}
		case <-timer.C:
			s.t.Fatalf("no line %q; output so far %q", word, s.all())
		}
	}
}

func (s *stream) pid(word string) int {
	s.t.Helper()
	n, err := strconv.Atoi(s.line(word))
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *stream) end() proc.Exit {
	s.t.Helper()
	return receive(s.t, s.exit, "the end of the process")
}

func receive[T any](t testing.TB, c <-chan T, what string) T {
	t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case v := <-c:
		return v
	case <-timer.C:
		t.Fatalf("waited %v for %s", patience, what)
		panic("unreachable")
	}
}

// eventually waits for what has no event of its own.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !within(patience, ok) {
		t.Fatalf("waited %v for %s", patience, what)
	}
}

func within(limit time.Duration, ok func() bool) bool {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for over := time.Now().Add(limit); !ok(); {
		if time.Now().After(over) {
			return false
		}
		<-tick.C
	}
	return true
}

// alive counts zombies as alive: somebody still owes them a wait.
func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func itoa(n int) string { return strconv.Itoa(n) }

// shell runs a shell script, for what a shell says shortest or starts fastest.
func shell(script string) proc.Command {
	return proc.Command{Argv: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}}
}
