package egress_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/egress"
)

// serving plays an HTTP server that records the request and gives one answer.
func serving(answer string, got chan<- string) func(*rig, *egress.Options) {
	return func(r *rig, _ *egress.Options) {
		r.serve = func(conn net.Conn) {
			br := bufio.NewReader(conn)
			req, err := http.ReadRequest(br)
			if err != nil {
				got <- err.Error()
				return
			}
			body, _ := io.ReadAll(req.Body)
			var b strings.Builder
			fmt.Fprintf(&b, "%s %s host=%s body=%s", req.Method, req.RequestURI, req.Host, body)
			for name, v := range req.Header {
				fmt.Fprintf(&b, " %s=%s", name, strings.Join(v, ","))
			}
			got <- b.String()
			_, _ = io.WriteString(conn, answer)
		}
	}
}

// What is between the program and the proxy stays there; the rest arrives, and so does the answer.
func TestForward(t *testing.T) {
	const plain = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nKeep-Alive: timeout=5\r\nX-Own: 1\r\n\r\nhello"
	for name, c := range map[string]struct {
		request, answer string
		want, not       []string // of what the server got
		status          int
		body            string
	}{
		"get": {
			request: "GET http://user:pass@a.example/p?q=1 HTTP/1.1\r\nHost: b.example\r\nProxy-Connection: keep-alive\r\nConnection: X-Hop\r\nX-Hop: 1\r\nX-End: 2\r\n",
			answer:  plain, want: []string{"GET /p?q=1 host=a.example", "X-End=2"}, not: []string{"X-Hop", "Proxy-", "b.example", "User-Agent"}, status: 200, body: "hello",
		},
		"post": {
			request: "POST http://a.example/p HTTP/1.1\r\nHost: a.example\r\nContent-Length: 4\r\nUser-Agent: me\r\n\r\nbody",
			answer:  plain, want: []string{"POST /p", "body=body", "User-Agent=me"}, status: 200, body: "hello",
		},
		"chunked": {
			request: "POST http://a.example/p HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
			answer:  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", want: []string{"body=body"}, status: 200, body: "hello",
		},
		"to the end": {
			request: "GET http://a.example HTTP/1.1\r\nHost: a.example\r\n",
			answer:  "HTTP/1.0 200 OK\r\n\r\nhello", want: []string{"GET / "}, status: 200, body: "hello",
		},
		"head": {
			request: "HEAD http://a.example/ HTTP/1.1\r\nHost: a.example\r\n",
			answer:  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", want: []string{"HEAD /"}, status: 200,
		},
		"interim": {
			request: "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n",
			answer:  "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + plain, status: 200, body: "hello",
		},
		"upgrade": {
			request: "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n",
			answer:  "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nraw", not: []string{"Upgrade"}, status: 502,
		},
		"nonsense": {
			request: "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n", answer: "hello\r\n\r\n", status: 502,
		},
		"long head": {
			request: "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n",
			answer:  "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 128<<10) + "\r\n\r\n", status: 502,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan string, 1)
			r := newRig(t, "*", public, serving(c.answer, got))
			head, body, _ := strings.Cut(c.request+"\r\n", "\r\n\r\n")
			conn := r.dial()
			go io.WriteString(conn, head+"\r\n"+basic(r.secret())+"\r\n"+body)
			method, _, _ := strings.Cut(c.request, " ")
			res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
			if err != nil {
				t.Fatal(err)
			}
			answered, _ := io.ReadAll(res.Body)
			if res.StatusCode != c.status || c.status == 200 && string(answered) != c.body || res.Header.Get("Keep-Alive") != "" {
				t.Errorf("answered %d %q %v", res.StatusCode, answered, res.Header)
			}
			arrived := <-got
			for _, w := range c.want {
				if !strings.Contains(arrived, w) {
					t.Errorf("arrived without %q: %s", w, arrived)
				}
			}
			for _, w := range append(c.not, r.secret(), "Proxy-Authorization") {
				if strings.Contains(arrived, w) {
					t.Errorf("arrived with %q: %s", w, arrived)
				}
			}
			if !res.Close {
				t.Error("the connection is said to go on")
			}
			if _, _, told := r.seen(); len(told) != 1 || told[0].Sent == 0 || told[0].Received == 0 {
				t.Errorf("told %+v", told)
			}
		})
	}
}

// A client that waits to be told to go on is told.
func TestExpectContinue(t *testing.T) {
	got := make(chan string, 1)
	r := newRig(t, "*", public, serving("HTTP/1.1 204 No Content\r\n\r\n", got))
	conn := r.dial()
	go io.WriteString(conn, "PUT http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 4\r\nExpect: 100-continue\r\n"+basic(r.secret())+"\r\n")
	br := bufio.NewReader(conn)
	if code := status(t, br); code != 100 {
		t.Fatal(code)
	}
	go io.WriteString(conn, "body")
	if code := status(t, br); code != 204 {
		t.Error(code)
	}
	if arrived := <-got; !strings.Contains(arrived, "body=body") || strings.Contains(arrived, "Expect") {
		t.Error(arrived)
	}
}

// What is no request for a proxy is refused, and nothing is dialed.
func TestNoProxyRequest(t *testing.T) {
	r := newRig(t, "*", public)
	for _, request := range []string{
		"GET / HTTP/1.1\r\nHost: a.example\r\n", "GET https://a.example/ HTTP/1.1\r\nHost: a.example\r\n", "CONNECT a.example HTTP/1.1\r\nHost: a.example\r\n",
		"CONNECT a.example:https HTTP/1.1\r\nHost: a.example\r\n", "GET ftp://a.example/ HTTP/1.1\r\nHost: a.example\r\n", "PRI * HTTP/2.0\r\n", "hello\r\n",
		"GET http://a.example:99999/ HTTP/1.1\r\nHost: a.example\r\n",
	} {
		conn := r.dial()
		go io.WriteString(conn, request+basic(r.secret())+"\r\n")
		if code := status(t, bufio.NewReader(conn)); code != 400 {
			t.Errorf("%q: %d", request, code)
		}
	}
	for what, request := range map[string]string{"bind": "\x05\x02\x00\x01\x08\x08\x08\x08\x01\xbb", "udp": "\x05\x03\x00\x01\x08\x08\x08\x08\x01\xbb", "type": "\x05\x01\x00\x02"} {
		conn := r.dial()
		go io.WriteString(conn, "\x05\x01\x02\x01\x01c"+string(rune(len(r.secret())))+r.secret()+request)
		b := make([]byte, 6)
		if _, err := io.ReadFull(conn, b); err != nil || b[3] != 0 || b[5] != 7 && b[5] != 8 {
			t.Errorf("socks %s: %v, %v", what, b, err)
		}
	}
	if _, dialed, told := r.seen(); len(dialed)+len(told) != 0 {
		t.Errorf("dialed %q, told %+v", dialed, told)
	}
}

// The dialer alone holds a client of HTTP to the patterns, at each connection.
func TestDialerForHTTP(t *testing.T) {
	r := newRig(t, "*", public, func(r *rig, o *egress.Options) { r.serve = ok })
	_ = r
	dialer := egress.Dialer{Resolve: r.resolve, Connect: r.connect}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
		conn, a, err := dialer.DialAddress(ctx, address)
		if a.Host != "a.example" || a.Port != 80 || a.Allowed || a.Reason == "" {
			t.Errorf("told %+v", a)
		}
		return conn, err
	}}
	defer transport.CloseIdleConnections()
	req, _ := http.NewRequest("GET", "http://a.example/", nil)
	if res, err := transport.RoundTrip(req); err == nil || !strings.Contains(err.Error(), "connections to a.example:80 are not allowed") {
		t.Errorf("%v, %v", res, err)
	}
	if _, dialed, _ := r.seen(); len(dialed) != 0 {
		t.Errorf("dialed %q", dialed)
	}
}

// What the environment names is the proxy, in both cases of the names, and nothing is excepted.
func TestEnviron(t *testing.T) {
	r := newRig(t, "*")
	env := strings.Join(r.p.Environ(), "\n") + "\n"
	by := "call:" + r.secret() + "@127.0.0.1:3128\n"
	for _, want := range []string{
		"http_proxy=http://" + by, "https_proxy=http://" + by, "all_proxy=http://" + by, "HTTP_PROXY=http://" + by, "HTTPS_PROXY=http://" + by, "ALL_PROXY=http://" + by,
		"socks_proxy=socks5h://" + by, "SOCKS_PROXY=socks5h://" + by, "no_proxy=\n", "NO_PROXY=\n",
	} {
		if !strings.Contains(env, want) {
			t.Errorf("%q is missing in:\n%s", want, env)
		}
	}
}
