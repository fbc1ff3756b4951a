package push_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/push"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

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
	if err := await.One(t, ended, "the connection's end"); err != nil {
		t.Error(err)
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
