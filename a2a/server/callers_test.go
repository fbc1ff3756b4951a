package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// named lets in whoever says a name in the header Authorization.
func named(r *http.Request) (server.Identity, error) {
	name := r.Header.Get("Authorization")
	if name == "" {
		return server.Identity{}, a2a.ErrUnauthenticated
	}
	return server.Identity{Caller: name}, nil
}

// heldBack is a fake whose messages wait until the test lets them go.
type heldBack struct {
	*a2atest.Fake
	entered chan string
	release chan struct{}
	over    <-chan struct{} // the test has ended, however
}

func newHeldBack(t testing.TB) *heldBack {
	return &heldBack{Fake: a2atest.NewFake(), entered: make(chan string), release: make(chan struct{}), over: t.Context().Done()}
}

// waitEntered waits for the next message to be held back and returns its caller.
func (h *heldBack) waitEntered(t testing.TB) string {
	t.Helper()
	return await.One(t, h.entered, "a message that is held back")
}

func (h *heldBack) SendMessage(ctx context.Context, r *a2a.SendRequest) (*a2a.SendResult, error) {
	select {
	case h.entered <- r.Caller:
	case <-h.over:
	}
	select {
	case <-h.release:
	case <-h.over:
	}
	return h.Fake.SendMessage(ctx, r)
}

// begin sends a message of a caller and returns its status once it is known.
func begin(t testing.TB, url, caller, body string) <-chan int {
	status := make(chan int, 1)
	go func() {
		res, _ := a2atest.Do(t, "POST", url+"/", body, "Content-Type", "application/json", "Authorization", caller)
		status <- res.StatusCode
	}()
	return status
}

// limited checks an answer of a limit: its status in every binding, when to try
// again, and why.
func limited(t testing.TB, url, caller, what string, want int, path, body string) {
	t.Helper()
	res, text := a2atest.Do(t, "POST", url+path, body, "Content-Type", "application/json", "Authorization", caller)
	after, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if res.StatusCode != want || !strings.Contains(text, what) || err != nil || after < 1 {
		t.Errorf("%s of %s: %d, Retry-After %q, %s; want %d, %s", path, caller, res.StatusCode, res.Header.Get("Retry-After"), text, want, what)
	}
}

const restHello = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`

func TestLimitOfRequests(t *testing.T) {
	h := newHeldBack(t)
	url, _ := start(t, server.Options{Handler: h, Authenticate: named, Limits: server.Limits{Requests: 3, CallerRequests: 2}})
	var all []<-chan int
	for _, caller := range []string{"alice", "alice"} {
		all = append(all, begin(t, url, caller, a2atest.Hello("SendMessage", "hello")))
		h.waitEntered(t)
	}
	limited(t, url, "alice", "this caller has 2 requests", 429, "/", a2atest.Hello("SendMessage", "hello"))
	limited(t, url, "alice", "this caller has 2 requests", 429, "/", a2atest.Hello("message/stream", "hello"))
	limited(t, url, "alice", "this caller has 2 requests", 429, "/message:send", restHello)
	limited(t, url, "alice", "this caller has 2 requests", 429, "/a2a/tools/acme.echo", "{}")
	all = append(all, begin(t, url, "bob", a2atest.Hello("message/send", "hello")))
	h.waitEntered(t)
	limited(t, url, "carol", "the server has 3 requests", 503, "/", a2atest.Hello("message/send", "hello"))
	limited(t, url, "carol", "the server has 3 requests", 503, "/v1/message:send", restHello)
	for _, path := range []string{"/livez", "/readyz", "/healthz", "/.well-known/agent-card.json"} {
		if res, body := a2atest.Do(t, "GET", url+path, ""); res.StatusCode != 200 {
			t.Errorf("%s at the limit: %d %s", path, res.StatusCode, body)
		}
	}
	close(h.release)
	for _, status := range all {
		if got := <-status; got != 200 {
			t.Errorf("a request within the limits: %d", got)
		}
	}
	if res, body := a2atest.Do(t, "GET", url+"/tasks", "", "Authorization", "alice"); res.StatusCode != 200 {
		t.Errorf("when all is over: %d %s", res.StatusCode, body)
	}
}

// promptly is a client that asks again as soon as an answer begins.
type promptly struct {
	*httptest.ResponseRecorder
	again func()
}

func (p *promptly) WriteHeader(status int) {
	p.again()
	p.ResponseRecorder.WriteHeader(status)
}

// Whoever has its answer may ask again at once: one at a time never is too many.
// A stream that does not begin is no stream.
func TestOneRequestAfterTheOther(t *testing.T) {
	s := server.New(server.Options{Handler: a2atest.NewFake(), Limits: server.Limits{Requests: 1, Streams: 1}})
	request := func(w http.ResponseWriter, method string) {
		r := httptest.NewRequest("POST", "/", strings.NewReader(a2atest.Hello(method, "hello")))
		r.Header.Set("Content-Type", "application/json")
		s.ServeHTTP(w, r)
	}
	for _, method := range []string{"SendMessage", "NoMethod", "SubscribeToTask"} {
		for _, next := range []string{"SendMessage", "SendStreamingMessage"} {
			second := httptest.NewRecorder()
			request(&promptly{httptest.NewRecorder(), func() { request(second, next) }}, method)
			if second.Code != 200 || !strings.Contains(second.Body.String(), "echo") {
				t.Errorf("%s right after %s: %d %s", next, method, second.Code, second.Body)
			}
		}
	}
}

// Where callers are not known, an address is one.
func TestLimitByAddress(t *testing.T) {
	h := newHeldBack(t)
	s := server.New(server.Options{Handler: h, Limits: server.Limits{CallerRequests: 1}})
	request := func(addr string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "/", strings.NewReader(a2atest.Hello("SendMessage", "hello")))
		r.Header.Set("Content-Type", "application/json")
		r.RemoteAddr = addr
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	first := make(chan int)
	hold := func(addr string) {
		go func() { first <- request(addr).Code }()
		h.waitEntered(t)
	}
	hold("192.0.2.1:1000")
	hold("[2001:db8:1:2:3::4]:1000")
	for addr, refused := range map[string]bool{
		"192.0.2.1:2000": true, "192.0.2.2:2000": false,
		"[2001:db8:1:2:9::9]:2000": true, "[2001:db8:1:3::4]:2000": false, // a household has 64 bits
	} {
		if refused {
			if w := request(addr); w.Code != 429 {
				t.Errorf("%s: %d %s", addr, w.Code, w.Body)
			}
			continue
		}
		hold(addr)
	}
	close(h.release)
	for range 4 {
		if got := <-first; got != 200 {
			t.Errorf("a request within the limits: %d", got)
		}
	}
}

func TestLimitOfStreams(t *testing.T) {
	f := a2atest.NewFake()
	opened := make(chan *a2atest.Live, 10)
	f.Open = func() a2a.Stream { l := a2atest.NewLive(); opened <- l; return l }
	url, _ := start(t, server.Options{Handler: f, Authenticate: named, Limits: server.Limits{Streams: 3, CallerStreams: 2, CallerRequests: 1}})
	var streams []*a2atest.Live
	for _, caller := range []string{"alice", "alice", "bob"} { // a stream is no request any more
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, "GET", url+"/tasks/working:subscribe", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", caller)
		go func() {
			if res, err := http.DefaultClient.Do(req); err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		}()
		l := <-opened
		l.Events <- []*a2a.Event{a2atest.Update(a2a.StateWorking)}
		streams = append(streams, l)
	}
	limited(t, url, "alice", "this caller has 2 streams", 429, "/", a2atest.Hello("SendStreamingMessage", "hello"))
	limited(t, url, "alice", "this caller has 2 streams", 429, "/tasks/working:subscribe", "")
	limited(t, url, "carol", "the server has 3 streams", 503, "/", a2atest.Hello("SendStreamingMessage", "hello"))
	limited(t, url, "carol", "the server has 3 streams", 503, "/message:stream", restHello)
	if n := len(f.Sends()); n != 0 {
		t.Errorf("%d messages of refused streams reached the handler", n)
	}
	streams[0].Events <- []*a2a.Event{a2atest.Update(a2a.StateCompleted)}
	<-streams[0].Closed
	await.True(t, "a stream in the place of one that ended", func() bool { // which counts until its answer is over
		again := begin(t, url, "alice", a2atest.Hello("SendStreamingMessage", "hello"))
		select {
		case l := <-opened:
			l.Events <- []*a2a.Event{a2atest.Update(a2a.StateCompleted)}
			return <-again == 200
		case <-again:
			return false
		}
	})
}

// Bodies count as they grow, not as they are announced, and no longer than their
// requests.
func TestLimitOfBytes(t *testing.T) {
	const body = 1 << 20
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), Authenticate: named, MaxBody: body, Limits: server.Limits{CallerBytes: 2*body + 10, Bytes: 5*body + 10}})
	slow := func(caller string, n int) { // n bytes of a body that stops coming
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", caller, body, strings.Repeat(" ", n))
	}
	long := strings.Repeat(" ", body-200) + a2atest.Hello("SendMessage", "hello")
	for range 3 { // one after the other they fit
		if res, text := a2atest.Do(t, "POST", url+"/", long, "Content-Type", "application/json", "Authorization", "alice"); res.StatusCode != 200 {
			t.Fatalf("%d %s", res.StatusCode, text)
		}
	}
	await.True(t, "alice has too much under way", func() bool {
		slow("alice", body-1000) // those that come at once may refuse each other
		res, text := a2atest.Do(t, "POST", url+"/", long, "Content-Type", "application/json", "Authorization", "alice")
		return res.StatusCode == 429 && strings.Contains(text, "this caller's request bodies") && res.Header.Get("Retry-After") != ""
	})
	if res, text := a2atest.Do(t, "POST", url+"/", long, "Content-Type", "application/json", "Authorization", "bob"); res.StatusCode != 200 {
		t.Errorf("bob: %d %s", res.StatusCode, text)
	}
	await.True(t, "all have too much under way", func() bool {
		slow("carol", body-1000)
		slow("dave", body-1000)
		res, text := a2atest.Do(t, "POST", url+"/", long, "Content-Type", "application/json", "Authorization", "bob")
		return res.StatusCode == 503 && strings.Contains(text, "request bodies under way have reached")
	})
}

// New work takes a token of its caller's bucket, whatever the door; reading and
// answering take none.
func TestRateOfNewWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := a2atest.NewFake()
		s := server.New(server.Options{Handler: f, Authenticate: named, Limits: server.Limits{CallerRate: 0.5, CallerBurst: 2}})
		request := func(method, caller, path, body string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(method, path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", caller)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w
		}
		work := func(caller string, want int) {
			t.Helper()
			if w := request("POST", caller, "/message:send", restHello); w.Code != want {
				t.Errorf("%s: %d %s, want %d", caller, w.Code, w.Body, want)
			}
		}
		work("alice", 200)
		work("alice", 200)
		for _, d := range []struct{ path, body string }{
			{"/", a2atest.Hello("SendMessage", "hello")}, {"/", a2atest.Hello("message/send", "hello")}, {"/v1/message:send", restHello},
			{"/message:stream", restHello}, {"/a2a/tools/acme.echo", "{}"},
		} {
			if w := request("POST", "alice", d.path, d.body); w.Code != 429 || w.Header().Get("Retry-After") != "2" {
				t.Errorf("%s: %d, Retry-After %q, %s", d.path, w.Code, w.Header().Get("Retry-After"), w.Body)
			}
		}
		if w := request("GET", "alice", "/tasks", ""); w.Code != 200 {
			t.Errorf("reading: %d %s", w.Code, w.Body)
		}
		answer := strings.Replace(restHello, `"role"`, `"taskId":"asking","role"`, 1)
		if w := request("POST", "alice", "/message:send", answer); w.Code != 200 {
			t.Errorf("answering: %d %s", w.Code, w.Body)
		}
		work("bob", 200)
		time.Sleep(2 * time.Second)
		work("alice", 200)
		work("alice", 429)
		time.Sleep(time.Hour)
		work("alice", 200)
		work("alice", 200)
		work("alice", 429)
	})
}
