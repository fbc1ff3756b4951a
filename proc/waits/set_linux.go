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

// pollNormal is POLLRDNORM, which means the same as POLLIN.
const pollNormal = 0x40

// polls returns what a thread does that waits in poll or ppoll.
func (t thread) polls(c call, timeout bool) wait {
	const size = 8 // of a struct pollfd: the descriptor, the wanted events, the events that came
	n := min(c.args[1], uint64(t.budget.descriptors))
	set, err := t.memory(c.args[0], int(n)*size)
	if err != nil {
		return wait{kind: Watches, timeout: timeout}
	}
	w := waited{others: c.args[1] > n}
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
	n, timeout := min(c.args[0], uint64(t.budget.descriptors)), c.args[4] != 0
	w := waited{others: c.args[0] > n}
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
			const exceptional = 2 // a terminal has no exceptional data: editors wait for it nevertheless
			if binary.NativeEndian.Uint64(set[fd/64*8:])&(1<<(fd%64)) != 0 && !(i == exceptional && t.isTerminal(fd)) {
				w.add(t, fd, i == 0)
			}
		}
	}
	return w.result(timeout, !w.any)
}

// watches returns what a thread does that waits in one of the calls of epoll. If the terminal is in
// its set, it may wait for other things as well, such as timers.
func (t thread) watches(c call, timeout bool) wait {
	watches := wait{kind: Watches, timeout: timeout}
	// The kernel writes the whole set at the first read of the file, however little is read: of a
	// process with that many descriptors the set is not read.
	const perSet = 4
	if t.descriptors() > perSet*t.budget.descriptors {
		return watches
	}
	data, err := t.read("/proc/" + strconv.Itoa(t.pid) + "/fdinfo/" + strconv.Itoa(descriptor(c.args[0])))
	if err != nil {
		return watches
	}
	left := t.budget.descriptors
	for line := range bytes.Lines(data) {
		if !bytes.HasPrefix(line, []byte("tfd:")) {
			continue
		}
		if left--; left < 0 || t.budget.spent() {
			return watches
		}
		f := bytes.Fields(line)
		if len(f) < 4 || string(f[2]) != "events:" {
			continue
		}
		fd, err := strconv.Atoi(string(f[1]))
		events, bad := strconv.ParseUint(string(f[3]), 16, 32)
		if err != nil || bad != nil || events&unix.EPOLLIN == 0 {
			continue
		}
		if link := t.link(fd); link == nested || t.isLink(fd, link) {
			return watches
		}
	}
	return wait{kind: Busy, doing: Waits}
}

// nested is what a descriptor in a set shows that is a set of epoll itself. Its content is not
// inspected.
const nested = "anon_inode:[eventpoll]"

// waited is what the descriptors of one wait are.
type waited struct {
	any      bool // there is at least one
	terminal bool // one is the terminal, and the thread waits until it can be read
	others   bool // one is something outside of the program, or could not be inspected
}

// add adds a descriptor. reads reports that the thread waits until it can be read.
func (w *waited) add(t thread, fd int, reads bool) {
	w.any = true
	if w.others && w.terminal { // nothing can change the result any more
		return
	}
	if t.budget.spent() {
		w.terminal, w.others = true, true
		return
	}
	link := t.link(fd)
	switch {
	case reads && t.isLink(fd, link):
		w.terminal = true
	case reads && link == nested:
		w.terminal, w.others = true, true
	case strings.HasPrefix(link, "pipe:"), strings.HasPrefix(link, "anon_inode:"):
		// A program wakes itself by these.
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

// memory reads n bytes from the memory of the process.
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
