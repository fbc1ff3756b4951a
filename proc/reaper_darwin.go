package proc

import (
	"errors"
	"sync"
)

// processReaper exists so that one call site is the same on all systems. On darwin orphans
// always go to launchd, so there is nothing to reap and no status to lose.
var processReaper = sync.OnceValue(func() *reaper { return new(reaper) })

type reaper struct{}

type ticket struct{}

// tagging has a use only on Linux.
type tagging int

const untagged tagging = 0

func (*reaper) join() error { return errors.ErrUnsupported }

func (*reaper) leave() int { return 0 }

func (*reaper) start(_ tagging, spawn func() (int, error)) (*ticket, error) {
	if _, err := spawn(); err != nil {
		return nil, err
	}
	return new(ticket), nil
}

func (*ticket) release() {}
