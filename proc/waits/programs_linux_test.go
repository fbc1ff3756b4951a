package waits_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
	"github.com/a2a-sidecar/sidecar/proc/waits"
)

// program is a program on a terminal of its own.
type program struct {
	pid      int
	terminal *os.File
	printed  chan struct{} // closed when its mark was printed
}

// start starts a program on a terminal. If mark is not "", printed tells when the program has
// printed that.
func start(t *testing.T, mark, name string, args ...string) *program {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(name + " is not installed")
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "TERM=xterm", "PS1=ready> ", "HISTFILE=", "NODE_REPL_HISTORY=")
	master, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	p := &program{pid: cmd.Process.Pid, terminal: master, printed: make(chan struct{})}
	if err := syscall.SetNonblock(int(master.Fd()), true); err != nil { // else Close does not end the read
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.read(mark)
	}()
	t.Cleanup(func() {
		for _, member := range procfs.All() { // a shell's jobs are groups of their own, and a hang-up may be ignored
			if member.Session == p.pid {
				_ = syscall.Kill(member.PID, syscall.SIGKILL)
			}
		}
		_ = cmd.Wait()
		_ = master.Close()
		<-done
	})
	return p
}

// read reads what the program prints.
func (p *program) read(mark string) {
	var all bytes.Buffer
	seen := mark == ""
	if seen {
		close(p.printed)
	}
	buf := make([]byte, 4096)
	for {
		n, err := p.terminal.Read(buf)
		all.Write(buf[:n])
		if !seen && bytes.Contains(all.Bytes(), []byte(mark)) {
			seen = true
			close(p.printed)
		}
		if err != nil {
			return
		}
	}
}

// sees waits until a look says what is wanted, twice without a change in between.
func (p *program) sees(t *testing.T, kind waits.Kind, doing waits.Doing) waits.Look {
	t.Helper()
	select {
	case <-p.printed:
	case <-time.After(20 * time.Second):
		t.Fatal("the program did not print what it begins with")
	}
	terminal := waits.Of(p.pid)
	look := terminal.Look()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		again := terminal.Look()
		if again.Kind == kind && again.Same(look) && (kind != waits.Busy || again.Doing == doing) {
			return again
		}
		look = again
	}
	t.Fatalf("it %v (%v), not %v (%v): %+v", look.Kind, look.Doing, kind, doing, look)
	return look
}

const (
	pythonPoll   = "import select; p = select.poll(); p.register(0, select.POLLIN); print('up'); p.poll()"
	pythonBoth   = "import select, socket; a, b = socket.socketpair(); print('up'); select.select([0, a], [], [])"
	pythonEpoll  = "import select; p = select.epoll(); p.register(0, select.EPOLLIN); print('up'); p.poll()"
	pythonOff    = "import select; p = select.epoll(); p.register(0, 0); print('up'); p.poll()"
	pythonThread = "import threading, sys\nthreading.Thread(target=sys.stdin.readline).start()\nprint('up')\nthreading.Event().wait()"
	pythonPause  = "import threading, sys, signal\nthreading.Thread(target=sys.stdin.readline).start()\nprint('up')\nsignal.pause()"
	pythonWorker = "import threading, sys, time\nthreading.Thread(target=sys.stdin.readline).start()\nprint('up')\ntime.sleep(100)"
	pythonTTY    = "import os; f = os.open('/dev/tty', os.O_RDWR); print('up'); os.read(f, 1)"
	pythonPipe   = "import os; r, w = os.pipe(); print('up'); os.read(r, 1)"
	pythonOut    = "import select, os; r, w = os.pipe(); print('up'); select.select([r], [], [0])"
	pythonDoze   = "import select; print('up'); select.select([], [], [], 100)"
	pythonSpin   = "print('up')\nwhile True: pass"
	pythonNested = "import select; q = select.epoll(); q.register(0, select.EPOLLIN); p = select.epoll(); p.register(q.fileno(), select.EPOLLIN); print('up'); p.poll()"
	pythonInPoll = "import select; q = select.epoll(); q.register(0, select.EPOLLIN); p = select.poll(); p.register(q.fileno(), select.POLLIN); print('up'); p.poll()"
	// more threads than can be inspected in the time of a look
	pythonThreads = "import threading, sys\nthreading.stack_size(65536)\ne = threading.Event()\nfor i in range(3000): threading.Thread(target=e.wait, daemon=True).start()\nprint('up')\nsys.stdin.readline()"
	pythonExcept  = "import select; print('up'); select.select([0], [], [0])"
	pythonTimed   = "import select; print('up'); select.select([0], [], [], 100)"
)

// programs do one thing each with their terminal.
var programs = []struct {
	name  string
	mark  string
	argv  []string
	kind  waits.Kind
	doing waits.Doing
	calls []string // what strace shows: one of these, with {tty} for the terminal
}{
	{name: "cat", argv: []string{"cat"}, kind: waits.Reads, calls: []string{"read(0<{tty}"}},
	{name: "dash at its prompt", argv: []string{"dash", "-i"}, mark: "ready> ", kind: waits.Reads, calls: []string{"read(0<{tty}"}},
	{name: "bash at its prompt", argv: []string{"bash", "--norc", "--noprofile"}, mark: "ready> ", kind: waits.Polls, calls: []string{"pselect6(1, [0<{tty}"}},
	{name: "python's input", argv: []string{"python3", "-c", "input('name? ')"}, mark: "name? ", kind: waits.Reads, calls: []string{"read(0<{tty}"}},
	{name: "poll", argv: []string{"python3", "-c", pythonPoll}, mark: "up", kind: waits.Polls, calls: []string{"poll([{fd=0<{tty}", "restart_syscall("}},
	{name: "what is exceptional too, as vim does", argv: []string{"python3", "-c", pythonExcept}, mark: "up", kind: waits.Polls, calls: []string{"select(1, [0<{tty}", "pselect6(1, [0<{tty}"}},
	{name: "a socket too", argv: []string{"python3", "-c", pythonBoth}, mark: "up", kind: waits.Watches, calls: []string{"select(4, [0<{tty}", "pselect6(4, [0<{tty}"}},
	{name: "epoll", argv: []string{"python3", "-c", pythonEpoll}, mark: "up", kind: waits.Watches, calls: []string{"epoll_wait(", "epoll_pwait("}},
	{name: "epoll without input", argv: []string{"python3", "-c", pythonOff}, mark: "up", kind: waits.Busy, doing: waits.Waits, calls: []string{"epoll_wait(", "epoll_pwait("}},
	{name: "a set of epoll in another", argv: []string{"python3", "-c", pythonNested}, mark: "up", kind: waits.Watches, calls: []string{"epoll_wait(", "epoll_pwait("}},
	{name: "a set of epoll in a poll", argv: []string{"python3", "-c", pythonInPoll}, mark: "up", kind: waits.Watches, calls: []string{"poll([{fd=3", "restart_syscall("}},
	{name: "a poll with as many descriptors as are inspected", argv: []string{"python3", "-c", fmt.Sprintf(pythonPollN, 1023)}, mark: "up", kind: waits.Polls},
	{name: "a poll with one more", argv: []string{"python3", "-c", fmt.Sprintf(pythonPollN, 1024)}, mark: "up", kind: waits.Watches},
	{name: "a select with as many descriptors as are inspected", argv: []string{"python3", "-c", fmt.Sprintf(pythonSelectN, 1023)}, mark: "up", kind: waits.Polls},
	{name: "a select with one more", argv: []string{"python3", "-c", fmt.Sprintf(pythonSelectN, 1024)}, mark: "up", kind: waits.Watches},
	{name: "epoll with as many descriptors as are inspected", argv: []string{"python3", "-c", fmt.Sprintf(pythonEpollN, 1024)}, mark: "up", kind: waits.Busy, doing: waits.Waits},
	{name: "epoll with one more", argv: []string{"python3", "-c", fmt.Sprintf(pythonEpollN, 1025)}, mark: "up", kind: waits.Watches},
	{name: "what it reads goes to one that works", argv: []string{"dash", "-c", "cat | sleep 100"}, kind: waits.Watches},
	{name: "what it reads goes to one that waits for it", argv: []string{"dash", "-c", "cat | cat"}, kind: waits.Reads},
	{name: "one that reads next to one that works", argv: []string{"dash", "-c", "sleep 100 & cat </dev/tty"}, kind: waits.Reads},
	{name: "node at its prompt", argv: []string{"node", "-i"}, mark: "> ", kind: waits.Watches, calls: []string{"epoll_wait(", "epoll_pwait("}},
	{name: "a thread reads", argv: []string{"python3", "-c", pythonThread}, mark: "up", kind: waits.Reads, calls: []string{"read(0<{tty}"}},
	{name: "a thread reads and another waits for a signal", argv: []string{"python3", "-c", pythonPause}, mark: "up", kind: waits.Reads, calls: []string{"read(0<{tty}"}},
	{name: "a thread reads and another works", argv: []string{"python3", "-c", pythonWorker}, mark: "up", kind: waits.Watches, calls: []string{"read(0<{tty}"}},
	{name: "its /dev/tty", argv: []string{"python3", "-c", pythonTTY}, mark: "up", kind: waits.Reads, calls: []string{"read(3</dev/tty"}},
	{name: "a pipe", argv: []string{"python3", "-c", pythonPipe}, mark: "up", kind: waits.Busy, doing: waits.Waits, calls: []string{"read(3<pipe:"}},
	{name: "not to read", argv: []string{"python3", "-c", pythonOut}, mark: "up", kind: waits.Busy, doing: waits.Waits, calls: []string{"select(4, [3<pipe:", "pselect6(4, [3<pipe:"}},
	{name: "until some time", argv: []string{"python3", "-c", pythonTimed}, mark: "up", kind: waits.Polls, calls: []string{"select(1, [0<{tty}", "pselect6(1, [0<{tty}"}},
	{name: "select as a sleep", argv: []string{"python3", "-c", pythonDoze}, mark: "up", kind: waits.Busy, doing: waits.Sleeps, calls: []string{"select(0, ", "pselect6(0, "}},
	{name: "sleep after a prompt", argv: []string{"python3", "-c", "import time; print('> ', end='', flush=True); time.sleep(100)"}, mark: "> ", kind: waits.Busy, doing: waits.Sleeps, calls: []string{"clock_nanosleep("}},
	{name: "a child that sleeps", argv: []string{"dash", "-c", "sleep 100; true"}, kind: waits.Busy, doing: waits.Sleeps, calls: []string{"wait4("}},
	{name: "a signal", argv: []string{"python3", "-c", "import signal; print('up'); signal.pause()"}, mark: "up", kind: waits.Busy, doing: waits.WaitsSignal, calls: []string{"pause("}},
	{name: "at work", argv: []string{"python3", "-c", pythonSpin}, mark: "up", kind: waits.Busy, doing: waits.Runs},
}
