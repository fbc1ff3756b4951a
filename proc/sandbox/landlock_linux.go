package sandbox

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// landlock is what one version of Landlock knows.
type landlock struct {
	abi    int
	files  uint64 // the accesses to files that it can refuse
	ports  uint64 // the accesses to TCP ports that it can refuse
	scopes uint64 // what it can confine to the program and its descendants
	flags  uintptr
}

// The accesses that each kind of root gives, as far as the kernel knows them.
const (
	accessRead  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	accessExec  = accessRead | unix.LANDLOCK_ACCESS_FS_EXECUTE
	accessWrite = accessExec | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	accessDevice = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// accessFile is the part of an access that a rule for a file may have.
	accessFile = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// newestABI is the newest version that the table below knows.
const newestABI = 7

// landlockOf returns what a version knows. Each one knows what those before it know.
func landlockOf(abi int) landlock {
	l := landlock{abi: min(abi, newestABI)}
	if abi >= 1 {
		l.files = 1<<13 - 1 // up to MAKE_SYM
	}
	if abi >= 2 {
		l.files |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		l.files |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 {
		l.ports = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 5 {
		l.files |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		l.scopes = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	if abi >= 7 { // a program that sandboxes itself does not flood the audit log
		l.flags = unix.LANDLOCK_RESTRICT_SELF_LOG_SUBDOMAINS_OFF
	}
	return l
}

// landlockABI returns the version of the kernel's Landlock. The error says why there is none.
func landlockABI() (int, error) {
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch errno {
	case 0:
		return int(n), nil
	case unix.ENOSYS:
		return 0, fmt.Errorf("the kernel has no Landlock (Linux 5.13 has it), or the container refuses it: %w", errno)
	case unix.EOPNOTSUPP:
		return 0, fmt.Errorf("the kernel has Landlock off: add it to the kernel's lsm= parameter: %w", errno)
	}
	return 0, os.NewSyscallError("landlock_create_ruleset", errno)
}

// connects reports whether connections to TCP ports are restricted.
func (n *Net) connects() bool { return n == nil || n.Connect != nil }

// holdsConnect reports whether a ruleset restricts connections to TCP ports.
func (l landlock) holdsConnect(n *Net) bool {
	return n.connects() && l.ports&unix.LANDLOCK_ACCESS_NET_CONNECT_TCP != 0
}

// ruleset makes a ruleset that refuses everything. Its owner closes it.
func (l landlock) ruleset(n *Net) (*os.File, error) {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: l.files, Scoped: l.scopes}
	if n == nil || !n.Listen {
		attr.Handled_access_net |= l.ports & unix.LANDLOCK_ACCESS_NET_BIND_TCP
	}
	if l.holdsConnect(n) {
		attr.Handled_access_net |= unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	// An older kernel only takes what is beyond its own structure if it is 0.
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return nil, os.NewSyscallError("landlock_create_ruleset", errno)
	}
	ruleset := os.NewFile(fd, "landlock ruleset")
	if n == nil || !l.holdsConnect(n) {
		return ruleset, nil
	}
	for _, port := range n.Connect {
		if err := allowConnect(ruleset, port); err != nil {
			_ = ruleset.Close()
			return nil, err
		}
	}
	return ruleset, nil
}

// netPort is struct landlock_net_port_attr.
type netPort struct{ access, port uint64 }

// ruleNetPort is LANDLOCK_RULE_NET_PORT.
const ruleNetPort = 2

func allowConnect(ruleset *os.File, port uint16) error {
	rule := netPort{access: unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, port: uint64(port)}
	return addRule(ruleset, ruleNetPort, unsafe.Pointer(&rule))
}

// allow adds what an open file or directory, and everything below it, gives.
func (l landlock) allow(ruleset *os.File, o *opened, access uint64) error {
	access &= l.files
	if !o.dir {
		access &= accessFile
	}
	if access == 0 {
		return nil
	}
	// The structure is packed: a word, and half a word.
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(o.fd)}
	if err := addRule(ruleset, unix.LANDLOCK_RULE_PATH_BENEATH, unsafe.Pointer(&rule)); err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	return nil
}

func addRule(ruleset *os.File, kind uintptr, rule unsafe.Pointer) error {
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset.Fd(), kind, uintptr(rule), 0, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_add_rule", errno)
	}
	return nil
}

// restrict restricts the calling thread, and what it starts, for ever.
func restrict(ruleset, flags uintptr) error {
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, flags, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}
