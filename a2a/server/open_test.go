package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// What anybody may send is answered at once, whatever body it announces: nobody
// who is not known makes the server wait.
func TestStrangersBodiesAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), Authenticate: named, Loopback: true, StallTimeout: time.Hour})
	for request, want := range map[string]int{
		"OPTIONS * HTTP/1.1\r\nHost: localhost":                                    401,
		"GET /livez HTTP/1.1\r\nHost: localhost":                                   200,
		"GET /healthz HTTP/1.1\r\nHost: localhost":                                 200,
		"POST /readyz HTTP/1.1\r\nHost: localhost":                                 405,
		"GET /.well-known/agent-card.json HTTP/1.1\r\nHost: localhost":             200,
		"POST / HTTP/1.1\r\nHost: localhost":                                       401,
		"POST / HTTP/1.1\r\nHost: evil.example":                                    421,
		"POST / HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site":         403,
		"POST /" + strings.Repeat("x", 9<<10) + " HTTP/1.1\r\nHost: localhost":     414,
		"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-HTTP-Method-Override: POST": 200,
	} {
		for _, framing := range []string{"Content-Length: 100", "Transfer-Encoding: chunked"} {
			conn := dial(t, url)
			fmt.Fprintf(conn, "%s\r\n%s\r\n\r\n", request, framing)
			if got, body := answer(t, conn); got != want {
				t.Errorf("%.80q, %s: %d %s, want %d", request, framing, got, body, want)
			}
		}
	}
}

// Whoever was refused keeps no connection from others, by never sending the body.
func TestRefusedMakeRoom(t *testing.T) {
	t.Parallel()
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), Authenticate: named, StallTimeout: time.Hour, Limits: server.Limits{Connections: 4}})
	for range 4 {
		conn := dial(t, url)
		fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n")
		if got, body := answer(t, conn); got != 401 {
			t.Fatalf("%d %s", got, body)
		}
	}
	await.True(t, "there is room for others", func() bool {
		res, err := http.Get(url + "/livez")
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == 200
	})
}

// unready is a fake whose readiness takes until the test lets it go.
type unready struct {
	*a2atest.Fake
	asked   chan struct{}
	release chan struct{}
}

func (u *unready) Ready() error {
	u.asked <- struct{}{}
	<-u.release
	return nil
}

// Of what is open to anybody, too, an address may have so much under way.
func TestLimitOfOpenPaths(t *testing.T) {
	t.Parallel()
	h := &unready{a2atest.NewFake(), make(chan struct{}), make(chan struct{})}
	s := server.New(server.Options{Handler: h, Authenticate: named, Limits: server.Limits{Requests: 1, CallerRequests: 2}})
	request := func(path, addr string) int {
		r := httptest.NewRequest("GET", path, nil)
		r.RemoteAddr = addr
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code
	}
	status := make(chan int)
	for range 2 {
		go func() { status <- request("/readyz", "192.0.2.1:1") }()
		<-h.asked
	}
	for path, addr := range map[string]string{"/livez": "192.0.2.1:2", "/.well-known/agent-card.json": "192.0.2.1:3"} {
		if got := request(path, addr); got != 429 {
			t.Errorf("a third at once, %s: %d", path, got)
		}
	}
	if got := request("/livez", "192.0.2.2:1"); got != 200 {
		t.Errorf("another address: %d", got)
	}
	close(h.release)
	for range 2 {
		if got := <-status; got != 200 {
			t.Errorf("a request within the limit: %d", got)
		}
	}
	if got := request("/livez", "192.0.2.1:1"); got != 200 {
		t.Errorf("when all is over: %d", got)
	}
}

// One caller leaves others a connection, however much it may have otherwise.
func TestOneCallerLeavesConnections(t *testing.T) {
	t.Parallel()
	h := newHeldBack(t)
	url, _ := start(t, server.Options{Handler: h, Authenticate: named, Limits: server.Limits{Connections: 4}})
	var all []<-chan int
	for range 3 {
		all = append(all, begin(t, url, "alice", a2atest.Hello("SendMessage", "hello")))
		h.waitEntered(t)
	}
	limited(t, url, "alice", "would leave others no connection", 429, "/tasks/one:cancel", "{}")
	all = append(all, begin(t, url, "bob", a2atest.Hello("SendMessage", "hello")))
	h.waitEntered(t)
	close(h.release)
	for _, status := range all {
		if got := <-status; got != 200 {
			t.Errorf("a request within the limits: %d", got)
		}
	}
}
