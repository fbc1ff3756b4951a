package server_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// watcher is an observer.
type watcher struct {
	mu             sync.Mutex
	began          int
	answered       chan server.Observation
	opened, closed int
	in, out        int
}

func newWatcher() *watcher { return &watcher{answered: make(chan server.Observation, 100)} }

func (w *watcher) add(n *int, more int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*n += more
}

func (w *watcher) Began()                        { w.add(&w.began, 1) }
func (w *watcher) Answered(o server.Observation) { w.answered <- o }
func (w *watcher) StreamBegan()                  { w.add(&w.opened, 1) }
func (w *watcher) StreamEnded()                  { w.add(&w.closed, 1) }
func (w *watcher) Received(n int)                { w.add(&w.in, n) }
func (w *watcher) Sent(n int)                    { w.add(&w.out, n) }

// next is the next request that is over.
func (w *watcher) next(t *testing.T) server.Observation {
	t.Helper()
	return await.One(t, w.answered, "the observer to be told")
}

// The observer is told what each request meant, in words of ours.
func TestObserverIsToldOfRequests(t *testing.T) {
	w := newWatcher()
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), Observer: w, Metrics: func() []byte { return []byte("a 1\n") }})
	message := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`
	for _, c := range []struct {
		method, path, body string
		want               server.Observation
	}{
		{"POST", "/", a2atest.Hello("SendMessage", "hello"), server.Observation{Operation: "SendMessage", Binding: "jsonrpc", Version: a2a.V10, Status: 200}},
		{"POST", "/", a2atest.Hello("message/stream", "hello"), server.Observation{Operation: "SendStreamingMessage", Binding: "jsonrpc", Version: a2a.V03, Status: 200}},
		{"POST", "/", a2atest.Hello("SendMessage", "busy"), server.Observation{Operation: "SendMessage", Binding: "jsonrpc", Version: a2a.V10, Status: 429}},
		{"POST", "/", a2atest.Hello("SendMessage", "boom"), server.Observation{Operation: "SendMessage", Binding: "jsonrpc", Version: a2a.V10, Status: 500}},
		{"POST", "/", a2atest.Hello("SendMessage", " "), server.Observation{Operation: "SendMessage", Binding: "jsonrpc", Version: a2a.V10, Status: 400}},
		{"POST", "/", a2atest.Hello("Evil\\nMethod", "x"), server.Observation{Binding: "jsonrpc", Version: a2a.V03, Status: 404}},
		{"POST", "/message:send", message, server.Observation{Operation: "SendMessage", Binding: "rest", Version: a2a.V10, Status: 200}},
		{"GET", "/v1/tasks/nope", "", server.Observation{Operation: "GetTask", Binding: "rest", Version: a2a.V03, Status: 404}},
		{"POST", "/a2a/tools/acme.echo", "{}", server.Observation{Operation: "CallTool", Binding: "http", Status: 200}},
		{"GET", "/a2a/tools", "", server.Observation{Operation: "ListTools", Binding: "http", Status: 200}},
		{"GET", "/a2a/tools?query=echo", "", server.Observation{Operation: "SearchTools", Binding: "http", Status: 200}},
		{"GET", "/.well-known/agent.json", "", server.Observation{Operation: "AgentCard", Binding: "http", Status: 200}},
		{"GET", "/readyz", "", server.Observation{Operation: "Health", Binding: "http", Status: 200}},
		{"GET", "/metrics", "", server.Observation{Operation: "Metrics", Binding: "http", Status: 200}},
		{"GET", "/wp-admin.php", "", server.Observation{Binding: "http", Status: 404}},
	} {
		a2atest.Do(t, c.method, url+c.path, c.body, "Content-Type", "application/json")
		got := w.next(t)
		if got.Duration <= 0 {
			t.Errorf("%s: took %v", c.path, got.Duration)
		}
		got.Duration = 0
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %s %s (-want +got):\n%s", c.method, c.path, c.body, diff)
		}
	}
	if w.began != 15 || w.opened != 1 || w.closed != 1 {
		t.Errorf("%d began; %d streams opened, %d closed", w.began, w.opened, w.closed)
	}
}

// Bytes count as they pass, those of a stream too, and a client that goes away
// is not a fault of ours.
func TestObserverCountsBytes(t *testing.T) {
	w := newWatcher()
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), Observer: w})
	body := a2atest.Hello("SendMessage", "hello")
	_, answer := a2atest.Do(t, "POST", url+"/", body, "Content-Type", "application/json")
	w.next(t)
	if w.in != len(body) || w.out != len(answer) {
		t.Errorf("%d in, %d out; sent %d, got %d", w.in, w.out, len(body), len(answer))
	}
	_, events := a2atest.Do(t, "POST", url+"/", a2atest.Hello("SendStreamingMessage", "hello"), "Content-Type", "application/json")
	w.next(t)
	if w.out != len(answer)+len(events) {
		t.Errorf("%d out, got %d", w.out, len(answer)+len(events))
	}

	hang := &hanging{Fake: a2atest.NewFake(), came: make(chan struct{})}
	url, _ = start(t, server.Options{Handler: hang, Observer: w, Heartbeat: 50 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-hang.came
		cancel()
	}()
	req, err := http.NewRequestWithContext(ctx, "POST", url+"/", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if res, err := http.DefaultClient.Do(req); err == nil {
		res.Body.Close()
		t.Fatal("the request was answered")
	}
	if o := w.next(t); o.Status != 499 {
		t.Errorf("status %d", o.Status)
	}
}

// hanging waits for its client to go away.
type hanging struct {
	*a2atest.Fake
	came chan struct{}
}

func (h *hanging) SendMessage(ctx context.Context, _ *a2a.SendRequest) (*a2a.SendResult, error) {
	close(h.came)
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// Without a body for it there is no /metrics.
func TestMetricsPath(t *testing.T) {
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), Metrics: func() []byte { return []byte("a 1\n") }})
	res, body := a2atest.Do(t, "GET", url+"/metrics", "")
	if res.StatusCode != 200 || body != "a 1\n" || res.Header.Get("Content-Type") != "application/openmetrics-text; version=1.0.0; charset=utf-8" {
		t.Errorf("%d %s %q", res.StatusCode, res.Header.Get("Content-Type"), body)
	}
	url, _ = start(t, server.Options{Handler: a2atest.NewFake()})
	if res, _ := a2atest.Do(t, "GET", url+"/metrics", ""); res.StatusCode != 404 {
		t.Errorf("without metrics: %d", res.StatusCode)
	}
}
