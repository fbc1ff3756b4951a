//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"
)

// judge runs a filter as the kernel does.
func judge(t *testing.T, code []unix.SockFilter, arch, call uint32, args ...uint64) uint32 {
	t.Helper()
	data := make([]byte, 64)
	binary.LittleEndian.PutUint32(data, call)
	binary.LittleEndian.PutUint32(data[4:], arch)
	for i, a := range args {
		binary.LittleEndian.PutUint64(data[16+8*i:], a)
	}
	var acc uint32
	for at := 0; at < len(code); at++ {
		i := code[at]
		jump := func(yes bool) {
			if yes {
				at += int(i.Jt)
			} else {
				at += int(i.Jf)
			}
		}
		switch i.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			acc = binary.LittleEndian.Uint32(data[i.K:])
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			acc &= i.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			jump(acc == i.K)
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			jump(acc&i.K != 0)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			jump(acc >= i.K)
		case unix.BPF_RET | unix.BPF_K:
			return i.K
		default:
			t.Fatalf("instruction %d is unknown: %+v", at, i)
		}
	}
	t.Fatal("the filter ends without a result")
	return 0
}

const allow = uint32(unix.SECCOMP_RET_ALLOW)

func TestFilter(t *testing.T) {
	eperm, eacces, enosys := resultErrno(unix.EPERM), resultErrno(unix.EACCES), resultErrno(unix.ENOSYS)
	none, tcp, full := filter(nil, 7), filter(&Net{}, 7), filter(&Net{Listen: true, Datagrams: true, Local: true}, 7)
	old := filter(nil, 2)
	const stream, dgram, raw, cloexec = unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_CLOEXEC
	for _, c := range []struct {
		name   string
		filter []unix.SockFilter
		call   uint32
		args   []uint64
		want   uint32
	}{
		{"read", none, unix.SYS_READ, nil, allow},
		{"a fork", none, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_VFORK | uint64(unix.SIGCHLD)}, allow},
		{"a thread", none, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_SIGHAND}, allow},
		{"a user namespace", none, unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)}, eperm},
		{"a mount namespace", none, unix.SYS_CLONE, []uint64{unix.CLONE_NEWNS}, eperm},
		{"clone3", none, unix.SYS_CLONE3, nil, enosys},
		{"terminal input", none, unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}, eperm},
		{"terminal input, with bits that the kernel drops", none, unix.SYS_IOCTL, []uint64{0, 1<<32 | unix.TIOCSTI}, eperm},
		{"terminal size", none, unix.SYS_IOCTL, []uint64{0, unix.TIOCGWINSZ}, allow},
		{"no socket", none, unix.SYS_SOCKET, []uint64{unix.AF_INET, stream}, eacces},
		{"no Unix socket", none, unix.SYS_SOCKET, []uint64{unix.AF_UNIX, stream}, eacces},
		{"a pair", none, unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, stream}, allow},
		{"another pair", none, unix.SYS_SOCKETPAIR, []uint64{unix.AF_TIPC, stream}, eacces},
		{"TCP", tcp, unix.SYS_SOCKET, []uint64{unix.AF_INET, stream | cloexec}, allow},
		{"TCP 6", tcp, unix.SYS_SOCKET, []uint64{unix.AF_INET6, stream}, allow},
		{"no UDP", tcp, unix.SYS_SOCKET, []uint64{unix.AF_INET, dgram | cloexec}, eacces},
		{"no Unix socket beside TCP", tcp, unix.SYS_SOCKET, []uint64{unix.AF_UNIX, stream}, eacces},
		{"no listening", tcp, unix.SYS_LISTEN, nil, eacces},
		{"UDP", full, unix.SYS_SOCKET, []uint64{unix.AF_INET, dgram}, allow},
		{"a Unix socket", full, unix.SYS_SOCKET, []uint64{unix.AF_UNIX, dgram}, allow},
		{"listening", full, unix.SYS_LISTEN, nil, allow},
		{"never raw", full, unix.SYS_SOCKET, []uint64{unix.AF_INET, raw}, eacces},
		{"never packets", full, unix.SYS_SOCKET, []uint64{unix.AF_PACKET, dgram}, eacces},
		{"never netlink", full, unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, dgram}, eacces},
		{"truncate", none, unix.SYS_TRUNCATE, nil, allow},
		{"truncate on an older kernel", old, unix.SYS_TRUNCATE, nil, eacces},
		{"reading that truncates", old, unix.SYS_OPENAT, []uint64{0, 0, unix.O_TRUNC | unix.O_CLOEXEC}, eacces},
		{"writing that truncates", old, unix.SYS_OPENAT, []uint64{0, 0, unix.O_WRONLY | unix.O_TRUNC}, allow},
	} {
		if got := judge(t, c.filter, auditArch, c.call, c.args...); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
	for call := range uint32(500) { // what is not judged is allowed, and each jump is as long as it should be
		if got := judge(t, old, auditArch, call); judged(nil, 2)[call] == nil && got != allow {
			t.Errorf("call %d: %#x", call, got)
		}
	}
	for _, group := range refused {
		for _, call := range group.calls {
			if got := judge(t, full, auditArch, call); got != resultErrno(group.answer) {
				t.Errorf("call %d: %#x", call, got)
			}
		}
	}
	if got := judge(t, none, unix.AUDIT_ARCH_I386, unix.SYS_READ); got != resultKill {
		t.Errorf("another architecture: %#x", got)
	}
	if auditArch == unix.AUDIT_ARCH_X86_64 {
		if got := judge(t, none, auditArch, 0x40000000|unix.SYS_READ); got != enosys {
			t.Errorf("x32: %#x", got)
		}
	}
}
