package proc

import (
	"bufio"
	"encoding/binary"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// OwnPeer reports whether the other end of a TCP connection, of which local is
// our end, is held by a process that we have started, or that descends from one:
// we adopt those that lose their parents. This process itself is none of them. An
// end that is on this machine and already closed is taken for one, since nobody
// can tell any more. So is one that nobody seems to have, when a process of ours
// runs as the user that made it and keeps its files from us, or never stops to
// start others.
//
// It cannot see through a proxy, and not into other pid namespaces than those
// below ours.
func OwnPeer(local, remote netip.AddrPort) bool {
	var own map[int]bool
	var end socket
	alone := 0
	for try := range peerTries {
		found, ok := findSocket(remote, local)
		switch {
		case !ok:
			return try > 0 // on another machine, or in another network namespace; or gone now
		case found.inode == 0:
			return true
		}
		end = found
		all := processes()
		own = descendants(all)
		for _, p := range all {
			if holds, _ := holdsSocket(p.pid, end.inode); holds {
				return own[p.pid]
			}
		}
		// One that ends has lost its files an instant before they are closed, and
		// it may have been handed on to a process that was started meanwhile.
		if !grown(own, descendants(processes())) {
			alone++
		}
		if alone == peerLooks {
			return hides(own, end, false)
		}
		<-time.After(peerPause)
	}
	return hides(own, end, true)
}

// peerTries is how often processes are looked at that keep starting others, and
// peerLooks in how many looks nobody must have a socket.
const (
	peerTries = 12
	peerLooks = 3
	peerPause = 2 * time.Millisecond
)

// grown reports whether there are processes that were not there before.
func grown(before, after map[int]bool) bool {
	for pid := range after {
		if !before[pid] {
			return true
		}
	}
	return false
}

// hides reports whether one of the processes may have the socket: it runs as the
// socket's user, and its files cannot be seen, or, with any, whatever it has.
func hides(own map[int]bool, s socket, any bool) bool {
	for pid := range own {
		if _, denied := holdsSocket(pid, s.inode); (any || denied) && slices.Contains(uidsOf(pid), s.uid) {
			return true
		}
	}
	return false
}

// descendants are the processes that descend from this one.
func descendants(all []process) map[int]bool {
	m := newMembers(all)
	m.add(m.kids[m.self]...)
	return m.in
}

// socket is one end of a connection on this machine. An inode of 0 is nobody's.
type socket struct {
	uid   uint32
	inode uint64
}

// findSocket finds a connection's end in the kernel's tables. One of IPv4 may be
// in that of IPv6.
func findSocket(local, remote netip.AddrPort) (s socket, ok bool) {
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		if s, ok = findSocketIn(table, local, remote); ok {
			return s, true
		}
	}
	return s, false
}

func findSocketIn(table string, local, remote netip.AddrPort) (s socket, ok bool) {
	f, err := os.Open(table)
	if err != nil {
		return s, false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// sl local remote state queues timer retransmits uid timeout inode …
		c := strings.Fields(lines.Text())
		if len(c) < 10 || !sameAddr(c[1], local) || !sameAddr(c[2], remote) {
			continue
		}
		uid, _ := strconv.ParseUint(c[7], 10, 32)
		s.uid = uint32(uid)
		s.inode, err = strconv.ParseUint(c[9], 10, 64)
		return s, err == nil
	}
	return s, false
}

// sameAddr compares an address of the table's, words of four bytes in the order
// of the machine and a port, in hexadecimal.
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

// holdsSocket reports whether a process has a socket open, and whether it is to
// be seen at all.
func holdsSocket(pid int, inode uint64) (holds, denied bool) {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	names, err := os.ReadDir(dir)
	if err != nil {
		return false, os.IsPermission(err)
	}
	want := "socket:[" + strconv.FormatUint(inode, 10) + "]"
	for _, n := range names {
		var buf [64]byte
		size, err := unix.Readlink(dir+"/"+n.Name(), buf[:])
		switch {
		case err == unix.EACCES || err == unix.EPERM:
			denied = true
		case err == nil && string(buf[:size]) == want:
			return true, false
		}
	}
	return false, denied
}

// uidsOf are the users that a process runs as: real, effective, saved and for
// files.
func uidsOf(pid int) (uids []uint32) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(data), "\nUid:")
	line, _, _ := strings.Cut(rest, "\n")
	for _, f := range strings.Fields(line) {
		if n, err := strconv.ParseUint(f, 10, 32); err == nil {
			uids = append(uids, uint32(n))
		}
	}
	return uids
}
