package proctest

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// Patience bounds every wait for an event that must come.
const Patience = time.Minute

// NewHost returns a host that is closed after the test's own cleanups.
func NewHost(t testing.TB) *proc.Host {
	t.Helper()
	h := proc.NewHost(proc.HostOptions{})
	t.Cleanup(h.Close)
	return h
}

// Start starts a child with pipes.
func Start(t testing.TB, h *proc.Host, c proc.Command) *proc.Child {
	t.Helper()
	child, err := h.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	return child
}

// StartTerminal starts a child under a terminal of 80 columns and 24 rows.
func StartTerminal(t testing.TB, h *proc.Host, c proc.Command) *tty.Terminal {
	t.Helper()
	tm, err := tty.Start(h, c, tty.Size{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	return tm
}

// Output reads the child's output until the child ends.
func Output(c *proc.Child) (stdout, stderr string, exit proc.Exit) {
	var out, err strings.Builder
	exit = c.Output(func(b []byte) { out.Write(b) }, func(b []byte) { err.Write(b) })
	return out.String(), err.String(), exit
}

// TerminalOutput reads and returns what the child writes to its terminal until it ends.
func TerminalOutput(tm *tty.Terminal) string {
	var out strings.Builder
	tm.Output(func(b []byte) { out.Write(b) })
	return out.String()
}

// Stream is a child whose output is read in the background until the child or the test ends.
type Stream struct {
	Child    *proc.Child
	Terminal *tty.Terminal // nil if the child has pipes

	t     testing.TB
	lines chan string
	exit  chan proc.Exit
	mu    sync.Mutex
	seen  strings.Builder
}

// Follow reads what a child with pipes writes to its standard output.
func Follow(t testing.TB, c *proc.Child) *Stream {
	t.Helper()
	s := &Stream{Child: c}
	s.follow(t, func(emit func([]byte)) proc.Exit { return c.Output(emit, nil) })
	return s
}

// FollowTerminal reads what a child writes to its terminal, and also passes it to each function
// of show.
func FollowTerminal(t testing.TB, tm *tty.Terminal, show ...func([]byte)) *Stream {
	t.Helper()
	s := &Stream{Child: tm.Child(), Terminal: tm}
	s.follow(t, func(emit func([]byte)) proc.Exit {
		return tm.Output(func(b []byte) {
			for _, f := range show {
				f(b)
			}
			emit(b)
		})
	})
	return s
}

func (s *Stream) follow(t testing.TB, output func(emit func([]byte)) proc.Exit) {
	s.t, s.lines, s.exit = t, make(chan string, 4096), make(chan proc.Exit, 1)
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
		exit := output(func(b []byte) {
			s.mu.Lock()
			s.seen.Write(b)
			s.mu.Unlock()
			_, _ = w.Write(b)
		})
		w.Close()
		s.exit <- exit
	})
	t.Cleanup(func() { s.Child.Kill(); both.Wait() })
}

// All returns what the child has written so far.
func (s *Stream) All() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.String()
}

// Line waits for the next line that begins with the word and returns the rest.
func (s *Stream) Line(word string) string {
	s.t.Helper()
	timer := time.NewTimer(Patience)
	defer timer.Stop()
	for {
		select {
		case l, ok := <-s.lines:
			if !ok {
				s.t.Fatalf("output ended without a line %q; it was %q", word, s.All())
			}
			if rest, ok := strings.CutPrefix(l, word); ok {
				return strings.TrimSpace(rest)
			}
		case <-timer.C:
			s.t.Fatalf("no line %q; output so far %q", word, s.All())
		}
	}
}

// PID waits for the next line that begins with the word and returns the number after the word.
func (s *Stream) PID(word string) int {
	s.t.Helper()
	n, err := strconv.Atoi(s.Line(word))
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// End waits for the end of the process.
func (s *Stream) End() proc.Exit {
	s.t.Helper()
	return Receive(s.t, s.exit, "the end of the process")
}

// Receive waits for a value that must come.
func Receive[T any](t testing.TB, c <-chan T, what string) T {
	t.Helper()
	timer := time.NewTimer(Patience)
	defer timer.Stop()
	select {
	case v := <-c:
		return v
	case <-timer.C:
		t.Fatalf("waited %v for %s", Patience, what)
		panic("unreachable")
	}
}

// Eventually waits for a condition that has no event of its own.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !Within(Patience, ok) {
		t.Fatalf("waited %v for %s", Patience, what)
	}
}

// Within reports whether a condition becomes true within the limit.
func Within(limit time.Duration, ok func() bool) bool {
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

// Alive reports whether a process exists. A zombie exists: its parent still has to wait for it.
func Alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
