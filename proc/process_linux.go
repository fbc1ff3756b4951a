package proc

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

// process is the content of /proc/PID/stat. A pid together with its start is unique; a pid
// alone is not.
type process struct {
	pid, ppid, group, session int
	state                     byte
	threads                   int
	kernel                    bool   // it is a kernel thread
	start                     uint64 // see clock
}

// zombie reports whether only the exit status is left. A process whose main thread has ended
// also shows as a zombie while its other threads run; it is not one.
func (p process) zombie() bool { return (p.state == 'Z' || p.state == 'X') && p.threads <= 1 }

// processes returns all processes that we can see.
func processes() []process {
	pids := numericNames("/proc")
	list := make([]process, 0, len(pids))
	for _, pid := range pids {
		if p, ok := readProcess(pid); ok {
			list = append(list, p)
		}
	}
	return list
}

// readProcess reads one process. It reports false if no process has that pid.
func readProcess(pid int) (process, bool) {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return process{}, false
	}
	defer unix.Close(fd)
	var buf [1024]byte
	n, err := unix.Read(fd, buf[:])
	if err != nil || n <= 0 {
		return process{}, false
	}
	return parseStat(pid, buf[:n])
}

// parseStat reads the fields after the name. The name is in parentheses and may contain any
// byte.
func parseStat(pid int, line []byte) (process, bool) {
	f := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(f) < 20 {
		return process{}, false
	}
	number := func(i int) int { n, _ := strconv.Atoi(string(f[i])); return n }
	const isKernelThread = 0x200000 // PF_KTHREAD
	start, err := strconv.ParseUint(string(f[19]), 10, 64)
	return process{
		pid: pid, state: f[0][0], ppid: number(1), group: number(2), session: number(3),
		threads: number(17), kernel: number(6)&isKernelThread != 0, start: start,
	}, err == nil
}

// there reads the process again. It reports false if the process is gone or the pid belongs to
// another one.
func (p process) there() (process, bool) {
	now, ok := readProcess(p.pid)
	return now, ok && now.start == p.start
}

// signal signals this process, and never a later one with the same pid.
func (p process) signal(s unix.Signal) {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil && err != unix.ESRCH {
		// The kernel is older than Linux 5.3, or a seccomp filter forbids the call: the moment
		// between the look and the signal is not covered.
		if _, ok := p.there(); ok {
			_ = unix.Kill(p.pid, s)
		}
		return
	}
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if _, ok := p.there(); ok {
		_ = unix.PidfdSendSignal(fd, s, nil, 0) // an error means that it has gone meanwhile
	}
}
