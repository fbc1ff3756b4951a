package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Servers are the MCP servers that are configured. Many goroutines may use it at once.
type Servers struct {
	opts Options

	setting sync.Mutex // one Set at a time

	mu      sync.Mutex
	order   []*instance
	old     []*instance // replaced or removed, with calls that still run
	changed chan struct{}
	closed  bool
}

// Status is what is known of one server.
type Status struct {
	Slug  string
	State State
	Since time.Time // when the state began
	// Retry is when it may be started again, with StateBackingOff.
	Retry time.Time
	// Starts is how often it has been running.
	Starts int
	// LastError is why it has failed, in words; "" if it has started since.
	LastError string
	// Revision is the protocol's, while it runs.
	Revision string
	// Tools and Problems are the numbers of its List.
	Tools, Problems int
	// Calls is how many calls use it.
	Calls int
}

// New returns no servers. Close ends what they start.
func New(o Options) *Servers {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	return &Servers{opts: o, changed: make(chan struct{})}
}

// Set makes these the servers, in this order. One with a known slug and Key goes on as it is.
// One with a known slug and another Key takes over: new calls go to it; the older one keeps the
// calls that it has and ends with the last of them. Set starts nothing. With an error, which
// names every bad configuration, nothing has changed.
func (s *Servers) Set(servers []Server) error {
	var errs []error
	seen := map[string]bool{}
	for at := range servers {
		errs = append(errs, servers[at].check())
		if slug := servers[at].Slug; seen[slug] {
			errs = append(errs, fmt.Errorf("MCP server %q is configured twice", slug))
		}
		seen[servers[at].Slug] = true
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	s.setting.Lock()
	defer s.setting.Unlock()
	known := map[string]*instance{}
	for _, i := range s.current() {
		known[i.cfg.Slug] = i
	}
	var order []*instance
	for _, cfg := range servers {
		i := known[cfg.Slug]
		if i == nil || i.cfg.Key != cfg.Key {
			i = newInstance(cfg, &s.opts, i, s.tell)
		} else {
			delete(known, cfg.Slug)
		}
		order = append(order, i)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("the MCP servers are closed")
	}
	s.order = order
	s.retire(known)
	close(s.changed)
	s.changed = make(chan struct{})
	return nil
}

// retire lets go of servers, and forgets those that have ended.
func (s *Servers) retire(gone map[string]*instance) {
	old := s.old
	s.old = nil
	for _, i := range gone {
		i.retire()
		old = append(old, i)
	}
	for _, i := range old {
		if !i.over() {
			s.old = append(s.old, i)
		}
	}
}

// tell says that something has changed.
func (s *Servers) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}

// Changed returns a channel that is closed when Tools returns something else, or when a server
// that has never listed its tools fails for another reason. Get it before Tools.
func (s *Servers) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// current returns the servers in their order.
func (s *Servers) current() []*instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.order
}

// Tools returns what each server offers, in the order of Set. It starts nothing: a server that
// has never listed its tools is not there (see Refresh), and one that does not run any more
// offers what it said last.
func (s *Servers) Tools() []*List {
	var lists []*List
	for _, i := range s.current() {
		if l, _ := i.snapshot(); l != nil {
			lists = append(lists, l)
		}
	}
	return lists
}

// Refresh starts the servers that do not run, all at once, so that Tools knows what they
// offer, and waits for them. The error says which could not be started; the others count.
func (s *Servers) Refresh(ctx context.Context) error {
	all := s.current()
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for n, i := range all {
		wg.Go(func() {
			session, err := i.acquire(ctx)
			if err == nil {
				err = i.current(ctx, session)
				i.release()
			}
			var failed *failedError
			switch {
			case err == nil, errors.Is(err, errReplaced):
			case errors.As(err, &failed):
				errs[n] = &failedError{slug: failed.slug, why: failed.why}
			default:
				errs[n] = fmt.Errorf("MCP server %s: %w", i.cfg.Slug, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Call calls a tool, and starts its server if need be. It returns when the tool has answered,
// or soon after ctx has ended, with its cause. The other errors wrap those of this package.
func (s *Servers) Call(ctx context.Context, c Call) (*Result, error) {
	for {
		i := s.find(c.Server)
		if i == nil {
			return nil, fmt.Errorf("%w: there is no MCP server %q", ErrUnavailable, c.Server)
		}
		r, err := i.call(ctx, c)
		if !errors.Is(err, errReplaced) || s.find(c.Server) == i {
			return r, err
		}
	}
}

func (s *Servers) find(slug string) *instance {
	for _, i := range s.current() {
		if i.cfg.Slug == slug {
			return i
		}
	}
	return nil
}

// Status returns what is known of each server, in the order of Set, and of those after them
// that were replaced or removed and still have calls.
func (s *Servers) Status() []Status {
	s.mu.Lock()
	configured := len(s.order)
	all := append(append([]*instance{}, s.order...), s.old...)
	s.mu.Unlock()
	status := make([]Status, 0, len(all))
	for n, i := range all {
		if n >= configured && i.over() {
			continue
		}
		_, st := i.snapshot()
		status = append(status, st)
	}
	return status
}

// Close ends all servers and waits for them. Calls that run end with ErrLost.
func (s *Servers) Close() {
	s.mu.Lock()
	s.closed = true
	all := append(append([]*instance{}, s.order...), s.old...)
	s.order, s.old = nil, nil
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, i := range all {
		wg.Go(func() { i.wait(errors.New("the sidecar ends")) })
	}
	wg.Wait()
}
