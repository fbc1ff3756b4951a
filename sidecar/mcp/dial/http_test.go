package dial_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/mcptest"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/serverfile"
)

// listen returns the address of a listener that accepts nothing.
func listen(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

func serveHTTP(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(s.Close)
	return s.URL
}

// remote is a server over HTTP that wants a token.
func remote(t *testing.T) (url string, unauthorized *atomic.Int64) {
	t.Helper()
	unauthorized = &atomic.Int64{}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return mcptest.NewServer("remote") }, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer token" {
			unauthorized.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, unauthorized
}

func at(url string) *serverfile.Server {
	return &serverfile.Server{Name: "far", Slug: "far", URL: url, Header: http.Header{"Authorization": {"Bearer token"}}, Requires: &manifest.Requires{}}
}

func TestHTTP(t *testing.T) {
	r := newRig(t, false, nil)
	url, _ := remote(t)
	session := r.connect(at(url))
	if said := r.call(session, "echo", "far"); said != "far" {
		t.Errorf("%q", said)
	}
}

// get sends a request as the SDK would do it.
func (r *rig) get(s *serverfile.Server) (string, error) {
	r.t.Helper()
	t, err := r.dialer.Dial(await.Context(r.t), s)
	if err != nil {
		r.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(await.Context(r.t), http.MethodPost, s.URL, strings.NewReader("{}"))
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := t.(*mcp.StreamableClientTransport).HTTPClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return string(body), err
}

// A redirect leads to no host that is not required, and takes no header with it.
func TestRedirects(t *testing.T) {
	var authorization atomic.Value
	authorization.Store("none came")
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		authorization.Store(r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, "target")
	}))
	t.Cleanup(target.Close)
	from := httptest.NewServer(http.RedirectHandler(target.URL, http.StatusTemporaryRedirect))
	t.Cleanup(from.Close)
	loop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusTemporaryRedirect) }))
	t.Cleanup(loop.Close)
	r := newRig(t, false, nil)
	if _, err := r.get(at(from.URL)); err == nil || authorization.Load() != "none came" {
		t.Errorf("the redirect was followed: %v", err)
	}
	s := at(from.URL)
	s.Requires.NetHosts = []string{strings.TrimPrefix(target.URL, "http://")}
	if body, err := r.get(s); body != "target" || err != nil || authorization.Load() != "" {
		t.Errorf("%q, %v, with the header %q", body, err, authorization.Load())
	}
	if _, err := r.get(at(loop.URL)); err == nil || !strings.Contains(err.Error(), "redirects more than 3 times") {
		t.Errorf("%v", err)
	}
}

// No cookie of a server comes back to it.
func TestCookies(t *testing.T) {
	var cookies atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookies.Add(int64(len(r.Cookies())))
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
	}))
	t.Cleanup(server.Close)
	r := newRig(t, false, nil)
	for range 2 {
		if _, err := r.get(at(server.URL)); err != nil {
			t.Error(err)
		}
	}
	if cookies.Load() > 0 {
		t.Error("a cookie came back")
	}
}
