package call

import (
	"net"
	"slices"
	"strconv"
	"sync"

	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
)

// maxConnections is how many different connections of a call are noted. Those that come after
// are counted as one.
const maxConnections = 64

// connections are those that a call's tool made or wanted to make. Many goroutines may tell of
// them.
type connections struct {
	mu  sync.Mutex
	all []audit.Egress
}

// tell notes one. The same one again is counted.
func (c *connections) tell(a egress.Attempt) {
	e := audit.Egress{Host: a.Host, Allowed: a.Allowed, Reason: a.Reason, Rule: a.Rule, File: a.File, Line: a.Line}
	if a.Port != 0 {
		e.Host = net.JoinHostPort(a.Host, strconv.Itoa(int(a.Port)))
	}
	if a.Address.IsValid() {
		e.Address = a.Address.String()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) >= maxConnections {
		e = audit.Egress{Host: "others", Reason: "more than are recorded"}
	}
	at := slices.IndexFunc(c.all, func(o audit.Egress) bool {
		o.Count = 0
		return o == e
	})
	if at < 0 {
		c.all = append(c.all, e)
		return
	}
	c.all[at].Count = max(c.all[at].Count, 1) + 1
}

// list returns what was noted.
func (c *connections) list() []audit.Egress {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.all)
}
