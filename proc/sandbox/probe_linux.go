package sandbox

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// Probe returns what this system can do. It asks the kernel once for the whole process, on a
// thread that ends then.
func Probe() Facts { return probed() }

var probed = sync.OnceValue(probe)

func probe() (f Facts) {
	f.Why = map[Layer]error{}
	abi, err := landlockABI()
	f.note(Landlock, err)
	f.ABI = abi
	f.note(Seccomp, seccompFault())
	f.note(Capabilities, nil)
	onThrowawayThread(func() {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			err = fmt.Errorf("no_new_privs is refused: %w", err)
			f.note(Landlock, err)
			f.note(Seccomp, err)
			return
		}
		if f.Layers&Landlock != 0 {
			f.note(Landlock, tryLandlock(abi))
		}
		if f.Layers&Capabilities != 0 {
			f.note(Capabilities, dropCapabilities())
		}
		if f.Layers&Seccomp != 0 {
			f.note(Seccomp, load(filter(nil, 0)))
		}
	})
	return f
}

// tryLandlock restricts the calling thread.
func tryLandlock(abi int) error {
	l := landlockOf(abi)
	set, err := l.ruleset(nil)
	if err != nil {
		return err
	}
	defer set.Close()
	return restrict(set.Fd(), l.flags)
}

// note says whether a layer can be had.
func (f *Facts) note(l Layer, err error) {
	if err != nil {
		f.Layers &^= l
		f.Why[l] = err
		return
	}
	f.Layers |= l
}
