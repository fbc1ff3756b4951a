package face_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/face"
)

// serveHTTP serves tools to the caller that a header names.
func serveHTTP(t testing.TB, s *toolset, o face.HTTPOptions) (*face.HTTP, *httptest.Server) {
	t.Helper()
	o.Backend, o.Changed = func(string) face.Backend { return s }, s.Changed
	if o.Sessions == 0 {
		o.Sessions, o.CallerSessions, o.Idle = 100, 100, time.Hour
	}
	h := face.NewHTTP(o)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h.ServeHTTP(w, r, r.Header.Get("Caller")); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	}))
	ctx, stop := context.WithCancel(context.Background())
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		h.Follow(ctx)
	}()
	t.Cleanup(func() {
		h.Close()
		server.Close()
		stop()
		<-followed
	})
	return h, server
}

type asCaller string

func (c asCaller) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Caller", string(c))
	return http.DefaultTransport.RoundTrip(r)
}

func client(t testing.TB, server *httptest.Server, caller, revision string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, o).Connect(context.Background(),
		&mcp.StreamableClientTransport{Endpoint: server.URL, HTTPClient: &http.Client{Transport: asCaller(caller)}, MaxRetries: -1}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A client that reads nothing of its notifications holds up no other caller's.
func TestSlowReader(t *testing.T) {
	s := newToolset("acme.a")
	_, server := serveHTTP(t, s, face.HTTPOptions{})
	told := make(chan struct{}, 10_000)
	good := client(t, server, "good", "2025-06-18", &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} }})
	defer good.Close()
	nc, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	_ = nc.(*net.TCPConn).SetReadBuffer(1)
	bad := client(t, server, "bad", "2025-06-18", nil)
	defer bad.Close()
	hold := make(chan struct{})
	s.call = func(_ context.Context, c *face.Call) (*face.Result, error) {
		if c.Name == "acme.big" {
			return output(`"` + strings.Repeat("x", 16<<20) + `"`), nil
		}
		<-hold
		return output(`1`), nil
	}
	close(hold)
	body := `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"acme.big"}}`
	fmt.Fprintf(nc, "POST / HTTP/1.1\r\nHost: x\r\nCaller: bad\r\nMcp-Session-Id: %s\r\nMcp-Protocol-Version: 2025-06-18\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", bad.ID(), len(body), body)
	for range 3 {
		began := time.Now()
		s.change(func() { s.always = append(s.always, tool("acme.b")) })
		<-told
		if took := time.Since(began); took > time.Second { // the other one is cut off after 30
			t.Errorf("told after %s", took)
		}
		if _, err := good.CallTool(t.Context(), &mcp.CallToolParams{Name: "acme.a"}); err != nil {
			t.Error(err)
		}
	}
}

// Sessions that nobody uses are closed, and callers beyond the limit are forgotten.
func TestIdleAndForgotten(t *testing.T) {
	s := newToolset("acme.a")
	_, server := serveHTTP(t, s, face.HTTPOptions{Sessions: 1, CallerSessions: 1, Idle: 50 * time.Millisecond})
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	if res := post(t, server, "a", "", "", initialize); res.StatusCode != 200 {
		t.Fatal(res.Status)
	}
	await.True(t, "the session is closed, which makes room", func() bool {
		return post(t, server, "a", "", "", initialize).StatusCode == 200
	})
	for i := range face.MaxCallers + 10 {
		if res := post(t, server, fmt.Sprint("caller", i), "", "2026-07-28", listStateless); res.StatusCode != 200 {
			t.Fatal(i, res.Status)
		}
	}
	await.True(t, "a caller that is new has a session", func() bool {
		return post(t, server, "b", "", "", initialize).StatusCode == 200
	})
}

const listStateless = `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

func post(t testing.TB, server *httptest.Server, caller, session, revision, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, server.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Caller": caller, "Mcp-Session-Id": session, "Mcp-Protocol-Version": revision} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if revision == "2026-07-28" {
		req.Header.Set("Mcp-Method", "tools/list")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return res
}

// FuzzBody: no body ends the process, at any revision, with a session or without.
func FuzzBody(f *testing.F) {
	s := newToolset("acme.a")
	s.hidden = append(s.hidden, tool("acme.h"))
	h := face.NewHTTP(face.HTTPOptions{Backend: func(string) face.Backend { return s }, Changed: s.Changed, Sessions: 1 << 30, CallerSessions: 1 << 30, Idle: time.Hour})
	f.Cleanup(h.Close)
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"progressToken":{}}`
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":null,"clientInfo":null}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":null}`, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`,
		`[{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","method":"notifications/initialized"}]`, `[]`, `[null]`, `null`, `{}`, `[[]]`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":"x","method":"tools/list","params":[]}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"acme.a","arguments":[],` + meta + `,"inputResponses":{"answer":{"action":1}},"requestState":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"core.tool_search","arguments":{"load":["acme.h"]},` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dispatcher","arguments":null,` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":7}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x"}}`, `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{}}`,
		listStateless,
	} {
		for _, revision := range []string{"", "2024-11-05", "2025-06-18", "2026-07-28", "9"} {
			f.Add(revision, body)
		}
	}
	f.Fuzz(func(t *testing.T, revision, body string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		session := ""
		for _, one := range []string{body, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, body} {
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", bytes.NewReader([]byte(one)))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			if one == body {
				r.Header["Mcp-Protocol-Version"] = []string{revision}
			}
			if session != "" {
				r.Header.Set("Mcp-Session-Id", session)
			}
			w := httptest.NewRecorder()
			if err := h.ServeHTTP(w, r, "fuzz"); err != nil {
				t.Fatal(err)
			}
			if id := w.Header().Get("Mcp-Session-Id"); id != "" {
				session = id
			}
		}
		if session != "" {
			r := httptest.NewRequestWithContext(ctx, http.MethodDelete, "/mcp", nil)
			r.Header.Set("Mcp-Session-Id", session)
			_ = h.ServeHTTP(httptest.NewRecorder(), r, "fuzz")
		}
	})
}

// Close cancels the calls of all callers at once: none of them goes on while another's is waited for.
func TestHTTPClosesAllAtOnce(t *testing.T) {
	t.Parallel()
	s := newToolset("acme.echo")
	begun := make(chan struct{}, 2)
	var canceled sync.WaitGroup
	canceled.Add(2)
	s.call = func(ctx context.Context, _ *face.Call) (*face.Result, error) {
		begun <- struct{}{}
		<-ctx.Done()
		canceled.Done()
		canceled.Wait()
		return nil, context.Cause(ctx)
	}
	h, server := serveHTTP(t, s, face.HTTPOptions{})
	var calls sync.WaitGroup
	for _, caller := range []string{"a", "b"} {
		c := client(t, server, caller, "2025-11-25", nil)
		calls.Go(func() { _, _ = c.CallTool(context.Background(), &mcp.CallToolParams{Name: "acme.echo"}) }) // it ends with the server
		await.One(t, begun, "the call of "+caller)
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		h.Close()
	}()
	await.One(t, closed, "the end")
	calls.Wait()
}
