package push

import (
	"net/url"
	"strings"
	"sync"
)

// slots bound how many notifications are under way: in all, and at one host,
// so that a slow one does not hold up the others.
type slots struct {
	all     chan struct{}
	perHost int

	mu    sync.Mutex
	hosts map[string]*hostSlots // those that somebody uses or waits for
}

type hostSlots struct {
	free  chan struct{}
	users int
}

func newSlots(n int) *slots {
	return &slots{all: make(chan struct{}, n), perHost: max(1, n/4), hosts: make(map[string]*hostSlots)}
}

// take waits for a slot at the host, then for one of all, until done is closed.
// release gives both back; it is nil when there was none.
func (s *slots) take(done <-chan struct{}, host string) (release func()) {
	h := s.enter(host)
	select {
	case h.free <- struct{}{}:
	case <-done:
		s.leave(host, h)
		return nil
	}
	select {
	case s.all <- struct{}{}:
	case <-done:
		<-h.free
		s.leave(host, h)
		return nil
	}
	return func() { s.give(host, h) }
}

// try is take for somebody who does not wait.
func (s *slots) try(host string) (release func()) {
	h := s.enter(host)
	select {
	case h.free <- struct{}{}:
	default:
		s.leave(host, h)
		return nil
	}
	select {
	case s.all <- struct{}{}:
	default:
		<-h.free
		s.leave(host, h)
		return nil
	}
	return func() { s.give(host, h) }
}

func (s *slots) give(host string, h *hostSlots) {
	<-s.all
	<-h.free
	s.leave(host, h)
}

func (s *slots) enter(host string) *hostSlots {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hosts[host]
	if h == nil {
		h = &hostSlots{free: make(chan struct{}, s.perHost)}
		s.hosts[host] = h
	}
	h.users++
	return h
}

func (s *slots) leave(host string, h *hostSlots) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.users--; h.users == 0 {
		delete(s.hosts, host)
	}
}

// host is the part of a receiver's address that may be shown.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "?" // it was checked when it was configured
	}
	return strings.ToLower(u.Host)
}
