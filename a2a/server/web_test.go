package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// Where callers do not show who they are, a page that made its own name resolve to
// an address of ours gets no further than this, on any interface: what it asks has
// an Origin, and its Host is a name that nobody gave this server.
func TestRebindingOnAnyInterface(t *testing.T) {
	f := a2atest.NewFake()
	url, _ := start(t, server.Options{Handler: f, PublicURL: "https://agents.example.com", AllowedHosts: []string{"agent.internal", "other:8999"}, CORS: []string{"https://chat.example.com"}})
	send := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}`
	for _, tt := range []struct {
		host, origin string
		ok           bool
	}{
		{"evil.com:8999", "http://evil.com:8999", false}, {"evil.com", "http://evil.com", false}, {"x:y:z", "http://x", false},
		{"127.0.0.1.evil.com", "http://127.0.0.1.evil.com", false}, {"other", "http://other", false},
		{"evil.com:8999", "", true}, // no browser
		{"localhost:8999", "http://localhost:8999", true}, {"10.0.0.7:8999", "http://10.0.0.7:8999", true}, {"[::1]:8999", "http://[::1]:8999", true},
		{"agents.example.com", "https://agents.example.com", true}, {"agent.internal:80", "http://agent.internal:80", true}, {"agent.internal", "http://agent.internal", true},
		{"other:8999", "http://other:8999", true}, {"evil.com", "https://chat.example.com", true}, // a page that the operator named
	} {
		headers := []string{"Host", tt.host, "Content-Type", "application/json"}
		if tt.origin != "" {
			headers = append(headers, "Origin", tt.origin)
		}
		for _, c := range [][3]string{{"POST", "/message:send", send}, {"GET", "/tasks", ""}, {"GET", "/a2a/tools", ""}} {
			res, body := a2atest.Do(t, c[0], url+c[1], c[2], headers...)
			if ok := res.StatusCode == http.StatusOK; ok != tt.ok {
				t.Errorf("%s %s, Host %s, Origin %s: %d %s", c[0], c[1], tt.host, tt.origin, res.StatusCode, body)
			}
			if !tt.ok && (res.StatusCode != http.StatusMisdirectedRequest || !strings.Contains(body, "--allowed-host")) {
				t.Errorf("%s %s, Host %s: %d without the way out: %s", c[0], c[1], tt.host, res.StatusCode, body)
			}
		}
	}
	// What a page reads of its own origin has no Origin, but is a browser's all the same.
	for _, mark := range [][2]string{{"Referer", "http://evil.com/"}, {"Sec-Fetch-Site", "same-origin"}, {"User-Agent", "Mozilla/5.0 (X11) Firefox/140.0"}} {
		for host, status := range map[string]int{"evil.com:8999": http.StatusMisdirectedRequest, "agent.internal": 200, "10.0.0.7:8999": 200} {
			if res, body := a2atest.Do(t, "GET", url+"/tasks", "", "Host", host, mark[0], mark[1]); res.StatusCode != status {
				t.Errorf("%s by %s: %d %s", host, mark[0], res.StatusCode, body)
			}
		}
	}
	// Who must show who he is needs no such check.
	known, _ := start(t, server.Options{Handler: f, Authenticate: func(*http.Request) (server.Identity, error) { return server.Identity{Caller: "alice"}, nil }})
	if res, body := a2atest.Do(t, "GET", known+"/tasks", "", "Host", "agents", "Origin", "http://agents"); res.StatusCode != http.StatusOK {
		t.Errorf("with authentication: %d %s", res.StatusCode, body)
	}
	// On loopback names are refused without an Origin too, but for those allowed.
	local, _ := start(t, server.Options{Handler: f, Loopback: true, AllowedHosts: []string{"agent.internal"}})
	for host, status := range map[string]int{"agent.internal:1": 200, "evil.com": http.StatusMisdirectedRequest} {
		if res, body := a2atest.Do(t, "GET", local+"/tasks", "", "Host", host); res.StatusCode != status {
			t.Errorf("on loopback, %s: %d %s", host, res.StatusCode, body)
		}
	}
}

// Pages of an origin that the operator named may call, with everything that
// clients send and read; others may not, and by default none may.
func TestCORS(t *testing.T) {
	const page = "https://chat.example.com"
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), CORS: []string{page}, Authenticate: func(r *http.Request) (server.Identity, error) {
		if r.Header.Get("Authorization") == "" {
			return server.Identity{}, a2a.ErrUnauthenticated
		}
		return server.Identity{Caller: "alice"}, nil
	}})
	off, _ := start(t, server.Options{Handler: a2atest.NewFake()})
	preflight := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type,authorization,a2a-version"}
	for _, path := range []string{"/", "/message:stream", "/v1/tasks/x", "/.well-known/agent-card.json", "/a2a/tools/acme.echo"} {
		res, _ := a2atest.Do(t, "OPTIONS", url+path, "", append(preflight, "Origin", page)...)
		h := res.Header
		if res.StatusCode != 204 || h.Get("Access-Control-Allow-Origin") != page || h.Get("Vary") != "Origin" || h.Get("Access-Control-Max-Age") != "600" {
			t.Errorf("%s: %d %v", path, res.StatusCode, h)
		}
		for _, method := range []string{"GET", "POST", "DELETE"} {
			if !strings.Contains(h.Get("Access-Control-Allow-Methods"), method) {
				t.Errorf("%s: %s is not allowed: %v", path, method, h)
			}
		}
		for _, name := range []string{"Authorization", "Content-Type", "A2A-Version", "A2A-Extensions", "X-A2A-Extensions", "Last-Event-ID", "Traceparent", "If-None-Match"} {
			if !strings.Contains(h.Get("Access-Control-Allow-Headers"), name) {
				t.Errorf("%s: %s is not allowed: %v", path, name, h)
			}
		}
		for _, tt := range []struct{ url, origin string }{{url, "https://evil.com"}, {url, "null"}, {off, page}} {
			res, _ := a2atest.Do(t, "OPTIONS", tt.url+path, "", append(preflight, "Origin", tt.origin)...)
			if res.StatusCode < 400 || res.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s from %s: %d %v", path, tt.origin, res.StatusCode, res.Header)
			}
		}
	}
	for _, tt := range []struct {
		origin, token string
		status        int
		allowed       string
	}{
		{page, "Bearer x", 200, page}, {page, "", 401, page}, {"https://evil.com", "Bearer x", 403, ""}, {"", "Bearer x", 200, ""},
	} {
		headers := []string{"Content-Type", "application/json"}
		if tt.origin != "" {
			headers = append(headers, "Origin", tt.origin, "Sec-Fetch-Site", "cross-site")
		}
		if tt.token != "" {
			headers = append(headers, "Authorization", tt.token)
		}
		res, body := a2atest.Do(t, "POST", url+"/", a2atest.Hello("SendMessage", "hi"), headers...)
		if res.StatusCode != tt.status || res.Header.Get("Access-Control-Allow-Origin") != tt.allowed {
			t.Errorf("%+v: %d %v %s", tt, res.StatusCode, res.Header, body)
		}
		if exposed := res.Header.Get("Access-Control-Expose-Headers"); tt.allowed != "" && !strings.Contains(exposed, "A2A-Extensions") {
			t.Errorf("%+v: exposed %q", tt, exposed)
		}
	}
}

// There are no tenants, and one that is named is refused by its name.
func TestTenantsAreRefused(t *testing.T) {
	f := a2atest.NewFake()
	f.AgentCard.Push = true
	url, _ := start(t, server.Options{Handler: f})
	send := `{"tenant":"acme","message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}`
	for _, tt := range []struct{ method, path, body string }{
		{"POST", "/acme/message:send", send}, {"POST", "/acme/message:stream", send}, {"GET", "/acme/tasks", ""}, {"GET", "/acme/tasks/t", ""},
		{"POST", "/acme/tasks/t:cancel", "{}"}, {"GET", "/acme/extendedAgentCard", ""}, {"POST", "/acme/tasks/t/pushNotificationConfigs", "{}"},
		{"POST", "/message:send", send}, {"POST", "/message:stream", send}, {"POST", "/tasks/working:cancel", `{"tenant":"acme"}`},
		{"GET", "/tasks?tenant=acme", ""}, {"GET", "/tasks/working?tenant=acme", ""}, {"GET", "/extendedAgentCard?tenant=acme", ""},
		{"GET", "/tasks/working:subscribe?tenant=acme", ""}, {"DELETE", "/tasks/working/pushNotificationConfigs/i?tenant=acme", ""},
		{"POST", "/tasks/working/pushNotificationConfigs", `{"tenant":"acme","url":"https://example.com"}`},
		{"POST", "/message:send", strings.Replace(send, `"tenant":"acme",`, `"configuration":{"taskPushNotificationConfig":{"tenant":"acme","url":"https://example.com"}},`, 1)},
		{"POST", "/", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + send + `}`},
		{"POST", "/", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":` + send + `}`},
		{"POST", "/", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"working","tenant":"acme"}}`},
		{"POST", "/", `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"tenant":"acme"}}`},
		{"POST", "/", `{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard","params":{"tenant":"acme"}}`},
	} {
		res, body := a2atest.Do(t, tt.method, url+tt.path, tt.body, "Content-Type", "application/json")
		if !strings.Contains(body, "tenant") || !strings.Contains(body, "acme") || !strings.Contains(body, `"error"`) {
			t.Errorf("%s %s %s: %d %s", tt.method, tt.path, tt.body, res.StatusCode, body)
		}
	}
	if n := len(f.Sends()) + len(f.Pushed) + len(f.Unpushed); n != 0 {
		t.Errorf("%d requests reached the agent", n)
	}
	if res, body := a2atest.Do(t, "POST", url+"/message:send", strings.Replace(send, "acme", "", 1), "Content-Type", "application/json"); res.StatusCode != 200 {
		t.Errorf("an empty tenant is none: %d %s", res.StatusCode, body)
	}
	if res, body := a2atest.Do(t, "GET", url+"/v1/tasks/t/nothing", ""); res.StatusCode != 404 || strings.Contains(body, "tenant") {
		t.Errorf("the prefix of 0.3's paths is no tenant: %d %s", res.StatusCode, body)
	}
}

// A card says since when it is so, and a client that has it is not sent it again.
func TestCardLastModified(t *testing.T) {
	f := a2atest.NewFake()
	url, _ := start(t, server.Options{Handler: f})
	const path = "/.well-known/agent-card.json"
	res, _ := a2atest.Do(t, "GET", url+path, "")
	modified := res.Header.Get("Last-Modified")
	at, err := http.ParseTime(modified)
	if err != nil || time.Since(at) > time.Hour || time.Until(at) > time.Second {
		t.Fatalf("Last-Modified: %q", modified)
	}
	later := at.Add(time.Hour).UTC().Format(http.TimeFormat)
	before := at.Add(-time.Hour).UTC().Format(http.TimeFormat)
	for _, tt := range []struct {
		headers []string
		status  int
	}{
		{[]string{"If-Modified-Since", modified}, 304}, {[]string{"If-Modified-Since", later}, 304}, {[]string{"If-Modified-Since", before}, 200},
		{[]string{"If-Modified-Since", "yesterday"}, 200}, {[]string{"If-None-Match", `"other"`, "If-Modified-Since", later}, 200},
	} {
		res, _ := a2atest.Do(t, "GET", url+path, "", tt.headers...)
		if res.StatusCode != tt.status || res.Header.Get("Last-Modified") != modified {
			t.Errorf("%v: %d, Last-Modified %q", tt.headers, res.StatusCode, res.Header.Get("Last-Modified"))
		}
	}
}

// The first event of a stream has an id, a new task's too.
func TestFirstEventHasAnID(t *testing.T) {
	url, _ := start(t, server.Options{Handler: a2atest.NewFake()})
	for _, method := range []string{"SendStreamingMessage", "message/stream"} {
		_, body := a2atest.Do(t, "POST", url+"/", a2atest.Hello(method, "hi"), "Content-Type", "application/json")
		if !strings.HasPrefix(body, "id: 0\ndata: ") {
			t.Errorf("%s: %.100s", method, body)
		}
	}
}
