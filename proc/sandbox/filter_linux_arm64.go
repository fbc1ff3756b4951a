package sandbox

import "golang.org/x/sys/unix"

// auditArch is the architecture of a system call that a filter judges.
const auditArch = unix.AUDIT_ARCH_AARCH64

// refusedHere are the calls of this architecture that refused does not have.
var refusedHere []uint32

// opens are the calls that open a file, each with the place of its flags.
var opens = map[uint32]uint32{unix.SYS_OPENAT: dataThird}

// foreignNumbers does nothing: there is one set of system calls.
func (p *program) foreignNumbers() {}
