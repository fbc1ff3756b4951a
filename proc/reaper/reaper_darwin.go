package reaper

import "errors"

// Shared returns the reaper of this process.
func Shared() *Reaper { return new(Reaper) }

// Reaper exists so that a caller is the same on all systems. On darwin orphans always go to
// launchd, so there is nothing to reap and no status to lose.
type Reaper struct{}

// Ticket is the registration of one started pid.
type Ticket struct{}

// Tagging says how a process gets its tag, which it does only on Linux.
type Tagging int

// Untagged gives no tag.
const Untagged Tagging = 0

// Join returns errors.ErrUnsupported.
func (*Reaper) Join() error { return errors.ErrUnsupported }

// Leave does nothing.
func (*Reaper) Leave() int { return 0 }

// Start runs spawn.
func (*Reaper) Start(_ Tagging, spawn func() (int, error)) (*Ticket, error) {
	if _, err := spawn(); err != nil {
		return nil, err
	}
	return new(Ticket), nil
}

// Release does nothing.
func (*Ticket) Release() {}
