package server

import (
	"math"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// callers counts what each caller holds. Its methods may be called from many
// goroutines.
type callers struct {
	limits Limits

	mu    sync.Mutex
	total held
	by    map[string]*caller
	sweep int // by is swept when it has this many entries
}

// held counts the limited resources that a caller, or all callers together, hold.
type held struct {
	requests, streams int
	open              int // requests to paths that are open to anybody
	bytes             int64
}

// caller is the state of one caller.
type caller struct {
	held
	tokens float64   // in the token bucket
	filled time.Time // the time at which tokens was computed; zero: the bucket is full
}

const (
	// sweepCallers is how many callers may be known before those that hold nothing are
	// forgotten.
	sweepCallers = 1024
	// maxCallers limits the callers that are known. Of callers without requests under way,
	// only buckets that are not full yet are remembered. If there are too many of them,
	// some start again with a full bucket.
	maxCallers = 16 << 10
)

// newCallers returns nil if nothing is limited. One body of maxBody always fits: a limit
// below the size of its buffer would refuse it forever.
func newCallers(l Limits, maxBody int64) *callers {
	if !l.enabled() {
		return nil
	}
	for _, limit := range []*int64{&l.Bytes, &l.CallerBytes} {
		if *limit > 0 {
			*limit = max(*limit, maxBody+firstRead)
		}
	}
	if l.CallerRate > 0 && l.CallerBurst < 1 {
		l.CallerBurst = 1
	}
	return &callers{limits: l, by: make(map[string]*caller), sweep: sweepCallers}
}

// callerKey returns the key under which a request is counted: the caller's name, else its
// address.
func callerKey(r *http.Request, name string) string {
	if name != "" {
		return "n" + name
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return "a" + r.RemoteAddr
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.Unmap().Is4() {
		return "a" + host
	}
	prefix, err := addr.WithZone("").Prefix(64) // the prefix that one household gets
	if err != nil {
		return "a" + host
	}
	return "a" + prefix.String()
}

// get returns the caller with that key. The lock must be held.
func (c *callers) get(key string) *caller {
	if e := c.by[key]; e != nil {
		return e
	}
	if len(c.by) >= c.sweep {
		c.forget()
	}
	e := &caller{}
	c.by[key] = e
	return e
}

// forget drops callers about which nothing needs to be remembered and, above maxCallers,
// any caller that holds nothing. The lock must be held.
func (c *callers) forget() {
	now := time.Now()
	for key, e := range c.by {
		if e.held == (held{}) && (c.full(e, now) || len(c.by) >= maxCallers) {
			delete(c.by, key)
		}
	}
	c.sweep = min(max(2*len(c.by), sweepCallers), maxCallers)
}

// full reports whether the caller's bucket is full.
func (c *callers) full(e *caller, now time.Time) bool {
	return e.filled.IsZero() || e.tokens+now.Sub(e.filled).Seconds()*c.limits.CallerRate >= float64(c.limits.CallerBurst)
}

// change adds d to what the caller holds, or returns an error that names the limit that
// forbids it. Giving back always succeeds.
func (c *callers) change(key string, d held) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.get(key)
	l := &c.limits
	switch {
	case beyond(e.requests, d.requests, l.CallerRequests):
		return a2a.ErrBusy.With("this caller has %s under way, which is the limit", text.Count(e.requests, "request"))
	case beyond(e.streams, d.streams, l.CallerStreams):
		return a2a.ErrBusy.With("this caller has %s open, which is the limit", text.Count(e.streams, "stream"))
	case beyond(e.open, d.open, l.CallerRequests):
		return a2a.ErrBusy.With("this address has %s under way, which is the limit", text.Count(e.open, "request"))
	case beyond(e.requests+e.streams, d.requests+d.streams, l.callerConnections()):
		return a2a.ErrBusy.With("this caller has %d requests and streams under way; more would leave others no connection", e.requests+e.streams)
	case beyond(e.bytes, d.bytes, l.CallerBytes):
		return a2a.ErrBusy.With("this caller's request bodies under way have reached the limit of %d bytes", l.CallerBytes)
	case beyond(c.total.requests, d.requests, l.Requests):
		return a2a.ErrUnavailable.With("the server has %s under way, which is the limit", text.Count(c.total.requests, "request"))
	case beyond(c.total.streams, d.streams, l.Streams):
		return a2a.ErrUnavailable.With("the server has %s open, which is the limit", text.Count(c.total.streams, "stream"))
	case beyond(c.total.bytes, d.bytes, l.Bytes):
		return a2a.ErrUnavailable.With("the request bodies under way have reached the limit of %d bytes", l.Bytes)
	}
	e.add(d)
	c.total.add(d)
	return nil
}

func (h *held) add(d held) {
	h.requests += d.requests
	h.streams += d.streams
	h.open += d.open
	h.bytes += d.bytes
}

func beyond[N int | int64](has, more, limit N) bool {
	return more > 0 && limit > 0 && has+more > limit
}

// allowWork takes a token for a piece of new work, or returns an error that says when there
// will be one.
func (c *callers) allowWork(key string) error {
	if c.limits.CallerRate <= 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e, now := c.get(key), time.Now()
	burst := float64(c.limits.CallerBurst)
	if e.filled.IsZero() {
		e.tokens = burst
	} else {
		e.tokens = min(burst, e.tokens+now.Sub(e.filled).Seconds()*c.limits.CallerRate)
	}
	e.filled = now
	if e.tokens < 1 {
		wait := (1 - e.tokens) / c.limits.CallerRate
		busy := a2a.ErrBusy.With("this caller may begin %g pieces of work a second, after %d at once", c.limits.CallerRate, c.limits.CallerBurst)
		busy.RetryAfter = int(min(math.Ceil(wait), 3600))
		return busy
	}
	e.tokens--
	return nil
}
