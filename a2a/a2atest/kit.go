package a2atest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Serve serves hs over TCP until the test ends and returns the base URL.
func Serve(t testing.TB, hs *http.Server) string {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = hs
	srv.Start()
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return srv.URL
}

// Do sends a request and returns the answer with its whole body.
func Do(t testing.TB, method, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(b)
}

// Hello is a JSON-RPC request that sends a message.
func Hello(method, text string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"` + text + `"}]}}}`
}

// Soon is a context that ends with the test, or after a minute.
func Soon(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// ReadAll reads a stream to its end.
func ReadAll(t testing.TB, s a2a.Stream) ([]*a2a.Event, error) {
	t.Helper()
	defer s.Close()
	var events []*a2a.Event
	for {
		next, err := s.Next(Soon(t))
		if err != nil {
			return events, err
		}
		events = append(events, next...)
	}
}

// Eventually polls what has no event to wait for.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	after := time.After(time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-after:
			t.Fatalf("never came true: %s", what)
		}
	}
}

// Log is a log that a test reads while others write it.
type Log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// NewLog returns a log and what it holds.
func NewLog() (*Log, *slog.Logger) {
	text := &Log{}
	return text, slog.New(slog.NewTextHandler(text, nil))
}
