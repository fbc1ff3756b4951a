package waits

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
	"golang.org/x/sys/unix"
)

// maxDescriptors is how many descriptors of one wait are looked at.
const maxDescriptors = 1024

// pollNormal is POLLRDNORM, which means the same as POLLIN.
const pollNormal = 0x40

// polls returns what a thread does that waits in poll or ppoll.
func (t thread) polls(c call, timeout bool) wait {
	const size = 8 // of a struct pollfd: the descriptor, the events, the events that came
	n := min(c.args[1], maxDescriptors)
	set, err := t.memory(c.args[0], int(n)*size)
	if err != nil {
		return wait{kind: Watches, timeout: timeout}
	}
	w := waited{others: c.args[1] > maxDescriptors}
	for ; len(set) >= size; set = set[size:] {
		fd, events := int(int32(binary.NativeEndian.Uint32(set))), binary.NativeEndian.Uint16(set[4:])
		if fd >= 0 {
			w.add(t, fd, events&(unix.POLLIN|pollNormal) != 0)
		}
	}
	return w.result(timeout, n == 0)
}

// selects returns what a thread does that waits in select or pselect6.
func (t thread) selects(c call) wait {
	n, timeout := min(c.args[0], maxDescriptors), c.args[4] != 0
	w := waited{others: c.args[0] > maxDescriptors}
	for i, addr := range c.args[1:4] { // to read, to write, with something exceptional
		if addr == 0 || n == 0 {
			continue
		}
		words := (int(n) + 63) / 64
		set, err := t.memory(addr, words*8)
		if err != nil {
			return wait{kind: Watches, timeout: timeout}
		}
		for fd := range int(n) {
			const exceptional = 2 // the terminal has no such things: editors wait for them all the same
			if binary.NativeEndian.Uint64(set[fd/64*8:])&(1<<(fd%64)) != 0 && !(i == exceptional && t.isTerminal(fd)) {
				w.add(t, fd, i == 0)
			}
		}
	}
	return w.result(timeout, !w.any)
}

// watches returns what a thread does that waits in one of the calls of epoll. Even if it waits
// for the terminal alone, other things may come by timers.
func (t thread) watches(c call, timeout bool) wait {
	data, err := t.read("/proc/" + strconv.Itoa(t.pid) + "/fdinfo/" + strconv.Itoa(descriptor(c.args[0])))
	if err != nil {
		return wait{kind: Watches, timeout: timeout}
	}
	for line := range bytes.Lines(data) {
		f := bytes.Fields(line)
		if len(f) < 4 || string(f[0]) != "tfd:" || string(f[2]) != "events:" {
			continue
		}
		fd, err := strconv.Atoi(string(f[1]))
		events, bad := strconv.ParseUint(string(f[3]), 16, 32)
		if err != nil || bad != nil || events&unix.EPOLLIN == 0 {
			continue
		}
		if link := t.link(fd); link == nested || t.isLink(fd, link) {
			return wait{kind: Watches, timeout: timeout}
		}
	}
	return wait{kind: Busy, doing: Waits}
}

// nested is a set of epoll in another set: what it holds is not looked at.
const nested = "anon_inode:[eventpoll]"

// waited is what the descriptors of one wait are.
type waited struct {
	any      bool
	terminal bool // the terminal is one of those that are waited for until they can be read
	others   bool // something outside of the program is one of them
}

func (w *waited) add(t thread, fd int, reads bool) {
	w.any = true
	link := t.link(fd)
	switch {
	case reads && t.isLink(fd, link):
		w.terminal = true
	case reads && link == nested:
		w.terminal, w.others = true, true
	case strings.HasPrefix(link, "pipe:"), strings.HasPrefix(link, "anon_inode:"):
		// By these, a program wakes itself.
	default:
		w.others = true
	}
}

// result returns what a wait for these descriptors is. A wait for nothing is a sleep.
func (w *waited) result(timeout, nothing bool) wait {
	switch {
	case w.terminal && !w.others:
		return wait{kind: Polls, timeout: timeout}
	case w.terminal:
		return wait{kind: Watches, timeout: timeout}
	case nothing && timeout:
		return wait{kind: Busy, doing: Sleeps}
	}
	return wait{kind: Busy, doing: Waits}
}

// memory reads from the memory of the process.
func (t thread) memory(addr uint64, n int) ([]byte, error) {
	path := "/proc/" + strconv.Itoa(t.pid) + "/mem"
	mem, err := os.Open(path)
	if errors.Is(err, os.ErrPermission) && os.Geteuid() == 0 {
		procfs.AsOwner(t.pid, func() { mem, err = os.Open(path) })
	}
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	data := make([]byte, n)
	_, err = mem.ReadAt(data, int64(addr))
	return data, err
}

// link returns what a descriptor is open on, "" if that cannot be seen.
func (t thread) link(fd int) string {
	path, size := t.fd(fd), 0
	var buf [64]byte
	var err error
	read := func() { size, err = unix.Readlink(path, buf[:]) }
	if read(); err == unix.EACCES && os.Geteuid() == 0 {
		procfs.AsOwner(t.pid, read)
	}
	if err != nil {
		return ""
	}
	return string(buf[:size])
}

func (t thread) fd(fd int) string { return t.file("fd/" + strconv.Itoa(fd)) }

// isTerminal reports whether a descriptor is the terminal.
func (t thread) isTerminal(fd int) bool { return t.isLink(fd, t.link(fd)) }

// isLink is isTerminal for a descriptor of which it is known what it is open on. Other things
// than devices are not touched: a network's file may not answer.
func (t thread) isLink(fd int, link string) bool {
	if !strings.HasPrefix(link, "/dev/") && !strings.Contains(link, "/pts/") {
		return false
	}
	var s unix.Stat_t
	var err error
	stat := func() { err = unix.Stat(t.fd(fd), &s) }
	if stat(); err == unix.EACCES && os.Geteuid() == 0 {
		procfs.AsOwner(t.pid, stat)
	}
	if err != nil || s.Mode&unix.S_IFMT != unix.S_IFCHR {
		return false
	}
	const ttyMajor, ttyMinor = 5, 0 // /dev/tty
	major, minor := unix.Major(s.Rdev), unix.Minor(s.Rdev)
	return s.Rdev == t.terminal || t.own && major == ttyMajor && minor == ttyMinor
}
