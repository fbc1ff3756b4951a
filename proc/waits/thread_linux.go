package waits

import (
	"bytes"
	"errors"
	"os"
	"strconv"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
	"golang.org/x/sys/unix"
)

var (
	errEnded   = errors.New("the thread has ended")
	errUntold  = errors.New("the kernel does not tell what its processes wait for")
	errUnknown = errors.New("the kernel tells in an unknown form what its processes wait for")
)

// thread is a thread of a process in the foreground.
type thread struct {
	pid, tid int
	terminal uint64 // the device of the terminal
	own      bool   // the terminal is the controlling terminal of the process, so /dev/tty names it
	budget   budget
}

// wait is what a thread does.
type wait struct {
	kind    Kind
	doing   Doing // of Busy
	timeout bool
	idle    bool // of Busy: only another thread or a signal can end the wait
	fed     bool // of Busy: the thread waits for the output of another process of a pipeline
}

// works reports whether a thread may be at work on input that another process has read.
func (w wait) works() bool {
	return w.kind == Busy && !w.idle && !w.fed && w.doing != WaitsChild
}

// file returns the path of a file about the thread.
func (t thread) file(name string) string {
	return "/proc/" + strconv.Itoa(t.pid) + "/task/" + strconv.Itoa(t.tid) + "/" + name
}

// read reads a file of /proc. A root without CAP_SYS_PTRACE reads it as the user of the process.
func (t thread) read(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrPermission) && os.Geteuid() == 0 {
		procfs.AsOwner(t.pid, func() { data, err = os.ReadFile(path) })
	}
	if errors.Is(err, unix.ESRCH) || errors.Is(err, os.ErrNotExist) {
		if _, alive := procfs.Read(t.pid); !alive {
			return nil, errEnded
		}
	}
	return data, err
}

// waits returns what the thread does. It judges by the system call in which the thread waits, or
// else by the function of the kernel in which it waits.
func (t thread) waits() (wait, error) {
	line, err := t.read(t.file("syscall"))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return t.waitsIn()
	case err != nil:
		return wait{}, err
	}
	c, state := parseCall(line)
	switch state {
	case callRuns:
		return wait{kind: Busy, doing: t.running()}, nil
	case callNone:
		return wait{kind: Busy, doing: WaitsKernel}, nil
	case callUnknown:
		return wait{}, errUnknown
	}
	w, known := t.call(c)
	if !known {
		// A program of 32 bits has other numbers for its calls.
		if in, err := t.waitsIn(); err == nil && in.kind != Busy {
			return in, nil
		}
	}
	return w, nil
}

// running returns what a thread does that is in no wait: it runs, or was stopped.
func (t thread) running() Doing {
	p, ok := procfs.ReadThread(t.pid, t.tid)
	if ok && (p.State == 'T' || p.State == 't') {
		return Stopped
	}
	return Runs
}

// waitsIn returns what the thread does, judged by the function of the kernel in which it waits. That
// function does not tell for which descriptors the thread waits.
func (t thread) waitsIn() (wait, error) {
	name, err := t.read(t.file("wchan"))
	if err != nil {
		if errors.Is(err, errEnded) || errors.Is(err, os.ErrPermission) {
			return wait{}, err
		}
		return wait{}, errUntold
	}
	for _, f := range functions {
		if bytes.HasPrefix(name, []byte(f.name)) {
			return f.wait, nil
		}
	}
	return wait{}, errUntold
}

// functions are the functions of the kernel in which threads wait, by the beginnings of their names.
var functions = []struct {
	name string
	wait wait
}{
	{"n_tty_read", wait{kind: Reads}},
	{"poll_schedule_timeout", wait{kind: Watches}},
	{"do_poll", wait{kind: Watches}},
	{"do_select", wait{kind: Watches}},
	{"ep_poll", wait{kind: Watches}},
	{"do_epoll_wait", wait{kind: Watches}},
	{"wait_woken", wait{kind: Watches}}, // a read of a terminal, or one of a few other calls
	{"hrtimer_nanosleep", wait{kind: Busy, doing: Sleeps}},
	{"do_nanosleep", wait{kind: Busy, doing: Sleeps}},
	{"do_wait", wait{kind: Busy, doing: WaitsChild}},
	{"futex", wait{kind: Busy, doing: WaitsThread}},
	{"do_sigtimedwait", wait{kind: Busy, doing: WaitsSignal}},
	{"sigsuspend", wait{kind: Busy, doing: WaitsSignal, idle: true}},
}

// switches returns how often the thread has given up its processor to wait. It returns 0 if the
// kernel does not tell.
func (t thread) switches() uint64 { return t.status("voluntary_ctxt_switches") }

// status returns a number that the status of the thread gives by that name. It returns 0 if there
// is none.
func (t thread) status(name string) uint64 {
	data, err := t.read(t.file("status"))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(data, []byte("\n"+name+":"))
	rest, _, _ = bytes.Cut(rest, []byte("\n"))
	n, _ := strconv.ParseUint(string(bytes.TrimSpace(rest)), 10, 64)
	return n
}
