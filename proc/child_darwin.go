package proc

import "os"

// reap waits for the process. On darwin there is no reliable way to wait without taking the
// status, so for a moment after the wait the lock does not protect the pid.
func (c *Child) reap() (*os.ProcessState, error) {
	state, err := c.process.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reaped, c.reapedAt = true, clock()
	return state, err
}

// clock returns 0: it is of no use without a process tree.
func clock() uint64 { return 0 }

func capacity(*os.File) int { return pipeSize }

// cgroups and cgroup exist only on Linux.
type (
	cgroups struct{}
	cgroup  struct{}
)

func (*cgroups) close() {}

func (c *Child) enter(path string, argv []string, attr *os.ProcAttr) (*os.Process, error) {
	return os.StartProcess(path, argv, attr)
}

func (c *Child) tagging() tagging { return untagged }

func (c *Child) joinCgroup() {}

func (c *Child) leaveCgroup() {}
