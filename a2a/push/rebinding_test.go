package push_test

import (
	"context"
	"encoding/binary"
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
