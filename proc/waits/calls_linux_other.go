//go:build linux && !amd64

package waits

// oldCall is call for the system calls that only amd64 has.
func (thread) oldCall(call) (wait, bool) { return wait{}, false }
