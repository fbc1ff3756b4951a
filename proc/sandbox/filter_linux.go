//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// refused are the system calls that no sandboxed program needs, and their answers. Each would
// reach another process, the kernel's configuration, or a way around the rules.
var refused = []struct {
	answer unix.Errno
	calls  []uint32
}{
	// What a program tries before another way that works.
	{unix.ENOSYS, []uint32{
		unix.SYS_CLONE3,                                                              // its flags are in memory, which a filter cannot read
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, // opens files and sockets
	}},
	{unix.EPERM, []uint32{
		// Other processes.
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE,
		unix.SYS_PIDFD_GETFD, unix.SYS_KCMP, unix.SYS_PERF_EVENT_OPEN,
		// Large and often faulty parts of the kernel.
		unix.SYS_BPF, unix.SYS_USERFAULTFD, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		// Namespaces and mounts.
		unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
		unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_MOUNT_SETATTR,
		unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK,
		// Files by number, without a path that Landlock could check.
		unix.SYS_OPEN_BY_HANDLE_AT,
		// The machine.
		unix.SYS_REBOOT, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
		unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
		unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
		unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
	}},
	{unix.EPERM, refusedHere},
}

// newNamespaces are the flags of clone that make a namespace.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// typesToTerminal are the requests of ioctl that put input into a terminal.
var typesToTerminal = []uint32{unix.TIOCSTI, tiocLinux}

// tiocLinux is TIOCLINUX, which pastes on a console.
const tiocLinux = 0x541C

// Where a filter finds what it judges: struct seccomp_data. Only the low half of an argument is
// looked at; the kernel takes all arguments here as 32 bits, except for the flags of clone,
// which have no meaning above them.
const (
	dataNumber = 0
	dataArch   = 4
	dataFirst  = 16
	dataSecond = 24
	dataThird  = 32
)

// The results of a filter.
const (
	resultAllow = unix.SECCOMP_RET_ALLOW
	resultKill  = unix.SECCOMP_RET_KILL_PROCESS
)

func resultErrno(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

// filter returns the program of classic BPF by which the kernel judges each system call. abi is
// the version of Landlock that is held, 0 for none. Calls are found by a binary search: the kernel
// runs a filter for every number there is when it is loaded, which is most of its cost.
func filter(n *Net, abi int) []unix.SockFilter {
	var p program
	p.load(dataArch)
	p.unlessEqual(auditArch, resultKill) // the numbers mean something else
	p.load(dataNumber)
	p.foreignNumbers()
	p.code = append(p.code, search(judged(n, abi))...)
	return p.code
}

// judged returns the judgements of all calls that are not simply allowed.
func judged(n *Net, abi int) judgements {
	all := judgements{}
	for _, group := range refused {
		for _, call := range group.calls {
			all.refuse(call, group.answer)
		}
	}
	all.when(unix.SYS_CLONE, func(p *program) {
		p.load(dataFirst)
		p.ifAny(newNamespaces, resultErrno(unix.EPERM))
	})
	all.when(unix.SYS_IOCTL, func(p *program) {
		p.load(dataSecond)
		for _, request := range slices.Concat(typesToTerminal, makesOwner) {
			p.ifEqual(request, resultErrno(unix.EPERM))
		}
	})
	all.others()
	if abi == 1 || abi == 2 {
		all.truncations()
	}
	all.sockets(n)
	return all
}

// truncations refuses the ways to truncate a file that has not been opened for writing, which
// Landlock sees only from its third version on.
func (all judgements) truncations() {
	all.refuse(unix.SYS_TRUNCATE, unix.EACCES)
	all.refuse(unix.SYS_OPENAT2, unix.ENOSYS) // its flags are in memory
	for call, flags := range opens {
		all.when(call, func(p *program) {
			p.load(flags)
			p.and(unix.O_ACCMODE | unix.O_TRUNC)
			p.ifEqual(unix.O_RDONLY|unix.O_TRUNC, resultErrno(unix.EACCES))
		})
	}
}

// sockets judges the calls that give a program a socket. A socket pair is connected to itself,
// and a socket that was inherited or received has been given to the program.
func (all judgements) sockets(n *Net) {
	denied := resultErrno(unix.EACCES)
	all.when(unix.SYS_SOCKETPAIR, func(p *program) {
		p.load(dataFirst)
		p.unlessEqual(unix.AF_UNIX, denied)
	})
	if n == nil {
		all.refuse(unix.SYS_SOCKET, unix.EACCES)
		all.refuse(unix.SYS_LISTEN, unix.EACCES)
		return
	}
	if !n.Listen {
		all.refuse(unix.SYS_LISTEN, unix.EACCES)
	}
	families := []uint32{unix.AF_INET, unix.AF_INET6}
	if n.Local {
		families = append(families, unix.AF_UNIX)
	}
	all.when(unix.SYS_SOCKET, func(p *program) {
		p.load(dataFirst)
		p.unlessOneOf(families, denied)
		if n.Local { // whose datagrams go to no network
			p.ifEqual(unix.AF_UNIX, resultAllow)
		}
		types := []uint32{unix.SOCK_STREAM}
		if n.Datagrams {
			types = append(types, unix.SOCK_DGRAM)
		}
		p.load(dataSecond)
		p.and(socketType)
		p.unlessOneOf(types, denied)
	})
}

// socketType is the part of a socket's type that is not a flag.
const socketType = 0xf

// load makes the calling thread, and what it starts, subject to the filter for ever.
func load(code []unix.SockFilter) error {
	fprog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	// Without the flag, kernels before 5.16 slow the program down to protect filters that
	// keep secrets.
	for _, flags := range []uintptr{unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW, 0} {
		_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&fprog)))
		runtime.KeepAlive(code)
		if errno == 0 {
			return nil
		}
		if errno != unix.EINVAL || flags == 0 {
			return os.NewSyscallError("seccomp", errno)
		}
	}
	return nil
}

// seccompFault returns why no filter can be loaded, nil if one can.
func seccompFault() error {
	answers := []uint32{resultKill, unix.SECCOMP_RET_ERRNO}
	for _, a := range answers {
		if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&a))); errno != 0 {
			return fmt.Errorf("the kernel has no seccomp filters (Linux 4.14 has them), or the container refuses them: %w", errno)
		}
	}
	return nil
}
