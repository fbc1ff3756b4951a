package server_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// working is an agent that is at work until it is released, or until its client
// is gone.
type working struct {
	*a2atest.Fake
	came    chan struct{} // gets a value for each request
	release chan struct{}
	gone    chan struct{} // gets a value for each client that went away
}

func newWorking() *working {
	return &working{Fake: a2atest.NewFake(), came: make(chan struct{}, 1), release: make(chan struct{}), gone: make(chan struct{}, 1)}
}

func (w *working) wait(ctx context.Context) error {
	w.came <- struct{}{}
	select {
	case <-w.release:
		return nil
	case <-ctx.Done():
		w.gone <- struct{}{}
		return ctx.Err()
	}
}

func (w *working) SendMessage(ctx context.Context, r *a2a.SendRequest) (*a2a.SendResult, error) {
	if err := w.wait(ctx); err != nil {
		return nil, err
	}
	return w.Fake.SendMessage(ctx, r)
}

func (w *working) CallTool(ctx context.Context, r *a2a.ToolRequest) (*a2a.ToolReply, error) {
	if err := w.wait(ctx); err != nil {
		return nil, err
	}
	return w.Fake.CallTool(ctx, r)
}

func (w *working) StreamMessage(context.Context, *a2a.SendRequest) (a2a.Stream, error) {
	return workingStream{w}, nil
}

// workingStream has one event when its agent is released.
type workingStream struct{ w *working }

func (s workingStream) Next(ctx context.Context) ([]*a2a.Event, error) {
	select {
	case <-s.w.release:
		task := &a2a.Task{ID: "t", ContextID: "c", Status: a2a.Status{State: a2a.StateCompleted}}
		return []*a2a.Event{{ID: 1, Task: task}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s workingStream) Close() { s.w.gone <- struct{}{} }

// startWatched is start, and tells when net/http can read nothing more from a
// client whose request is under way.
func startWatched(t *testing.T, o server.Options) (addr string, ended <-chan struct{}) {
	t.Helper()
	hs := server.New(o).HTTPServer()
	inner, seen := hs.Handler, make(chan struct{}, 1)
	hs.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer context.AfterFunc(r.Context(), func() { seen <- struct{}{} })()
		inner.ServeHTTP(w, r)
	})
	return strings.TrimPrefix(a2atest.Serve(t, hs), "http://"), seen
}

// post sends a request with a body over conn.
func post(t *testing.T, conn net.Conn, path, body string) {
	t.Helper()
	if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body); err != nil {
		t.Fatal(err)
	}
}

var waitingRequests = []struct{ name, path, body, want string }{
	{"JSON-RPC", "/", a2atest.Hello("SendMessage", "hi"), "TASK_STATE_COMPLETED"},
	{"REST", "/message:send", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}`, "TASK_STATE_COMPLETED"},
	{"a tool", "/a2a/tools/acme.echo", `{"say":"hi"}`, `"say":"hi"`},
	{"a stream", "/", a2atest.Hello("SendStreamingMessage", "hi"), "TASK_STATE_COMPLETED"},
}

// A client that sends no more still reads: its answer comes when it is there.
func TestHalfClosedClientIsAnswered(t *testing.T) {
	for _, c := range waitingRequests {
		t.Run(c.name, func(t *testing.T) {
			w := newWorking()
			addr, ended := startWatched(t, server.Options{Handler: w})
			conn := dial(t, "http://"+addr)
			post(t, conn, c.path, c.body)
			if c.name != "a stream" {
				await.One(t, w.came, "the request")
			}
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			await.One(t, ended, "the end of what can be read")
			close(w.release)
			got, err := io.ReadAll(conn)
			if text := string(got); err != nil || !strings.HasPrefix(text, "HTTP/1.1 200 ") || !strings.Contains(text, c.want) {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

// A client that has closed its connection is gone: nobody waits for it longer
// than it takes to find out.
func TestClosedClientIsGone(t *testing.T) {
	for _, c := range waitingRequests {
		t.Run(c.name, func(t *testing.T) {
			w := newWorking()
			var log await.Log
			addr, ended := startWatched(t, server.Options{
				Handler: w, Heartbeat: 20 * time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil)),
			})
			conn := dial(t, "http://"+addr)
			post(t, conn, c.path, c.body)
			if c.name != "a stream" {
				await.One(t, w.came, "the request")
			} else if _, err := conn.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			conn.Close()
			await.One(t, ended, "the end of what can be read")
			await.One(t, w.gone, "the end of the work for a client that is gone")
			if said := log.String(); strings.Contains(said, "level=ERROR") {
				t.Errorf("a client that is gone is no error of the server's:\n%s", said)
			}
		})
	}
}

// A half-closed client that waits for long is asked in a way that every client
// skips, and still gets its answer.
func TestHalfClosedClientWaitsForLong(t *testing.T) {
	w := newWorking()
	addr, ended := startWatched(t, server.Options{Handler: w, Heartbeat: 20 * time.Millisecond})
	conn := dial(t, "http://"+addr)
	post(t, conn, "/", a2atest.Hello("SendMessage", "hi"))
	await.One(t, w.came, "the request")
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	await.One(t, ended, "the end of what can be read")
	const interim = "HTTP/1.1 100 Continue\r\n\r\n"
	first := make([]byte, len(interim))
	if _, err := io.ReadFull(conn, first); err != nil || string(first) != interim {
		t.Fatalf("%q, %v", first, err)
	}
	close(w.release)
	rest, err := io.ReadAll(conn)
	text := strings.ReplaceAll(string(rest), interim, "")
	if err != nil || !strings.HasPrefix(text, "HTTP/1.1 200 OK\r\n") || !strings.Contains(text, "TASK_STATE_COMPLETED") {
		t.Errorf("%v\n%s", err, text)
	}
}
