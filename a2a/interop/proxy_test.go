package interop

import (
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// breaker passes connections on to a server and breaks those that have carried
// so many bytes of answers, until it has broken enough of them.
type breaker struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	left    int // connections to break
	cuts    int
	open    []net.Conn
	carries sync.WaitGroup
}

// startBreaker breaks n connections. It returns its own address.
func startBreaker(t *testing.T, base string, n int) (*breaker, string) {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &breaker{listener: l, target: u.Host, left: n}
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		b.accept()
	}()
	t.Cleanup(func() {
		l.Close()
		<-accepting
		b.end()
		b.carries.Wait()
	})
	return b, "http://" + l.Addr().String()
}

func (b *breaker) accept() {
	for {
		client, err := b.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", b.target)
		if err != nil {
			client.Close()
			continue
		}
		b.mu.Lock()
		b.open = append(b.open, client, server)
		b.mu.Unlock()
		b.carries.Go(func() {
			_, _ = io.Copy(server, client) // ends with either of them
			server.Close()
		})
		b.carries.Go(func() {
			b.carry(client, server)
			client.Close()
			server.Close()
		})
	}
}

// bytesPerLife is what a connection that is to break carries before, in answers:
// a few hundred events, and in each connection another place within one.
const bytesPerLife = 200_000

// carry copies answers. A connection breaks in one of two ways: with an end that
// nobody announced, or with a reset that also takes what had not been read.
func (b *breaker) carry(client, server net.Conn) {
	_, err := io.CopyN(client, server, int64(bytesPerLife+b.broken()*377))
	if err != nil {
		return
	}
	b.mu.Lock()
	breaks, reset := b.left > 0, b.left%2 == 0
	if breaks {
		b.left--
		b.cuts++
	}
	b.mu.Unlock()
	switch {
	case !breaks:
		_, _ = io.Copy(client, server)
	case reset:
		_ = client.(*net.TCPConn).SetLinger(0)
	}
}

// end closes what clients keep for another request.
func (b *breaker) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.open {
		c.Close()
	}
}

func (b *breaker) broken() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cuts
}

// gate holds the agent back while it is too far ahead of its client.
type gate struct {
	mu    sync.Mutex
	lead  int // how far it may be
	seen  int
	shut  bool          // the agent waits
	moved chan struct{} // closed when any of this changes
}

func startGate(t *testing.T) (*gate, string) {
	g := &gate{moved: make(chan struct{})}
	s := httptest.NewServer(g)
	t.Cleanup(func() {
		// An agent that outlived its sidecar may wait at the gate still. To be cut
		// off would make it ask again, on a connection that Close waits for.
		g.mu.Lock()
		g.change(func() { g.lead = math.MaxInt / 2 })
		g.mu.Unlock()
		s.Close()
	})
	return g, s.URL
}

// reset is for another client, which has seen nothing.
func (g *gate) reset(lead int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen, g.lead, g.shut = 0, lead, false
}

// change makes one and tells those who wait for it. mu is held.
func (g *gate) change(f func()) {
	f()
	close(g.moved)
	g.moved = make(chan struct{})
}

// ServeHTTP answers the agent when it may go on.
func (g *gate) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	written, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	for {
		g.mu.Lock()
		if shut := written >= g.seen+g.lead; shut != g.shut {
			g.change(func() { g.shut = shut })
		}
		shut, moved := g.shut, g.moved
		g.mu.Unlock()
		if !shut {
			return
		}
		select {
		case <-moved:
		case <-r.Context().Done():
			return
		}
	}
}

// saw tells the gate how much the client has.
func (g *gate) saw(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n > g.seen {
		g.change(func() { g.seen = n })
	}
}

// await waits until the agent waits.
func (g *gate) await(t *testing.T) {
	deadline := time.After(2 * time.Minute)
	for {
		g.mu.Lock()
		shut, moved := g.shut, g.moved
		g.mu.Unlock()
		if shut {
			return
		}
		select {
		case <-moved:
		case <-deadline:
			t.Fatal("the agent does not come to its gate")
		}
	}
}
