package server_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// At the limit of connections the one that has waited for longest goes; whoever
// has a request under way stays, and then the new one is told.
func TestLimitOfConnections(t *testing.T) {
	h := newHeldBack(t)
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = server.New(server.Options{Handler: h, Authenticate: named, Limits: server.Limits{Connections: 3}}).HTTPServer()
	state, waits := srv.Config.ConnState, make(chan struct{}, 100)
	srv.Config.ConnState = func(c net.Conn, s http.ConnState) {
		if state(c, s); s == http.StateIdle {
			waits <- struct{}{}
		}
	}
	srv.Start()
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	url := srv.URL
	open := func() (net.Conn, *bufio.Reader) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		return conn, bufio.NewReader(conn)
	}
	get := func(conn net.Conn, r *bufio.Reader) int {
		fmt.Fprint(conn, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("a connection that should be open: %v", err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		<-waits // a little after its answer
		return res.StatusCode
	}
	var idle []net.Conn
	for range 3 { // nobody's request is under way: each makes room for the next
		conn, r := open()
		get(conn, r)
		idle = append(idle, conn)
	}
	conn, r := open()
	if get(conn, r) != 200 {
		t.Fatal("no room for a new connection beside idle ones")
	}
	if _, err := idle[0].Read(make([]byte, 1)); err == nil {
		t.Error("the longest idle connection is still open")
	}
	busy := 0
	send := a2atest.Hello("SendMessage", "hello")
	for i := range 3 {
		conn, _ := open()
		fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: caller-%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", i, len(send), send)
		h.waitEntered(t)
		busy++
	}
	refused, reader := open()
	res, err := http.ReadResponse(reader, nil)
	if err != nil || res.StatusCode != 503 || res.Header.Get("Retry-After") == "" {
		t.Errorf("with %d requests under way a new connection gets %v, %v", busy, res, err)
	}
	if _, err := io.Copy(io.Discard, refused); err != nil {
		t.Errorf("the refused connection: %v", err)
	}
	close(h.release)
	await.True(t, "there is room again", func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			return false
		}
		defer conn.Close()
		fmt.Fprint(conn, "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		text, _ := io.ReadAll(conn)
		return strings.HasPrefix(string(text), "HTTP/1.1 200")
	})
}

// A connection that is answered and not idle yet is about to make room: a new
// one comes in above the limit, one for each of them and few at a time, and what
// is too much ends as soon as one is idle.
func TestLimitOfConnectionsWhileAnswering(t *testing.T) {
	h := newHeldBack(t)
	srv := server.New(server.Options{Handler: h, Authenticate: named, Limits: server.Limits{Connections: 2}}).HTTPServer()
	state, idle := srv.ConnState, make(chan struct{})
	srv.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateIdle {
			<-idle // answered, and not idle yet
		}
		state(c, s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	t.Cleanup(func() { srv.Close(); <-served })
	get := func() (net.Conn, *bufio.Reader, error) { // a connection has a minute
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		fmt.Fprint(conn, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
		r := bufio.NewReader(conn)
		res, err := http.ReadResponse(r, nil)
		if err == nil && res.StatusCode != 200 {
			err = fmt.Errorf("status %d", res.StatusCode)
		}
		if err == nil {
			_, err = io.Copy(io.Discard, res.Body)
		}
		return conn, r, err
	}
	ended := make(chan error, 3)
	for i := range 3 {
		_, r, err := get()
		if err != nil {
			t.Fatalf("connection %d, with all before it answered: %v", i+1, err)
		}
		go func() { _, err := r.ReadByte(); ended <- err }()
	}
	if _, _, err := get(); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("one more above the limit: %v, want status 503", err)
	}
	close(idle)
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Errorf("the first connection that is idle, above the limit: %v, want its end", err)
	}
	if _, _, err := get(); err != nil {
		t.Errorf("after that: %v", err)
	}
}
