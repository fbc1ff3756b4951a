//go:build linux && !amd64

package waits

// oldCall handles the calls that only older machines have: this one has none.
func (thread) oldCall(call) (wait, bool) { return wait{}, false }
