package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// start serves o over TCP with every limit of HTTPServer and returns the base
// URL.
func start(t testing.TB, o server.Options) (string, *http.Server) {
	t.Helper()
	hs := server.New(o).HTTPServer()
	return a2atest.Serve(t, hs), hs
}

var _ server.Handler = a2atest.NewFake()

// The bridge header is on every response, whatever its kind.
func TestHeadersOnEveryResponse(t *testing.T) {
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), Headers: map[string]string{"x-spring-voyage-bridge-version": "9"}, MaxBody: 512})
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/.well-known/agent.json", ""},
		{"GET", "/a2a/tools", ""},
		{"GET", "/healthz", ""},
		{"GET", "/nothing", ""},
		{"PATCH", "/", ""},
		{"POST", "/", a2atest.Hello("SendMessage", "hello")},
		{"POST", "/", a2atest.Hello("SendMessage", "panic")},
		{"POST", "/", a2atest.Hello("SendStreamingMessage", "hello")},
		{"POST", "/", strings.Repeat("x", 600)},
	} {
		res, _ := a2atest.Do(t, c.method, url+c.path, c.body, "Content-Type", "application/json")
		if got := res.Header.Get("X-Spring-Voyage-Bridge-Version"); got != "9" {
			t.Errorf("%s %s: %d with bridge version %q", c.method, c.path, res.StatusCode, got)
		}
	}
}

// A request without id starts nothing, nor does anything that is
// refused.
func TestRefusedRequestsStartNothing(t *testing.T) {
	f := a2atest.NewFake()
	url, _ := start(t, server.Options{Handler: f})
	bodies := map[string]string{
		"notification": `{"jsonrpc":"2.0","method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}}`,
		"another name": `{"jsonrpc":"2.0","ID":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}}`,
		"null":         `null`,
		"no parts":     `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[]}}}`,
		"not UTF-8":    a2atest.Hello("SendMessage", "\xff\xfe"),
		"cut short":    strings.TrimSuffix(a2atest.Hello("SendMessage", "hello"), "}"),
		"not JSON":     "\u00a0" + a2atest.Hello("SendMessage", "hello"),
	}
	for name, body := range bodies {
		res, text := a2atest.Do(t, "POST", url+"/", body, "Content-Type", "application/json")
		if res.StatusCode != http.StatusNoContent && !strings.Contains(text, `"error"`) {
			t.Errorf("%s: %d %s", name, res.StatusCode, text)
		}
	}
	if n := len(f.Sends()); n != 0 {
		t.Errorf("%d messages reached the handler", n)
	}
}

// §3.3.4, §4.6: a required extension that is missing is -32008 for every
// operation; it may be activated by the header or the message.
func TestRequiredExtension(t *testing.T) {
	f := a2atest.NewFake()
	f.AgentCard.Extensions = []a2a.Extension{{URI: a2atest.Extension, Required: true}}
	url, _ := start(t, server.Options{Handler: f})
	get := `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"done"}}`
	named := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}],"extensions":["` + a2atest.Extension + `"]}}}`
	for _, c := range []struct {
		name, body, header string
		refused            bool
	}{
		{"send", a2atest.Hello("SendMessage", "hello"), "", true},
		{"get", get, "", true},
		{"send with it", a2atest.Hello("SendMessage", "hello"), a2atest.Extension, false},
		{"get with it", get, "urn:a," + a2atest.Extension, false},
		{"named by the message", named, "", false},
	} {
		_, text := a2atest.Do(t, "POST", url+"/", c.body, "Content-Type", "application/json", "A2A-Extensions", c.header)
		if got := strings.Contains(text, `-32008`); got != c.refused {
			t.Errorf("%s: refused %v: %s", c.name, got, text)
		}
	}
	for _, r := range f.Sends() {
		if len(r.Extensions) != 1 || r.Extensions[0] != a2atest.Extension {
			t.Errorf("the handler was told of %q", r.Extensions)
		}
	}
}

// The handler gets the dialect and a trace parent that is well formed, and no
// other: it reaches the environment of children.
func TestParams(t *testing.T) {
	f := a2atest.NewFake()
	url, _ := start(t, server.Options{Handler: f})
	const good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for _, c := range []struct {
		method, header, trace string
		version               a2a.Version
	}{
		{"SendMessage", good, good, a2a.V10},
		{"message/send", good, good, a2a.V03},
		{"SendMessage", good + "x", "", a2a.V10},
		{"SendMessage", strings.ToUpper(good), "", a2a.V10},
		{"SendMessage", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "", a2a.V10},
		{"SendMessage", "$(touch /tmp/x)", "", a2a.V10},
	} {
		a2atest.Do(t, "POST", url+"/", a2atest.Hello(c.method, "hello"), "Content-Type", "application/json", "Traceparent", c.header)
		sent := f.Sends()
		last := sent[len(sent)-1]
		if last.TraceParent != c.trace || last.Version != c.version {
			t.Errorf("%s, %q: handler got version %s, trace %q", c.method, c.header, last.Version, last.TraceParent)
		}
	}
}

// A panic is one request's internal error, and the log says where; a plain
// error's text stays in the log.
func TestFaultsAreLogged(t *testing.T) {
	var log await.Log
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), Log: slog.New(slog.NewJSONHandler(&log, nil))})
	_, text := a2atest.Do(t, "POST", url+"/", a2atest.Hello("SendMessage", "panic"), "Content-Type", "application/json")
	if !strings.Contains(text, "-32603") || strings.Contains(text, "bug") {
		t.Errorf("the client got %s", text)
	}
	_, text = a2atest.Do(t, "POST", url+"/message:send", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"boom"}]}}`, "Content-Type", "application/json")
	if strings.Contains(text, "shadow") {
		t.Errorf("the client got %s", text)
	}
	for _, want := range []string{"the handler has a bug", "fake", "/etc/shadow"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	if res, _ := a2atest.Do(t, "GET", url+"/livez", ""); res.StatusCode != http.StatusOK {
		t.Errorf("after a panic: %d", res.StatusCode)
	}
}

// Busy is ready; anything else that refuses work is not.
func TestReady(t *testing.T) {
	f := a2atest.NewFake()
	url, _ := start(t, server.Options{Handler: f, Health: func() []byte { return []byte(`{"status":"ok","bridgeVersion":"9"}`) }})
	for _, c := range []struct {
		err    error
		status int
		retry  string
	}{
		{nil, 200, ""},
		{a2a.ErrBusy, 200, ""},
		{a2a.ErrUnavailable.With("shutting down"), 503, "5"},
		{errors.New("the agent is starting"), 503, "5"},
	} {
		f.SetReady(c.err)
		res, text := a2atest.Do(t, "GET", url+"/readyz", "")
		if res.StatusCode != c.status || res.Header.Get("Retry-After") != c.retry || c.status == 503 && !strings.Contains(text, c.err.Error()) {
			t.Errorf("%v: %d, Retry-After %q, %s", c.err, res.StatusCode, res.Header.Get("Retry-After"), text)
		}
		if res, _ := a2atest.Do(t, "GET", url+"/livez", ""); res.StatusCode != 200 {
			t.Errorf("%v: /livez %d", c.err, res.StatusCode)
		}
	}
	if _, text := a2atest.Do(t, "GET", url+"/healthz", ""); text != `{"status":"ok","bridgeVersion":"9"}` {
		t.Errorf("/healthz: %s", text)
	}
}

// §8.6.1: both well-known paths, with a validator that changes with the card.
func TestCardIsCached(t *testing.T) {
	f := a2atest.NewFake()
	url, _ := start(t, server.Options{Handler: f})
	res, body := a2atest.Do(t, "GET", url+"/.well-known/agent-card.json", "")
	etag := res.Header.Get("ETag")
	if etag == "" || res.Header.Get("Cache-Control") == "" || !json.Valid([]byte(body)) {
		t.Fatalf("ETag %q, Cache-Control %q, %s", etag, res.Header.Get("Cache-Control"), body)
	}
	if _, legacy := a2atest.Do(t, "GET", url+"/.well-known/agent.json", ""); legacy != body {
		t.Errorf("the paths differ: %s", legacy)
	}
	if res, text := a2atest.Do(t, "GET", url+"/.well-known/agent.json", "", "If-None-Match", etag); res.StatusCode != 304 || text != "" || res.Header.Get("ETag") != etag {
		t.Errorf("known: %d %q", res.StatusCode, text)
	}
	if res, text := a2atest.Do(t, "HEAD", url+"/.well-known/agent.json", ""); res.StatusCode != 200 || text != "" || res.ContentLength != int64(len(body)) {
		t.Errorf("HEAD: %d, length %d", res.StatusCode, res.ContentLength)
	}
	f.AgentCard = &a2a.Card{Name: "renamed"}
	if res, text := a2atest.Do(t, "GET", url+"/.well-known/agent.json", "", "If-None-Match", etag); res.StatusCode != 200 || !strings.Contains(text, "renamed") {
		t.Errorf("a new card: %d %s", res.StatusCode, text)
	}
}

// The body goes to the handler as it came.
func TestToolCall(t *testing.T) {
	f := a2atest.NewFake()
	url, _ := start(t, server.Options{Handler: f})
	a2atest.Do(t, "POST", url+"/a2a/tools/acme.echo", " \n")
	a2atest.Do(t, "POST", url+"/a2a/tools/acme.echo", `{"a": 1}`, "Content-Type", "text/plain")
	a2atest.Do(t, "POST", url+"/a2a/tools/a%2Fb", `not json`)
	want := [][2]string{{"acme.echo", "{}"}, {"acme.echo", `{"a": 1}`}, {"a/b", "not json"}}
	for i, r := range f.Called {
		if r.Name != want[i][0] || string(r.Arguments) != want[i][1] {
			t.Errorf("call %d: %s with %s", i, r.Name, r.Arguments)
		}
	}
	if len(f.Called) != len(want) {
		t.Errorf("%d calls", len(f.Called))
	}
}

// A client that goes away ends its request's context, and nothing else.
func TestClientGoesAway(t *testing.T) {
	waiting := &waitHandler{Fake: a2atest.NewFake(), entered: make(chan struct{}), left: make(chan error, 1)}
	url, _ := start(t, server.Options{Handler: waiting, Heartbeat: 50 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "POST", url+"/", strings.NewReader(a2atest.Hello("SendMessage", "wait")))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	go func() {
		<-waiting.entered
		cancel()
	}()
	if _, err := http.DefaultClient.Do(req); err == nil {
		t.Fatal("the request was answered")
	}
	if err := <-waiting.left; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler's context: %v", err)
	}
}

type waitHandler struct {
	*a2atest.Fake
	entered chan struct{}
	left    chan error
}

func (h *waitHandler) SendMessage(ctx context.Context, _ *a2a.SendRequest) (*a2a.SendResult, error) {
	close(h.entered)
	<-ctx.Done()
	h.left <- ctx.Err()
	return nil, ctx.Err()
}
