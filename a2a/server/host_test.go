package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// A web page can make its own name resolve to 127.0.0.1; it must not get
// further than this.
func TestHostOnLoopback(t *testing.T) {
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), Loopback: true, PublicURL: "https://agents.example.com/one/"})
	for host, ok := range map[string]bool{
		"localhost": true, "localhost:8999": true, "LOCALHOST.": true, "me.localhost": true, "127.0.0.1:8999": true, "127.9.9.9": true,
		"[::1]:8999": true, "[::1]": true, "agents.example.com": true,
		"evil.com": false, "evil.com:8999": false, "localhost.evil.com": false, "127.0.0.1.evil.com": false, "192.168.1.2": false,
		"0.0.0.0:8999": false, "[::]": false, "notlocalhost": false, "localhost:x": false, "[::ffff:127.0.0.1]": true,
	} {
		res, body := a2atest.Do(t, "GET", url+"/a2a/tools", "", "Host", host)
		if (res.StatusCode == http.StatusOK) != ok {
			t.Errorf("Host %s: %d %s", host, res.StatusCode, body)
		}
		if !ok && (res.StatusCode != http.StatusMisdirectedRequest || !strings.Contains(body, "use localhost")) {
			t.Errorf("Host %s: %d without a clear text: %s", host, res.StatusCode, body)
		}
	}
}

// Elsewhere the address is none of our business.
func TestHostOnOtherInterfaces(t *testing.T) {
	url, _ := start(t, server.Options{Handler: a2atest.NewFake()})
	if res, _ := a2atest.Do(t, "GET", url+"/a2a/tools", "", "Host", "agent.default.svc:8999"); res.StatusCode != http.StatusOK {
		t.Errorf("status %d", res.StatusCode)
	}
}

// A web page of another origin may not make the agent work.
func TestCrossOrigin(t *testing.T) {
	f := a2atest.NewFake()
	url, _ := start(t, server.Options{Handler: f, PublicURL: "https://agents.example.com"})
	refused := [][2]string{{"Origin", "https://evil.com"}, {"Origin", "null"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}}
	for _, h := range refused {
		for _, path := range []string{"/", "/message:send", "/a2a/tools/acme.echo", "/tasks/working:cancel"} {
			res, body := a2atest.Do(t, "POST", url+path, a2atest.Hello("SendMessage", "hello"), "Content-Type", "application/json", h[0], h[1])
			if res.StatusCode != http.StatusForbidden || !json.Valid([]byte(body)) {
				t.Errorf("POST %s with %s: %d %s", path, h, res.StatusCode, body)
			}
		}
	}
	if n := len(f.Sends()) + len(f.Called); n != 0 {
		t.Errorf("%d requests got through", n)
	}
	for _, h := range [][2]string{{"Origin", url}, {"Sec-Fetch-Site", "same-origin"}, {"Origin", "https://agents.example.com"}, {"X-None", ""}} {
		if res, body := a2atest.Do(t, "POST", url+"/", a2atest.Hello("SendMessage", "hello"), "Content-Type", "application/json", h[0], h[1]); res.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", h, res.StatusCode, body)
		}
	}
}

// The address on the card is the one that the client used, if it is one
// that a client can use: 0.0.0.0 is not.
func TestCardAddress(t *testing.T) {
	url, _ := start(t, server.Options{Handler: a2atest.NewFake()})
	for host, want := range map[string]string{
		"agent.svc:8999":   "http://agent.svc:8999",
		"localhost":        "http://localhost",
		"[fe80::1]:80":     "http://[fe80::1]:80",
		"0.0.0.0:8999":     url,
		"[::]:8999":        url,
		"a/b":              url,
		"a%22b":            url,
		"agent:99999":      url,
		"agent_1.x:1":      "http://agent_1.x:1",
		"-x":               url,
		"user@evil.com":    url,
		"[::ffff:0.0.0.0]": url,
	} {
		_, body := a2atest.Do(t, "GET", url+"/.well-known/agent.json", "", "Host", host, "X-Forwarded-Host", "evil.com", "X-Forwarded-Proto", "https")
		if !strings.Contains(body, `"`+want) || strings.Contains(body, "evil.com") || strings.Contains(body, "0.0.0.0") {
			t.Errorf("Host %s: want %s on the card: %s", host, want, body)
		}
	}
	url, _ = start(t, server.Options{Handler: a2atest.NewFake(), PublicURL: "https://agents.example.com/one/"})
	if _, body := a2atest.Do(t, "GET", url+"/.well-known/agent.json", ""); !strings.Contains(body, `"https://agents.example.com/one/"`) || strings.Contains(body, "127.0.0.1") {
		t.Errorf("public URL: %s", body)
	}
}

// Any number of Host headers costs a bounded amount of memory and still gets
// the right card.
func TestManyHosts(t *testing.T) {
	url, _ := start(t, server.Options{Handler: a2atest.NewFake()})
	for range 2 {
		for _, host := range strings.Fields(strings.Repeat("a b c d e f g h i j k l m n o p q r s t ", 2)) {
			if _, body := a2atest.Do(t, "GET", url+"/.well-known/agent.json", "", "Host", host+".example"); !strings.Contains(body, `"http://`+host+".example") {
				t.Fatalf("host %s: %s", host, body)
			}
		}
	}
}
