//go:build !linux

package sandbox

import (
	"fmt"
	"syscall"
)

// Threads runs functions of this process. There are no rules for threads on this system.
type Threads struct{}

// NewThreads returns threads without any layer. The error says that there is no user of a thread's own.
func NewThreads(_ Rules, user *syscall.Credential) (*Threads, error) {
	if user != nil {
		return nil, fmt.Errorf("files cannot be used as user %d: %w", user.Uid, errNone)
	}
	return &Threads{}, nil
}

// Layers returns none.
func (t *Threads) Layers() Layer { return 0 }

// Run runs f.
func (t *Threads) Run(f func()) error {
	f()
	return nil
}

// Close does nothing.
func (t *Threads) Close() {}
