package proc

import "os"

// reap waits for the process. There is no way to wait without taking the status
// that is reliable on darwin, so for an instant after it the lock does not
// protect the number.
func (c *Child) reap() (*os.ProcessState, error) {
	state, err := c.process.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reaped, c.reapedAt = true, clock()
	return state, err
}

// clock has no use without a process tree.
func clock() uint64 { return 0 }

func capacity(*os.File) int { return pipeSize }
