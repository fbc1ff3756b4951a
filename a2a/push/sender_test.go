package push_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/push"
)

// loopback lets a sender reach test servers.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

func deliver(t *testing.T, s *push.Sender, c *a2a.PushConfig, e *a2a.Event) *push.Error {
	t.Helper()
	err := s.Send(t.Context(), c, e)
	if err == nil {
		return nil
	}
	var fault *push.Error
	if !errors.As(err, &fault) {
		t.Fatalf("not a PushError: %v", err)
	}
	return fault
}

// What a receiver gets, in both versions (§4.3.3; 0.3 §9.5).
func TestPushRequest(t *testing.T) {
	var got *http.Request
	var body []byte
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	}))
	defer srv.Close()
	s := push.New(push.Options{Allow: loopback, UserAgent: "sidecar/1"})
	defer s.Close()
	config := a2a.PushConfig{
		URL: srv.URL + "/hook?x=1", Token: "the-token", Scheme: "Bearer", Credentials: "the-credentials",
		TraceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
	}
	headers := map[string]string{
		"Content-Type": "application/a2a+json", "Authorization": "Bearer the-credentials", "User-Agent": "sidecar/1",
		"A2A-Notification-Token": "the-token", "X-A2A-Notification-Token": "the-token", "Traceparent": config.TraceParent,
	}
	check := func(want string) {
		t.Helper()
		if got.Method != "POST" || got.URL.String() != "/hook?x=1" {
			t.Errorf("%s %s", got.Method, got.URL)
		}
		for name, value := range headers {
			if v := got.Header.Get(name); v != value {
				t.Errorf("%s: %q, want %q", name, v, value)
			}
		}
		if string(body) != want {
			t.Errorf("body %s\nwant %s", body, want)
		}
	}

	if err := deliver(t, s, &config, a2atest.Update(a2a.StateCompleted)); err != nil {
		t.Fatal(err)
	}
	check(`{"statusUpdate":{"taskId":"task-1","contextId":"ctx-1","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-02T03:04:05.678Z"}}}`)

	config.Version = a2a.V03
	headers["Content-Type"] = "application/json"
	task := &a2a.Event{Task: &a2a.Task{ID: "task-1", ContextID: "ctx-1", Status: a2atest.Status(a2a.StateCompleted, "")}}
	if err := deliver(t, s, &config, task); err != nil {
		t.Fatal(err)
	}
	check(`{"kind":"task","id":"task-1","contextId":"ctx-1","status":{"state":"completed","timestamp":"2026-01-02T03:04:05.678Z"}}`)

	config = a2a.PushConfig{URL: srv.URL, Scheme: "Bearer"}
	if err := deliver(t, s, &config, a2atest.Update(a2a.StateWorking)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Authorization", "A2A-Notification-Token", "X-A2A-Notification-Token", "Traceparent"} {
		if v, ok := got.Header[http.CanonicalHeaderKey(name)]; ok {
			t.Errorf("%s: %q was not asked for", name, v)
		}
	}
}

// What an answer means: taken, again later, or never.
func TestPushAnswers(t *testing.T) {
	var status atomic.Int32
	var after atomic.Value
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", after.Load().(string))
		w.WriteHeader(int(status.Load()))
	}))
	defer srv.Close()
	s := push.New(push.Options{Allow: loopback})
	defer s.Close()
	config := &a2a.PushConfig{URL: srv.URL + "/secret-path?key=secret-key", Token: "secret-token", Scheme: "Bearer", Credentials: "secret-credentials"}
	for code, want := range map[int]string{
		200: "ok", 201: "ok", 202: "ok", 204: "ok",
		400: "never", 401: "never", 403: "never", 404: "never", 405: "never", 410: "never", 413: "never", 422: "never", 304: "never", 300: "never",
		408: "again", 425: "again", 429: "again", 500: "again", 502: "again", 503: "again", 504: "again",
	} {
		status.Store(int32(code))
		after.Store("7")
		got := "ok"
		if err := deliver(t, s, config, a2atest.Update(a2a.StateWorking)); err != nil {
			got = "again"
			if err.Permanent {
				got = "never"
			}
			if got == "again" && err.RetryAfter != 7*time.Second {
				t.Errorf("%d: again after %v", code, err.RetryAfter)
			}
			if err.Status != code || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), err.Host) {
				t.Errorf("%d: %v", code, err)
			}
		}
		if got != want {
			t.Errorf("%d means %s, want %s", code, got, want)
		}
	}
	status.Store(503)
	after.Store(time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
	if err := deliver(t, s, config, a2atest.Update(a2a.StateWorking)); err.RetryAfter < 59*time.Minute || err.RetryAfter > time.Hour {
		t.Errorf("a date an hour away: %v", err.RetryAfter)
	}
	after.Store("soon")
	if err := deliver(t, s, config, a2atest.Update(a2a.StateWorking)); err.RetryAfter != 0 {
		t.Errorf("nonsense: %v", err.RetryAfter)
	}
}

// A receiver that does not answer, or answers without end, costs the timeout.
func TestPushTimeout(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server sees its client go only then
		if r.URL.Path == "/drip" {
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}))
	defer srv.Close()
	s := push.New(push.Options{Allow: loopback, Timeout: time.Second})
	defer s.Close()
	err := deliver(t, s, &a2a.PushConfig{URL: srv.URL + "/hang?key=secret"}, a2atest.Update(a2a.StateWorking))
	if err == nil || err.Permanent || err.Status != 0 || !strings.Contains(err.Error(), "in time") || strings.Contains(err.Error(), "secret") {
		t.Errorf("no answer: %v", err)
	}
	if err := deliver(t, s, &a2a.PushConfig{URL: srv.URL + "/drip"}, a2atest.Update(a2a.StateWorking)); err != nil {
		t.Errorf("taken, and said so: %v", err)
	}
}

// An answer without end is read for a while only.
func TestPushLongAnswer(t *testing.T) {
	var sent atomic.Int64
	gone := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		defer close(gone)
		block := make([]byte, 64<<10)
		for {
			n, err := w.Write(block)
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
	}))
	defer srv.Close()
	s := push.New(push.Options{Allow: loopback})
	defer s.Close()
	if err := deliver(t, s, &a2a.PushConfig{URL: srv.URL}, a2atest.Update(a2a.StateWorking)); err != nil {
		t.Error(err)
	}
	<-gone
	if n := sent.Load(); n > 64<<20 {
		t.Errorf("%d bytes were taken", n)
	}
}

// Redirects that stay on the host and keep the body are followed, with the
// credentials; all others are refused before anybody is contacted.
func TestPushRedirects(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	var last *http.Request
	var body string
	mux := http.NewServeMux()
	to := func(path, location string, status int) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(status)
		})
	}
	mux.HandleFunc("/end", func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		last, body = r, string(b)
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	to("/1", "/end", 307)
	to("/2", "/1", 308)
	to("/3", "/2", 307)
	to("/4", "/3", 307)
	to("/loop", "/loop", 307)
	to("/metadata", "http://169.254.169.254/latest/meta-data/", 307)
	to("/other", other.URL+"/", 307)
	to("/tls", strings.Replace(srv.URL, "http:", "https:", 1)+"/end", 307)
	to("/user", strings.Replace(srv.URL, "http://", "http://a:b@", 1)+"/end", 307)
	to("/see", "/end", 303)
	to("/found", "/end", 302)
	to("/moved", "/end", 301)
	to("/nowhere", "", 307)
	to("/file", "file:///etc/passwd", 307)

	// Any address may be dialed: what is refused is refused as a redirect.
	s := push.New(push.Options{Allow: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}})
	defer s.Close()
	for _, path := range []string{"/1", "/2", "/3"} {
		last = nil
		err := deliver(t, s, &a2a.PushConfig{URL: srv.URL + path, Token: "t", Scheme: "Bearer", Credentials: "c"}, a2atest.Update(a2a.StateWorking))
		if err != nil || last == nil || last.Header.Get("Authorization") != "Bearer c" || last.Header.Get("A2A-Notification-Token") != "t" || !strings.HasPrefix(body, `{"statusUpdate"`) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{"/4", "/loop", "/metadata", "/other", "/tls", "/user", "/see", "/found", "/moved", "/nowhere", "/file"} {
		last = nil
		err := deliver(t, s, &a2a.PushConfig{URL: srv.URL + path}, a2atest.Update(a2a.StateWorking))
		if err == nil || !err.Permanent || last != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("another host was sent to %d times", n)
	}
}

// resolver is a DNS server in memory that answers the look-ups of one name, one
// after the other, with the addresses that it was given; the last one stays.
type resolver struct {
	mu      sync.Mutex
	answers []netip.Addr
	asked   int
}

func (r *resolver) next() netip.Addr {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	if len(r.answers) > 1 {
		defer func() { r.answers = r.answers[1:] }()
	}
	return r.answers[0]
}

func (r *resolver) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go r.serve(server)
		return client, nil
	}}
}

// serve answers queries in DNS over TCP (RFC 1035 §4.2.2), A queries with the
// next address and any other with nothing.
func (r *resolver) serve(conn net.Conn) {
	defer conn.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		end := 12
		for query[end] != 0 {
			end += int(query[end]) + 1
		}
		question := query[12 : end+5]
		answer := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question...)
		if binary.BigEndian.Uint16(query[end+1:]) == 1 {
			answer[7] = 1
			ip := r.next().As4()
			answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
			answer = append(answer, ip[:]...)
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

// A name that means a public address when it is looked at and a private one
// when it is dialed again reaches nothing (DNS rebinding). 127.0.0.1 plays the
// public address here, 127.0.0.2 the private one: both would answer.
func TestPushRebinding(t *testing.T) {
	var seen atomic.Int32
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		seen.Add(1)
		w.Header().Set("Connection", "close") // the next one is dialed
	})
	public := httptest.NewServer(handler)
	defer public.Close()
	u, err := url.Parse(public.URL)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.2:"+u.Port())
	if err != nil {
		t.Skipf("no second loopback address: %v", err)
	}
	private := &httptest.Server{Listener: l, Config: &http.Server{Handler: handler}}
	private.Start()
	defer private.Close()

	dns := &resolver{answers: []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")}}
	s := push.New(push.Options{Allow: loopback, Resolver: dns.resolver()})
	defer s.Close()
	config := &a2a.PushConfig{URL: "http://hook.example.com:" + u.Port() + "/"}
	if err := s.Check(config); err != nil {
		t.Fatal(err)
	}
	if err := deliver(t, s, config, a2atest.Update(a2a.StateWorking)); err != nil {
		t.Fatalf("first look-up: %v", err)
	}
	fault := deliver(t, s, config, a2atest.Update(a2a.StateWorking))
	if fault == nil || !fault.Permanent || !strings.Contains(fault.Error(), "loopback") {
		t.Errorf("second look-up: %v", fault)
	}
	if n := seen.Load(); n != 1 || dns.asked != 2 {
		t.Errorf("%d requests came through, %d look-ups", n, dns.asked)
	}
}

// A redirect is dialed like any request: on the same name, which means another
// address by then, it reaches nothing either.
func TestPushRebindingByRedirect(t *testing.T) {
	var seen atomic.Int32
	public := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		w.Header().Set("Connection", "close")
		http.Redirect(w, r, "/next", http.StatusTemporaryRedirect)
	}))
	defer public.Close()
	u, err := url.Parse(public.URL)
	if err != nil {
		t.Fatal(err)
	}
	dns := &resolver{answers: []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("169.254.169.254")}}
	s := push.New(push.Options{Allow: loopback, Resolver: dns.resolver()})
	defer s.Close()
	fault := deliver(t, s, &a2a.PushConfig{URL: "http://hook.example.com:" + u.Port() + "/"}, a2atest.Update(a2a.StateWorking))
	if fault == nil || !fault.Permanent || !strings.Contains(fault.Error(), "link-local") || seen.Load() != 1 {
		t.Errorf("%v after %d requests", fault, seen.Load())
	}
}

// Names that resolve to a private address are refused whatever their notation.
func TestPushDialsPublicAddressesOnly(t *testing.T) {
	asked := make(chan string, 8)
	local := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.Host }))
	defer local.Close()
	s := push.New(push.Options{Timeout: time.Minute, Resolver: (&resolver{answers: []netip.Addr{netip.MustParseAddr("10.0.0.1")}}).resolver()})
	defer s.Close()
	u, err := url.Parse(local.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "internal.example.com", "[::]"} {
		for _, scheme := range []string{"http", "https"} {
			fault := deliver(t, s, &a2a.PushConfig{URL: fmt.Sprintf("%s://%s:%s/", scheme, host, u.Port())}, a2atest.Update(a2a.StateWorking))
			if fault == nil || !fault.Permanent || !strings.Contains(fault.Error(), "public addresses only") {
				t.Errorf("%s %s: %v", scheme, host, fault)
			}
		}
	}
	select {
	case host := <-asked:
		t.Errorf("%s was contacted", host)
	default:
	}
}

// A receiver that takes connections and never speaks TLS keeps none of them:
// the connection ends with the attempt.
func TestPushTLSThatHangs(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ended := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			_, err = io.Copy(io.Discard, conn)
			conn.Close()
		}
		ended <- err
	}()
	s := push.New(push.Options{Allow: loopback, Timeout: time.Second})
	fault := deliver(t, s, &a2a.PushConfig{URL: "https://" + l.Addr().String()}, a2atest.Update(a2a.StateWorking))
	if fault == nil || fault.Permanent || !strings.Contains(fault.Error(), "in time") {
		t.Errorf("%v", fault)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the connection is still open")
	}
}

// What a receiver answers instead of HTTP is told in words of ours: it may have
// sent back the token, or write without end.
func TestPushNonsense(t *testing.T) {
	for name, answer := range map[string]string{
		"nothing":    "",
		"an echo":    "POST /secret?key=secret HTTP/1.1\r\nAuthorization: Bearer secret\r\n\r\n",
		"a header":   "HTTP/1.1 200 OK\r\nBearer secret\r\n\r\n",
		"a status":   "HTTP/1.1 secret\r\n\r\n",
		"a place":    "HTTP/1.1 307 Go\r\nLocation: http://%zz/secret\r\nContent-Length: 0\r\n\r\n",
		"a line":     strings.Repeat("secret", 100_000),
		"headers":    "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: secret\r\n", 100_000),
		"half of it": "HTTP/1.1 200 OK\r\nX-Half: secret",
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, answer)
		}))
		s := push.New(push.Options{Allow: loopback})
		fault := deliver(t, s, &a2a.PushConfig{URL: srv.URL + "/secret?key=secret", Token: "secret", Scheme: "Bearer", Credentials: "secret"}, a2atest.Update(a2a.StateWorking))
		if fault == nil || fault.Permanent {
			t.Errorf("%s: %v", name, fault)
		} else if text := fault.Error(); strings.Contains(text, "secret") || len(text) > 200 {
			t.Errorf("%s: %.300s", name, text)
		}
		s.Close()
		srv.Close()
	}
}
