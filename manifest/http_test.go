package manifest_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// httpTool is a tool with an http bridge.
func httpTool(t *testing.T, bridge string) *manifest.Snapshot {
	t.Helper()
	return mustParse(t, `[{"name":"acme.h","description":"d","inputSchema":{"type":"object","required":["id"],"properties":{
		"id":{"type":["string","integer","boolean"]},"q":{"type":["string","null"]},"tags":{"type":"array"},"any":{}}},"x-sidecar":{"bridge":{"http":`+bridge+`}}}]`)
}

func TestHTTPExpand(t *testing.T) {
	s := httpTool(t, `{"url":"https://api.example.com:8443/v1/items/{id}.json/x?all&q={q}&t={tags}&k%20={any}&fix=%2F"}`)
	h := s.Tools()[0].Bridge.HTTP
	if h.Host.String() != "api.example.com:8443" || h.Method != "GET" || h.Body != manifest.BodyNone {
		t.Errorf("host %s, method %s, body %s", h.Host, h.Method, h.Body)
	}
	const base = "https://api.example.com:8443/v1/items/"
	for _, c := range []struct{ args, want, fault string }{
		{args: `{"id":"a"}`, want: base + "a.json/x?all&fix=%2F"},
		{args: `{"id":7,"q":"a b&c=d#?","tags":["x","y&z",3],"any":true}`, want: base + "7.json/x?all&q=a+b%26c%3Dd%23%3F&t=x&t=y%26z&t=3&k%20=true&fix=%2F"},
		{args: `{"id":"../../admin?x=1#y/ü%2f","q":null,"tags":[]}`, want: base + "..%2F..%2Fadmin%3Fx=1%23y%2F%C3%BC%252f.json/x?all&fix=%2F"},
		{args: `{"id":"a","any":{}}`, fault: "/any must be a string, a number or a boolean"},
		{args: `{"id":"a","tags":[["x"]]}`, fault: "/tags must be a string"},
		{args: `{"id":"` + strings.Repeat("a", 9000) + `"}`, fault: "too long for a URL"},
	} {
		args, err := s.Validate(t.Context(), "acme.h", []byte(c.args))
		if err != nil {
			t.Fatal(err)
		}
		got, err := h.Expand(args)
		if got != c.want || (err != nil) != (c.fault != "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%.80s is %s, %v; want %s, %s", c.args, got, err, c.want, c.fault)
		}
	}
}

// An argument cannot leave its segment of the path.
func TestHTTPExpandKeepsThePath(t *testing.T) {
	s := httpTool(t, `{"method":"POST","url":"http://api.example.com/v1/{id}/x/.{id}"}`)
	h := s.Tools()[0].Bridge.HTTP
	if h.Body != manifest.BodyArguments {
		t.Errorf("the body of a POST is %s", h.Body)
	}
	for args, good := range map[string]bool{`{"id":"."}`: false, `{"id":".."}`: false, `{"id":""}`: false, `{"id":"..."}`: true, `{"id":"a"}`: true} {
		read, err := s.Validate(t.Context(), "acme.h", []byte(args))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := h.Expand(read); (err == nil) != good {
			t.Errorf("%s: %s, %v", args, got, err)
		}
	}
	for url, want := range map[string]string{
		"http://api.example.com": "http://api.example.com/", "http://api.example.com/": "http://api.example.com/",
		"http://api.example.com?a=1": "http://api.example.com/?a=1", "http://api.example.com/a/": "http://api.example.com/a/",
	} {
		s := httpTool(t, `{"url":"`+url+`"}`)
		read, err := s.Validate(t.Context(), "acme.h", []byte(`{"id":"a"}`))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Tools()[0].Bridge.HTTP.Expand(read); err != nil || got != want {
			t.Errorf("%s is %s, %v", url, got, err)
		}
	}
}

func TestHTTPHeaders(t *testing.T) {
	s := httpTool(t, `{"url":"https://api.example.com/","headers":{"Authorization":"Bearer $TOKEN","X-A":"$$1 ${TOKEN}x$EMPTY","X-B":"plain","X-C":"$UNSET","X-D":"$LINE"}}`)
	h := s.Tools()[0].Bridge.HTTP
	if got := strings.Join(h.Variables(), " "); got != "TOKEN EMPTY UNSET LINE" {
		t.Errorf("variables %s", got)
	}
	env := map[string]string{"TOKEN": "se$cret", "EMPTY": "", "LINE": "a\r\nX-Evil: secret"}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	want := map[string]string{"Authorization": "Bearer se$cret", "X-A": "EMPTY for the header X-A is not set", "X-B": "plain", "X-C": "UNSET for the header X-C is not set", "X-D": "LINE for the header X-D has a line break"}
	for _, header := range h.Headers {
		got, err := header.Expand(lookup)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want[header.Name]) || err != nil && strings.Contains(got, "secret") {
			t.Errorf("%s: %q, want %q", header.Name, got, want[header.Name])
		}
	}
	env["EMPTY"] = "y"
	if got, err := h.Headers[1].Expand(lookup); got != "$1 se$cretxy" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
