package proc

import (
	"net/netip"
	"os"
	"slices"
	"strconv"
)

// KinPeer reports whether the other end of a TCP connection, of which local is our
// end, is held by another process on this machine that runs our own program as our
// own user. What forwards others' requests is none, nor is one in a pid namespace
// that we do not see into.
func KinPeer(local, remote netip.AddrPort) bool {
	end, ok := findSocket(remote, local)
	if !ok || end.inode == 0 || end.uid != uint32(os.Geteuid()) {
		return false
	}
	ours, err := os.Stat("/proc/self/exe")
	if err != nil {
		return false
	}
	for _, p := range processes() {
		exe, err := os.Stat("/proc/" + strconv.Itoa(p.pid) + "/exe")
		if err != nil || p.pid == os.Getpid() || !os.SameFile(exe, ours) {
			continue
		}
		holds, _ := holdsSocket(p.pid, end.inode)
		if holds && !slices.ContainsFunc(uidsOf(p.pid), func(uid uint32) bool { return uid != end.uid }) {
			return true
		}
	}
	return false
}
