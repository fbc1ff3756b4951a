package peer

import (
	"net/netip"
	"os"
	"slices"
	"strconv"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
)

// SameProgram reports whether the other end of a TCP connection is held by another process on
// this machine that runs our own program as our own user; local is our end. It reports false for
// a program that forwards the requests of others, and for a process in a pid namespace that we
// cannot see into.
func SameProgram(local, remote netip.AddrPort) bool {
	found, err := findSocket(remote, local)
	if err != nil || len(found) != 1 || found[0].inode == 0 || found[0].uid != uint32(os.Geteuid()) {
		return false
	}
	end := found[0]
	ours, err := os.Stat("/proc/self/exe")
	if err != nil {
		return false
	}
	for _, p := range procfs.All() {
		exe, err := os.Stat("/proc/" + strconv.Itoa(p.PID) + "/exe")
		if err != nil || p.PID == os.Getpid() || !os.SameFile(exe, ours) {
			continue
		}
		if p.HasSocketInMain(end.inode) && !slices.ContainsFunc(procfs.UIDs(p.PID), func(uid uint32) bool { return uid != end.uid }) {
			return true
		}
	}
	return false
}
