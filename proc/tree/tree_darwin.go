package tree

import (
	"os"

	"github.com/a2a-sidecar/sidecar/proc/reaper"
)

type platformStarter struct{}

// Close does nothing on darwin.
func (*Starter) Close() {}

type platformTree struct{}

// start starts the process.
func (t *Tree) start(path string, argv []string, attr *os.ProcAttr) (*reaper.Ticket, error) {
	return reaper.Shared().Start(reaper.Untagged, func() (pid int, err error) {
		if t.process, err = t.spawn(path, argv, attr); err != nil {
			return 0, err
		}
		t.pid = t.process.Pid
		return t.pid, nil
	})
}

// reap waits for the process. On darwin there is no reliable way to wait without taking the
// status, so for a moment after the wait the lock does not protect the pid.
func (t *Tree) reap() (*os.ProcessState, error) {
	state, err := t.process.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reaped = true
	return state, err
}

func (t *Tree) leave() {}
