package proc

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// adopted returns the children that came to us, which are those that were not started here. ok
// is false if the kernel does not tell.
func (r *reaper) adopted() (pids []int, ok bool) {
	// The kernel gives orphans to the first living thread of the reaper, and
	// the main thread of a Go program does not end.
	all, ok := childrenOf(os.Getpid(), os.Getpid())
	for _, pid := range all {
		if !r.isOwned(pid) {
			pids = append(pids, pid)
		}
	}
	return pids, ok
}

// strike kills those orphans that came to us for which mine returns true. It reports whether
// there were any, including dead ones. Nothing is reaped meanwhile, so no pid can be reused.
func (r *reaper) strike(mine func(pid int) bool) (found bool) {
	r.starting.RLock()
	defer r.starting.RUnlock()
	pids, _ := r.adopted() // where the kernel does not tell, looks must do
	for _, pid := range pids {
		if mine(pid) {
			found = true
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
	return found
}

// clear kills the orphans that have come to us, and those that come because of these kills,
// until there are none or the given time is over. It returns how many it killed. It spares
// processes that are older than born or in our own session. A Host starts nothing in our
// session, but this program may have started processes there by other means, as may a script
// before it became this program.
func (r *reaper) clear(born uint64, most time.Duration) int {
	session, _ := unix.Getsid(0) // never fails for ourselves
	killed := make(map[int]uint64)
	stray := func(pid int) bool {
		p, ok := readProcess(pid)
		if !ok || p.session == session || p.start < born {
			return false
		}
		if !p.zombie() {
			killed[pid] = p.start
		}
		return true
	}
	deadline := time.Now().Add(most)
	for pause := pollMin; r.strike(stray) && time.Now().Before(deadline); pause = min(2*pause, pollMax) {
		<-time.After(pause) // while they are reaped
	}
	return len(killed)
}
