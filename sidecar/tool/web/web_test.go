package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/web"
)

// site is a server on the loopback that plays all public hosts: names are resolved to public addresses, and
// whoever connects to one comes to it.
type site struct {
	*httptest.Server
	t   *testing.T
	mux *http.ServeMux

	mu     sync.Mutex
	seen   []*http.Request
	dialed []string
	names  map[string][]netip.Addr // one after the other; the last one stays
}

var public = netip.MustParseAddr("93.184.215.14")

func newSite(t *testing.T) *site {
	s := &site{t: t, mux: http.NewServeMux(), names: map[string][]netip.Addr{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r)
		s.mu.Unlock()
		s.mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) says(path, contentType, body string) {
	s.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	})
}

func (s *site) leads(path, to string) {
	s.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	})
}

// raw makes a path write to the connection itself, until it fails or ctx of the request ends.
func (s *site) raw(path string, write func(w io.Writer, gone <-chan struct{})) {
	s.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			s.t.Error(err)
			return
		}
		defer conn.Close()
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			_, _ = io.Copy(io.Discard, conn)
		}()
		write(conn, gone)
	})
}

// net returns a network of the usual guard: every host by its name, no private address.
func (s *site) net(o web.Options) *web.Net {
	hosts, err := netguard.ParseHosts([]string{"*"})
	if err != nil {
		s.t.Fatal(err)
	}
	d := egress.Dialer{
		Hosts: hosts,
		Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			all := s.names[name]
			switch {
			case name == "nowhere.example":
				return nil, errors.New("no such host")
			case len(all) == 0:
				return []netip.Addr{public}, nil
			case len(all) > 1:
				s.names[name] = all[1:]
			}
			return all[:1], nil
		},
		Connect: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			s.mu.Lock()
			s.dialed = append(s.dialed, to.String())
			s.mu.Unlock()
			var d net.Dialer
			return d.DialContext(ctx, "tcp", s.Listener.Addr().String())
		},
	}
	o.UserAgent = "a2a-sidecar/test"
	o.Dial = func(ctx context.Context, address string) (net.Conn, error) {
		conn, _, err := d.DialAddress(ctx, address)
		return conn, err
	}
	return web.New(o)
}

// get fetches, and reads at most limit bytes of the body.
func get(n *web.Net, address string, limit int64) (*tool.Response, string, error) {
	res, err := n.Get(context.Background(), address)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, limit))
	return res, string(b), err
}

func TestGet(t *testing.T) {
	s := newSite(t)
	s.says("/page", "Text/HTML; Charset=ISO-8859-1", "hi")
	s.says("/none", "", "hi")
	s.leads("/moved", "http://other.example/page?x=1#y")
	s.leads("/5", "/4")
	s.leads("/4", "/3")
	s.leads("/3", "/2")
	s.leads("/2", "/1")
	s.leads("/1", "/page")
	n := s.net(web.Options{})
	for _, c := range []struct{ url, at string }{
		{"http://docs.example/page", "http://docs.example/page"}, {"http://docs.example:80/page#frag", "http://docs.example:80/page#frag"},
		{"http://docs.example/moved", "http://other.example/page?x=1#y"}, {"http://docs.example/5", "http://docs.example/page"},
	} {
		res, body, err := get(n, c.url, 100)
		if err != nil || res.URL != c.at || res.Status != 200 || res.MediaType != "text/html" || body != "hi" {
			t.Errorf("%s: %+v %q %v", c.url, res, body, err)
		}
	}
	for _, r := range s.seen {
		if r.Method != http.MethodGet || r.Header.Get("User-Agent") != "a2a-sidecar/test" || r.Header.Get("Accept") == "" || len(r.Header) != 4 || r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("%s %s has %v", r.Method, r.URL, r.Header)
		}
	}
	if res, _, err := get(n, "http://docs.example/page", 100); err != nil || res.Charset != "ISO-8859-1" {
		t.Errorf("%+v %v", res, err)
	}
}

// A proxy of the environment would connect in our place.
func TestNoProxy(t *testing.T) {
	s := newSite(t)
	s.says("/page", "text/plain", "hi")
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	if _, body, err := get(s.net(web.Options{}), "http://docs.example/page", 100); err != nil || body != "hi" {
		t.Errorf("%q %v", body, err)
	}
}

// What a hostile server, or a hostile URL, comes to.
func TestHostileServers(t *testing.T) {
	s := newSite(t)
	for path, to := range map[string]string{
		"/metadata": "http://169.254.169.254/latest/meta-data/", "/named": "http://inner.example/", "/loopback": "http://127.0.0.1:8080/", "/port": "http://docs.example:22/", "/six": "http://[::1]/",
		"/mapped": "http://[::ffff:127.0.0.1]/", "/octal": "http://0177.0.0.1/", "/number": "http://2130706433/", "/loop": "/loop", "/file": "file:///etc/passwd", "/user": "http://a:b@docs.example/", "/long": "/" + strings.Repeat("x", 10_000),
		"/nohost": "http:///x", "/odd": "http://%zz/", "/localhost": "http://localhost/", "/https": "https://docs.example/page",
	} {
		s.leads(path, to)
	}
	s.names["inner.example"] = []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	s.names["rebinds.example"] = []netip.Addr{public, netip.MustParseAddr("10.0.0.1")}
	s.leads("/again", "/page")
	s.says("/page", "text/plain", "hi")
	s.raw("/headers", func(w io.Writer, _ <-chan struct{}) {
		_, err := io.WriteString(w, "HTTP/1.1 200 OK\r\n")
		for ; err == nil; _, err = io.WriteString(w, "X-Long: "+strings.Repeat("x", 1000)+"\r\n") {
		}
	})
	s.raw("/early", func(w io.Writer, _ <-chan struct{}) {
		var err error
		for ; err == nil; _, err = io.WriteString(w, "HTTP/1.1 103 Early Hints\r\n\r\n") {
		}
	})
	s.raw("/mute", func(_ io.Writer, gone <-chan struct{}) { <-gone })
	s.raw("/slow", func(w io.Writer, gone <-chan struct{}) {
		_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhi")
		<-gone
	})
	s.raw("/short", func(w io.Writer, _ <-chan struct{}) {
		_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhi")
	})
	s.raw("/nonsense", func(w io.Writer, _ <-chan struct{}) { _, _ = io.WriteString(w, "\x1b[31mno-HTTP\r\n\r\n") })
	s.raw("/chunks", func(w io.Writer, _ <-chan struct{}) {
		_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
	})
	s.raw("/notgzip", func(w io.Writer, _ <-chan struct{}) {
		_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi")
	})
	n := s.net(web.Options{Timeout: 2 * time.Second, HeaderTimeout: time.Second})
	for _, c := range []struct{ url, want string }{
		{"http://docs.example/metadata", "the request to 169.254.169.254, to which docs.example redirects: connections to 169.254.169.254:80 are not allowed: no pattern allows this address at this port"},
		{"http://docs.example/named", "the request to inner.example, to which docs.example redirects: connections to inner.example:80 are not allowed: its address is loopback, which a pattern of addresses has to allow"},
		{"http://docs.example/loopback", "the request to 127.0.0.1:8080, to which docs.example redirects: connections to 127.0.0.1:8080 are not allowed: no pattern allows this address at this port"},
		{"http://docs.example/port", "the request to docs.example:22, to which docs.example redirects: connections to docs.example:22 are not allowed: no pattern allows this host at this port"},
		{"http://docs.example/six", "the request to [::1], to which docs.example redirects: connections to [::1]:80 are not allowed: no pattern allows this address at this port"},
		{"http://docs.example/mapped", "the request to [::ffff:127.0.0.1], to which docs.example redirects: connections to [::ffff:127.0.0.1]:80 are not allowed: no pattern allows this address at this port"},
		{"http://docs.example/octal", "the request to 0177.0.0.1, to which docs.example redirects: connections to 0177.0.0.1:80 are not allowed: the host must not end in a number: it would be read as an address"},
		{"http://docs.example/number", "the request to 2130706433, to which docs.example redirects: connections to 2130706433:80 are not allowed: the host must not end in a number: it would be read as an address"},
		{"http://docs.example/localhost", "the request to localhost, to which docs.example redirects: connections to localhost:80 are not allowed: its address is reserved, which a pattern of addresses has to allow"},
		{"http://rebinds.example/again", "the request to rebinds.example: connections to rebinds.example:80 are not allowed: its address is private, which a pattern of addresses has to allow"},
		{"http://docs.example/loop", `there are more than 5 redirects, the last one to "http://docs.example/loop"`},
		{"http://docs.example/file", `a redirect is not followed: "file:///etc/passwd" is not http or https: write the whole URL, as in https://example.com/page`},
		{"http://docs.example/user", `a redirect is not followed: "http://a:xxxxx@docs.example/" has a user name or a password, and none is ever sent: leave it out`},
		{"http://docs.example/long", "a redirect is longer than 8192 bytes"},
		{"http://docs.example/nohost", `a redirect is not followed: "http:///x" has no host: write the whole URL, as in https://example.com/page`},
		{"http://docs.example/odd", `the request to docs.example: failed to parse Location header "http://%zz/": parse "http://%zz/": invalid URL escape "%zz"`},
		{"http://docs.example/headers", "the request to docs.example: the head of its answer is longer than 65536 bytes"},
		{"http://docs.example/early", "the request to docs.example: the head of its answer is longer than 65536 bytes"},
		{"http://docs.example/mute", "the request to docs.example: it did not answer in time"},
		{"http://docs.example/slow", "the answer of docs.example: it took longer than 2s"},
		{"http://docs.example/short", "the answer of docs.example broke off: unexpected EOF"},
		{"http://docs.example/chunks", "the answer of docs.example broke off: invalid byte in chunk length"},
		{"http://docs.example/notgzip", "the answer of docs.example broke off: unexpected EOF"},
		{"http://docs.example/nonsense", `the request to docs.example: net/http: HTTP/1.x transport connection broken: malformed HTTP response "\x1b[31mno-HTTP"`},
		{"http://nowhere.example/", "the request to nowhere.example: the name cannot be resolved: no such host"},
		{"http://inner.example/", "the request to inner.example: connections to inner.example:80 are not allowed: its address is loopback, which a pattern of addresses has to allow"},
		{"https://docs.example/page", "the request to docs.example: http: server gave HTTP response to HTTPS client"},
		{"ftp://docs.example/", `"ftp://docs.example/" is not http or https: write the whole URL, as in https://example.com/page`},
		{"docs.example/page", `"docs.example/page" is not http or https: write the whole URL, as in https://example.com/page`},
		{"http:///page", `"http:///page" has no host: write the whole URL, as in https://example.com/page`},
		{"http://me@docs.example/", `"http://me@docs.example/" has a user name or a password, and none is ever sent: leave it out`},
		{"http://docs.example\r\nX: y", `"http://docs.example\r\nX: y" is not a URL: net/url: invalid control character in URL`},
		{"http://docs.example/" + strings.Repeat("x", 9000), "the url is 9020 bytes long, and 8192 is the limit"},
	} {
		s.names["rebinds.example"] = []netip.Addr{public, netip.MustParseAddr("10.0.0.1")}
		s.names["localhost"] = []netip.Addr{netip.MustParseAddr("0.0.0.1")}
		_, body, err := get(n, c.url, 1<<20)
		if err == nil || err.Error() != c.want {
			t.Errorf("%.60s: %q\nsays %v\nwant %s", c.url, body, err, c.want)
		}
	}
	for _, to := range s.dialed {
		if to != public.String()+":80" && to != public.String()+":443" {
			t.Errorf("%s was connected to", to)
		}
	}
}

// A small answer that is a large file is read as far as somebody wants to.
func TestGzipBomb(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for range 64 {
		_, _ = z.Write(make([]byte, 1<<20))
	}
	_ = z.Close()
	s := newSite(t)
	s.mux.HandleFunc("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	})
	began := time.Now()
	if _, body, err := get(s.net(web.Options{}), "http://docs.example/bomb", 3<<20); err != nil || len(body) != 3<<20 || time.Since(began) > 10*time.Second {
		t.Errorf("%d bytes, %v, %s", len(body), err, time.Since(began))
	}
}

// A fetch that is canceled ends with the cause, before and after the answer began.
func TestCanceled(t *testing.T) {
	s := newSite(t)
	reached := make(chan struct{}, 2)
	s.raw("/mute", func(_ io.Writer, gone <-chan struct{}) { reached <- struct{}{}; <-gone })
	s.raw("/slow", func(w io.Writer, gone <-chan struct{}) {
		_, _ = io.WriteString(w, "HTTP/1.1 200 OK\r\n\r\nhi")
		reached <- struct{}{}
		<-gone
	})
	cause := errors.New("nobody wants it")
	for _, path := range []string{"/mute", "/slow"} {
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() {
			<-reached
			cancel(cause)
		}()
		res, err := s.net(web.Options{}).Get(ctx, "http://docs.example"+path)
		if err == nil {
			_, err = io.ReadAll(res.Body)
			res.Body.Close()
		}
		if !errors.Is(err, cause) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func ExampleNet() {
	n := web.New(web.Options{UserAgent: "a2a-sidecar/1", Dial: func(context.Context, string) (net.Conn, error) {
		return nil, errors.New("this example has no network")
	}})
	_, err := n.Get(context.Background(), (&url.URL{Scheme: "https", Host: "docs.example"}).String())
	fmt.Println(err)
	// Output: the request to docs.example: this example has no network
}
