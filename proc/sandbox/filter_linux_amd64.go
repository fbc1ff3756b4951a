package sandbox

import "golang.org/x/sys/unix"

// auditArch is the architecture of a system call that a filter judges.
const auditArch = unix.AUDIT_ARCH_X86_64

// refusedHere are the calls of this architecture that refused does not have.
var refusedHere = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS, unix.SYS__SYSCTL}

// opens are the calls that open a file, each with the place of its flags.
var opens = map[uint32]uint32{unix.SYS_OPEN: dataSecond, unix.SYS_OPENAT: dataThird}

// x32 begins the numbers of another set of system calls for the same architecture.
const x32 = 0x40000000

func (p *program) foreignNumbers() { p.ifAtLeast(x32, resultErrno(unix.ENOSYS)) }
