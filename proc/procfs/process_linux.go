package procfs

import (
	"bytes"
	"iter"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// Process is the content of /proc/PID/stat. A pid together with its start is unique; a pid
// alone is not.
type Process struct {
	PID, PPID, Group, Session int
	State                     byte // 'R', 'S', 'T', 'Z', …
	Threads                   int
	Kernel                    bool   // it is a kernel thread
	Start                     uint64 // when it was started; see Clock
	Terminal                  uint64 // the device of its controlling terminal; 0: it has none
	Foreground                int    // the process group in the foreground of that terminal
}

// Zombie reports whether only the exit status is left. A process whose main thread has ended
// also shows as a zombie while its other threads run; it is not one.
func (p Process) Zombie() bool { return (p.State == 'Z' || p.State == 'X') && p.Threads <= 1 }

// All returns all processes that we can see.
func All() []Process {
	pids := numbers("/proc")
	list := make([]Process, 0, len(pids))
	for _, pid := range pids {
		if p, ok := Read(pid); ok {
			list = append(list, p)
		}
	}
	return list
}

// numbers returns the entries of a directory that are numbers.
func numbers(dir string) []int { return slices.AppendSeq([]int{}, entries(dir)) }

// entries yields the entries of a directory that are numbers. It reads the directory piece by
// piece, so that a caller that stops early pays for little more than what it took.
func entries(dir string) iter.Seq[int] {
	return func(yield func(int) bool) {
		d, err := os.Open(dir)
		if err != nil {
			return
		}
		defer d.Close()
		const piece = 128
		for {
			names, err := d.Readdirnames(piece)
			for _, name := range names {
				if n, bad := strconv.Atoi(name); bad == nil && !yield(n) {
					return
				}
			}
			if err != nil { // io.EOF, or the process has ended: what was read is what there is
				return
			}
		}
	}
}

// PIDs yields the pids of all processes that we can see.
func PIDs() iter.Seq[int] { return entries("/proc") }

// TIDs yields the ids of the threads of a process.
func TIDs(pid int) iter.Seq[int] { return entries("/proc/" + strconv.Itoa(pid) + "/task") }

// Read reads one process. It reports false if no process has that pid.
func Read(pid int) (Process, bool) {
	return read(pid, "/proc/"+strconv.Itoa(pid)+"/stat")
}

// ReadThread is Read for one thread; its State is the thread's.
func ReadThread(pid, tid int) (Process, bool) {
	return read(tid, "/proc/"+strconv.Itoa(pid)+"/task/"+strconv.Itoa(tid)+"/stat")
}

func read(pid int, path string) (Process, bool) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return Process{}, false
	}
	defer unix.Close(fd)
	var buf [1024]byte
	n, err := unix.Read(fd, buf[:])
	if err != nil || n <= 0 {
		return Process{}, false
	}
	return parseStat(pid, buf[:n])
}

// parseStat reads the fields after the name. The name is in parentheses and may contain any
// byte.
func parseStat(pid int, line []byte) (Process, bool) {
	f := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(f) < 20 {
		return Process{}, false
	}
	number := func(i int) int { n, _ := strconv.Atoi(string(f[i])); return n }
	const isKernelThread = 0x200000 // PF_KTHREAD
	start, err := strconv.ParseUint(string(f[19]), 10, 64)
	return Process{
		PID: pid, State: f[0][0], PPID: number(1), Group: number(2), Session: number(3),
		Threads: number(17), Kernel: number(6)&isKernelThread != 0, Start: start,
		Terminal: device(number(4)), Foreground: number(5),
	}, err == nil
}

// device returns a device in the form of stat(2). The kernel gives it in 32 bits: the lower 8
// and the upper 12 are the minor number, those between are the major one.
func device(n int) uint64 {
	if n == 0 {
		return 0
	}
	bits := uint32(n)
	return unix.Mkdev(bits>>8&0xfff, bits&0xff|bits>>12&0xfff00)
}

// Now reads the process again. It reports false if the process is gone or the pid belongs to
// another one.
func (p Process) Now() (Process, bool) {
	now, ok := Read(p.PID)
	return now, ok && now.Start == p.Start
}

// Signal signals this process, and never a later one with the same pid.
func (p Process) Signal(s unix.Signal) {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err != nil && err != unix.ESRCH {
		// The kernel is older than Linux 5.3, or a seccomp filter forbids the call: the moment
		// between the look and the signal is not covered.
		if _, ok := p.Now(); ok {
			_ = unix.Kill(p.PID, s)
		}
		return
	}
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if _, ok := p.Now(); ok {
		_ = unix.PidfdSendSignal(fd, s, nil, 0) // an error means that it has gone meanwhile
	}
}
