package push

import (
	"net/url"
	"slices"
	"strings"
	"sync"
)

// slots limits how many notifications are under way: in total, for one caller, and for one
// caller at one host, so that slow receivers do not hold up the others.
type slots struct {
	all    chan struct{}
	mu     sync.Mutex
	shares map[share]*shareSlots // the shares that somebody uses or waits for
}

// share is a caller's share of the slots at a host, or at all hosts if host is "".
type share struct{ caller, host string }

type shareSlots struct {
	free  chan struct{}
	users int
}

func newSlots(n int) *slots {
	return &slots{all: make(chan struct{}, n), shares: make(map[share]*shareSlots)}
}

// take waits for a slot at the host, then for one of the caller's, then for one of the
// total, until done is closed. release gives them back; it is nil if there was none. caller
// is "" if callers are not told apart.
func (s *slots) take(done <-chan struct{}, host, caller string) (release func()) {
	return s.claim(host, caller, func(free chan struct{}) bool {
		select {
		case free <- struct{}{}:
			return true
		case <-done:
			return false
		}
	})
}

// try is like take, but does not wait.
func (s *slots) try(host, caller string) (release func()) {
	return s.claim(host, caller, func(free chan struct{}) bool {
		select {
		case free <- struct{}{}:
			return true
		default:
			return false
		}
	})
}

func (s *slots) claim(host, caller string, get func(chan struct{}) bool) (release func()) {
	shares := []share{{caller, host}}
	if caller != "" {
		shares = append(shares, share{caller: caller})
	}
	var held []func()
	release = func() {
		for _, give := range slices.Backward(held) {
			give()
		}
	}
	for _, key := range shares {
		of := s.enter(key)
		held = append(held, func() { s.leave(key, of) })
		if !get(of.free) {
			release()
			return nil
		}
		held = append(held, func() { <-of.free })
	}
	if !get(s.all) {
		release()
		return nil
	}
	held = append(held, func() { <-s.all })
	return release
}

func (s *slots) enter(key share) *shareSlots {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.shares[key]
	if of == nil {
		size := cap(s.all) / 4
		if key.host == "" {
			size = cap(s.all) / 2
		}
		of = &shareSlots{free: make(chan struct{}, max(1, size))}
		s.shares[key] = of
	}
	of.users++
	return of
}

func (s *slots) leave(key share, of *shareSlots) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of.users--; of.users == 0 {
		delete(s.shares, key)
	}
}

// host returns the part of a receiver's address that may be shown, and the same without the
// port.
func host(address string) (shown, machine string) {
	u, err := url.Parse(address)
	if err != nil {
		return "?", "?" // it was checked when it was configured
	}
	return strings.ToLower(u.Host), strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}
