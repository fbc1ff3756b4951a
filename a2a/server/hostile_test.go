package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// entry is one way in for a message.
type entry struct {
	name, path string
	rpc        string // the method, "" for REST
	content    string // what the parts are called
}

func entries() []entry {
	return []entry{
		{"1.0 JSON-RPC", "/", "SendMessage", "parts"},
		{"1.0 JSON-RPC stream", "/a2a", "SendStreamingMessage", "parts"},
		{"0.3 JSON-RPC", "/", "message/send", "parts"},
		{"0.3 JSON-RPC stream", "/", "message/stream", "parts"},
		{"1.0 REST", "/message:send", "", "parts"},
		{"1.0 REST stream", "/message:stream", "", "parts"},
		{"0.3 REST", "/v1/message:send", "", "content"},
		{"0.3 REST stream", "/v1/message:stream", "", "content"},
	}
}

// body is the params, in their envelope where the door has one.
func (d entry) body(params string) string {
	params = strings.ReplaceAll(params, "PARTS", d.content)
	if d.rpc == "" {
		return params
	}
	return `{"jsonrpc":"2.0","id":1,"method":"` + d.rpc + `","params":` + params + `}`
}

// knock sends a body to a door and returns the text of the answer.
func knock(f *a2atest.Fake, path, body string) string {
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	server.New(server.Options{Handler: f}).ServeHTTP(w, r)
	return w.Body.String()
}

// A key that is here twice is refused at every door, under either spelling: a
// proxy that checks a request may have read the other one (RFC 8259 §4).
func TestKeyHereTwice(t *testing.T) {
	for params, want := range map[string]string{
		`{"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"a"}]},"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"b"}]}}`: `message\" is here twice`,
		`{"message":{"messageId":"m","role":"ROLE_USER","contextId":"a","PARTS":[{"text":"a"}],"contextId":"b"}}`:                                       `message: \"contextId\" is here twice`,
		`{"message":{"messageId":"m","role":"ROLE_USER","contextId":"a","context_id":"b","PARTS":[{"text":"a"}]}}`:                                      `message: \"contextId\" is here twice`,
		`{"message":{"messageId":"m","role":"ROLE_USER","contextId":null,"PARTS":[{"text":"a"}],"context\u0049d":"b"}}`:                                 `message: \"contextId\" is here twice`,
		`{"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"a","text":"b"}]}}`:                                                            `[0]: \"text\" is here twice`,
		`{"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"a"}],"metadata":{"k":1,"k":2}}}`:                                              `message.metadata: \"k\" is here twice`,
		`{"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"a"}]},"configuration":{"historyLength":1,"history_length":0}}`:                `configuration: \"historyLength\" is here twice`,
		`{"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"a"}]},"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"i":2}`:           `\"i\" is here twice`,
		`{"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"a"}]}` + members(20_000) + `}`:                                                `has too many elements`,
		`{"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"a"}],"metadata":{"first":{"k":1},"context_id":1,"contextId":1,"K":1}}}`:       "",
		`{"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"a"}],"unknown":1},"unknown":1` + members(5_000) + `}`:                         "",
	} {
		for _, d := range entries() {
			f := a2atest.NewFake()
			got := knock(f, d.path, d.body(params))
			if (want == "") != (len(f.Sends()) == 1) || !strings.Contains(got, want) {
				t.Errorf("%s: %.200s\nanswered %.300s", d.name, params, got)
			}
		}
	}
	// In the envelope nothing is known of the request yet.
	f := a2atest.NewFake()
	for _, twice := range []string{`"id":2`, `"method":"GetTask"`, `"params":{}`, `"jsonrpc":"2.0"`, `"\u0069d":1`} {
		body := strings.TrimSuffix(a2atest.Hello("SendMessage", "hello"), "}") + "," + twice + "}"
		if got := knock(f, "/", body); !strings.Contains(got, `"id":null,"error":{"code":-32600`) || !strings.Contains(got, "is here twice") {
			t.Errorf("%s: %s", twice, got)
		}
	}
	if len(f.Sends()) != 0 {
		t.Error("work was started")
	}
}

// members are n more members of an object.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"x%d":0`, i)
	}
	return b.String()
}

// Nesting is bounded wherever it is, and what is within the bound is taken.
func TestDeepJSON(t *testing.T) {
	nest := func(open, shut string, n int) string {
		return strings.Repeat(open, n) + "0" + strings.Repeat(shut, n)
	}
	for _, d := range entries() {
		for _, c := range []struct {
			params string // DEEP is nested around it three levels deep, four in an envelope
			around int
		}{
			{`{"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"a"}],"metadata":{"k":DEEP}}}`, 3},
			{`{"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"a"}],"unknown":{"k":DEEP}}}`, 3},
			{`{"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"a"},{"data":{"k":DEEP}}]}}`, 5},
		} {
			around := c.around
			if d.rpc != "" {
				around++
			}
			for name, deep := range map[string]func(n int) string{
				"lists":   func(n int) string { return nest("[", "]", n) },
				"objects": func(n int) string { return nest(`{"a":`, "}", n) },
			} {
				for n, taken := range map[int]bool{256 - around: true, 257 - around: false, 100_000: false} {
					f := a2atest.NewFake()
					got := knock(f, d.path, d.body(strings.Replace(c.params, "DEEP", deep(n), 1)))
					if taken != (len(f.Sends()) == 1) || !taken && !strings.Contains(got, "nested deeper than 256 levels") {
						t.Errorf("%s, %d %s in %s: %.200s", d.name, n, name, c.params, got)
					}
				}
			}
		}
	}
}

// Bytes that are no UTF-8 are refused in a body, and wherever else they come the
// answer is JSON in UTF-8 that does not repeat them.
func TestNotUTF8(t *testing.T) {
	bad := []string{"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}
	for _, d := range entries() {
		for _, b := range bad {
			for _, params := range []string{
				`{"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"BAD"}]}}`,
				`{"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"a"}],"metadata":{"BAD":1}}}`,
				`{"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"a"}]},"BAD":1}`,
			} {
				f := a2atest.NewFake()
				got := knock(f, d.path, d.body(strings.Replace(params, "BAD", b, 1)))
				if len(f.Sends()) != 0 || !strings.Contains(got, "not UTF-8") || !utf8.ValidString(got) {
					t.Errorf("%s, %q in %s: %q", d.name, b, params, got)
				}
			}
		}
		// Half a surrogate is an escape that stands for nothing.
		f := a2atest.NewFake()
		if got := knock(f, d.path, d.body(`{"message":{"messageId":"m","role":"ROLE_USER","PARTS":[{"text":"a\ud800b"}]}}`)); len(f.Sends()) != 1 || f.Sends()[0].Message.Parts[0].Text != "a\ufffdb" || !utf8.ValidString(got) {
			t.Errorf("%s: half a surrogate: %q", d.name, got)
		}
	}
	server := server.New(server.Options{Handler: a2atest.NewFake()})
	for _, b := range bad {
		at := url.PathEscape(b)
		for _, target := range []string{
			"/tasks/" + at, "/v1/tasks/" + at, "/tasks/" + at + ":subscribe", "/" + at, "/tasks?contextId=" + at, "/tasks?status=" + at,
			"/tasks?pageToken=" + at, "/tasks/x?A2A-Version=" + at, "/tasks/" + at + "/pushNotificationConfigs/" + at,
		} {
			r := httptest.NewRequest("GET", target, nil)
			r.Header.Set("A2A-Extensions", b)
			r.Header.Set("Traceparent", b)
			r.Header.Set("Last-Event-ID", b)
			w := httptest.NewRecorder()
			server.ServeHTTP(w, r)
			if body := w.Body.Bytes(); !json.Valid(body) || !utf8.Valid(body) || w.Code == http.StatusInternalServerError {
				t.Errorf("%s: %d %q", target, w.Code, body)
			}
		}
	}
}

// trickle sends text over and over, a byte at a time, until the other side has
// had enough.
func trickle(conn net.Conn, text string) {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for i := 0; ; i++ {
		<-tick.C
		if _, err := conn.Write([]byte{text[i%len(text)]}); err != nil {
			return
		}
	}
}

// A client that keeps sending, but next to nothing, is cut off as well: each
// byte does not buy it more time.
func TestTrickledHeaderAndBody(t *testing.T) {
	for name, c := range map[string]struct {
		head, more string
		status     int
	}{
		"header":       {"GET /livez HTTP/1.1\r\nHost: x\r\n", "X-A: b\r\n", 0},
		"request line": {"GET /", "a", 0},
		"body":         {"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n", " ", 408},
		"chunks":       {"POST /message:send HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n", 408},
	} {
		t.Run(name, func(t *testing.T) {
			options := server.Options{Handler: a2atest.NewFake(), StallTimeout: 100 * time.Millisecond}
			if c.status == 0 {
				options.ReadHeaderTimeout = 100 * time.Millisecond
			}
			url, _ := start(t, options)
			conn := dial(t, url)
			io.WriteString(conn, c.head)
			var sending sync.WaitGroup
			sending.Go(func() { trickle(conn, c.more) })
			defer sending.Wait()
			defer conn.Close()
			if c.status != 0 {
				if status, body := answer(t, conn); status != c.status {
					t.Errorf("%d %s", status, body)
				}
				return
			}
			// Closed under a client that still sends, a connection may be reset.
			if got, err := io.ReadAll(conn); err != nil && isTimeout(err) {
				t.Errorf("the connection stayed open: %q, %v", got, err)
			}
		})
	}
}

func isTimeout(err error) bool {
	n, ok := err.(net.Error)
	return ok && n.Timeout()
}

// Two hundred clients that send half of something, or read nothing, are in
// nobody's way, and all are gone when their time is up.
func TestSlowClientsHurtNobody(t *testing.T) {
	t.Parallel()
	const clients = 200
	s := server.New(server.Options{Handler: a2atest.NewFake(), ReadHeaderTimeout: 3 * time.Second, StallTimeout: 3 * time.Second, IdleTimeout: 3 * time.Second})
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = s.HTTPServer()
	var mu sync.Mutex
	open, changed := map[net.Conn]bool{}, make(chan struct{}, 1)
	srv.Config.ConnState = func(c net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		if state == http.StateClosed {
			delete(open, c)
		} else {
			open[c] = true
		}
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	srv.Start()
	t.Cleanup(srv.Close)
	for i := range clients {
		conn := dial(t, srv.URL)
		io.WriteString(conn, []string{
			"", "GET /liv", "GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: ",
			"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"half\":",
		}[i%4])
	}
	for range 20 {
		res, body := a2atest.Do(t, "POST", srv.URL+"/", a2atest.Hello("SendMessage", "hello"), "Content-Type", "application/json", "Connection", "close")
		if res.StatusCode != 200 || !strings.Contains(body, "echo: hello") {
			t.Fatalf("%d %s", res.StatusCode, body)
		}
	}
	deadline := time.After(time.Minute)
	for {
		mu.Lock()
		left := len(open)
		mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("%d connections are open still", left)
		}
	}
}
