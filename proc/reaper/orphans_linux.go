package reaper

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
)

// Orphans returns the children that came to us, which are those that were not started here. ok
// is false if the kernel does not tell.
func (r *Reaper) Orphans() (pids []int, ok bool) {
	// The kernel gives orphans to the first living thread of the reaper, and
	// the main thread of a Go program does not end.
	all, ok := procfs.Children(os.Getpid(), os.Getpid())
	for _, pid := range all {
		if !r.Owns(pid) {
			pids = append(pids, pid)
		}
	}
	return pids, ok
}

// KillOrphans kills those orphans that came to us for which mine returns true. It reports whether
// there were any, including dead ones. Nothing is reaped meanwhile, so no pid can be reused.
func (r *Reaper) KillOrphans(mine func(pid int) bool) (found bool) {
	r.starting.RLock()
	defer r.starting.RUnlock()
	pids, _ := r.Orphans() // where the kernel does not tell, looks must do
	for _, pid := range pids {
		if mine(pid) {
			found = true
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
	return found
}

const (
	// orphanWait bounds the wait for killed orphans: a process in an uninterruptible system
	// call dies only when the call returns.
	orphanWait = 1500 * time.Millisecond
	// orphanPauseMin and orphanPauseMax bound the pauses between two kills.
	orphanPauseMin, orphanPauseMax = time.Millisecond, 50 * time.Millisecond
)

// clear kills the orphans that have come to us, and those that come because of these kills,
// until there are none or orphanWait is over. It returns how many it killed. It spares
// processes that are older than born or in our own session. Nothing that is started here is in
// our session, but this program may have started processes there by other means, as may a
// script before it became this program.
func (r *Reaper) clear(born uint64) int {
	session, _ := unix.Getsid(0) // never fails for ourselves
	killed := make(map[int]uint64)
	stray := func(pid int) bool {
		p, ok := procfs.Read(pid)
		if !ok || p.Session == session || p.Start < born {
			return false
		}
		if !p.Zombie() {
			killed[pid] = p.Start
		}
		return true
	}
	deadline := time.Now().Add(orphanWait)
	for pause := orphanPauseMin; r.KillOrphans(stray) && time.Now().Before(deadline); pause = min(2*pause, orphanPauseMax) {
		<-time.After(pause) // while they are reaped
	}
	return len(killed)
}
