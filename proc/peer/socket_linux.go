package peer

import (
	"bufio"
	"encoding/binary"
	"errors"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// socket is one end of a connection on this machine. Inode 0 means that no process holds it.
type socket struct {
	uid    uint32
	inode  uint64
	cgroup uint64 // the cgroup it was made in, or noCgroup
}

// findSocket finds the ends of connections with these addresses in our network namespace. It
// asks the kernel, and reads the tables in /proc if the kernel does not answer. The error means
// that neither is available.
func findSocket(local, remote netip.AddrPort) ([]socket, error) {
	found, err := diagnoseSockets(local, remote)
	if err != nil {
		found, err = socketsInTables(local, remote)
	}
	return found, err
}

// The layout of the kernel's request for TCP sockets and of its answer (linux/inet_diag.h): a
// header, family and protocol; ports and addresses in network byte order; attributes after the
// answer.
const (
	diagHeader    = unix.SizeofNlMsghdr
	diagRequest   = diagHeader + 56
	diagID        = 4  // offset in the answer of ports and addresses
	diagUID       = 64 // offset in the answer of the uid, then the inode
	diagAnswer    = 72
	diagCgroup    = 21 // INET_DIAG_CGROUP_ID
	diagAllStates = 1<<32 - 1
)

// diagnoseSockets asks by NETLINK_SOCK_DIAG. This needs no /proc and also tells the cgroup. It
// lists all sockets between the two ports, because a query for a single socket does not find
// one that is bound to a device.
func diagnoseSockets(local, remote netip.AddrPort) (found []socket, err error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 1}); err != nil {
		return nil, err
	}
	if found, err = dumpSockets(fd, unix.AF_INET, local, remote); err != nil {
		return nil, err
	}
	six, err := dumpSockets(fd, unix.AF_INET6, local, remote)
	if err != nil && !errors.Is(err, unix.ENOENT) { // ENOENT: a kernel without IPv6
		return nil, err
	}
	return append(found, six...), nil
}

func dumpSockets(fd int, family byte, local, remote netip.AddrPort) (found []socket, err error) {
	q := make([]byte, diagRequest)
	binary.NativeEndian.PutUint32(q[0:], diagRequest)
	binary.NativeEndian.PutUint16(q[4:], unix.SOCK_DIAG_BY_FAMILY)
	binary.NativeEndian.PutUint16(q[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	body := q[diagHeader:]
	body[0], body[1] = family, unix.IPPROTO_TCP
	binary.NativeEndian.PutUint32(body[4:], diagAllStates)
	binary.BigEndian.PutUint16(body[8:], local.Port())
	binary.BigEndian.PutUint16(body[10:], remote.Port())
	if err := unix.Sendto(fd, q, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	for buf := make([]byte, 1<<16); ; {
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		messages, err := syscall.ParseNetlinkMessage(buf[:n])
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			switch {
			case m.Header.Type == unix.NLMSG_DONE:
				return found, nil
			case m.Header.Type == unix.NLMSG_ERROR && len(m.Data) >= 4:
				return nil, unix.Errno(-int32(binary.NativeEndian.Uint32(m.Data)))
			case len(m.Data) < diagAnswer:
				return nil, unix.EBADMSG
			case diagAddr(m.Data, 0) == unmapped(local) && diagAddr(m.Data, 1) == unmapped(remote):
				found = append(found, diagSocket(m.Data))
			}
		}
	}
}

// diagAddr returns the address of one side of an answer; side 0 is the socket's own.
func diagAddr(answer []byte, side int) netip.AddrPort {
	id := answer[diagID:]
	addr := id[4+16*side : 20+16*side]
	if answer[0] == unix.AF_INET {
		addr = addr[:4]
	}
	a, _ := netip.AddrFromSlice(addr)
	return netip.AddrPortFrom(a.Unmap(), binary.BigEndian.Uint16(id[2*side:]))
}

// unmapped returns the address in the form that diagAddr returns.
func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

func diagSocket(answer []byte) socket {
	s := socket{
		uid:   binary.NativeEndian.Uint32(answer[diagUID:]),
		inode: uint64(binary.NativeEndian.Uint32(answer[diagUID+4:])),
	}
	for attrs := answer[diagAnswer:]; len(attrs) >= unix.SizeofRtAttr; {
		size := int(binary.NativeEndian.Uint16(attrs))
		if size < unix.SizeofRtAttr || size > len(attrs) {
			break
		}
		if binary.NativeEndian.Uint16(attrs[2:]) == diagCgroup && size >= unix.SizeofRtAttr+8 {
			s.cgroup = binary.NativeEndian.Uint64(attrs[unix.SizeofRtAttr:])
		}
		attrs = attrs[min((size+3)&^3, len(attrs)):]
	}
	return s
}

// socketsInTables reads the tables in /proc. An IPv4 connection may be in the IPv6 table.
func socketsInTables(local, remote netip.AddrPort) (found []socket, err error) {
	read := false
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		f, openErr := os.Open(table)
		if openErr != nil {
			err = openErr
			continue
		}
		found = append(found, socketsIn(bufio.NewScanner(f), local, remote)...)
		f.Close() // nothing was written
		read = true
	}
	if read {
		return found, nil
	}
	return nil, err
}

func socketsIn(lines *bufio.Scanner, local, remote netip.AddrPort) (found []socket) {
	for lines.Scan() {
		// sl local remote state queues timer retransmits uid timeout inode …
		c := strings.Fields(lines.Text())
		if len(c) < 10 || !sameAddr(c[1], local) || !sameAddr(c[2], remote) {
			continue
		}
		uid, _ := strconv.ParseUint(c[7], 10, 32)
		inode, _ := strconv.ParseUint(c[9], 10, 64)
		found = append(found, socket{uid: uint32(uid), inode: inode})
	}
	return found
}

// sameAddr reports whether an address of the table equals want. The table has a port and words
// of four bytes in the machine's byte order, all in hexadecimal.
func sameAddr(text string, want netip.AddrPort) bool {
	addr, port, _ := strings.Cut(text, ":")
	if n, err := strconv.ParseUint(port, 16, 16); err != nil || uint16(n) != want.Port() {
		return false
	}
	var b []byte
	for ; len(addr) >= 8; addr = addr[8:] {
		word, err := strconv.ParseUint(addr[:8], 16, 32)
		if err != nil {
			return false
		}
		b = binary.NativeEndian.AppendUint32(b, uint32(word))
	}
	got, ok := netip.AddrFromSlice(b)
	return ok && got.Unmap() == want.Addr().Unmap().WithZone("")
}
