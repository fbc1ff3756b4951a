//go:build !linux

package waits

// Terminal is the terminal of a process.
type Terminal struct{}

// Of returns the terminal of a process.
func Of(int) *Terminal { return &Terminal{} }

// Look returns Hidden: only Linux tells what a process waits for.
func (*Terminal) Look() Look {
	return Look{Kind: Hidden, Why: "this system does not tell what a process waits for"}
}
