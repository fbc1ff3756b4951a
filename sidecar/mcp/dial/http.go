package dial

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/serverfile"
)

const (
	// maxRedirects is how many redirects of one request are followed.
	maxRedirects = 3
	// tlsTimeout bounds a TLS handshake.
	tlsTimeout = 10 * time.Second
	// idleConnections is how long a connection without a request is kept.
	idleConnections = 90 * time.Second
	// maxHeader bounds the headers of a response, in bytes.
	maxHeader = 64 << 10
)

// address returns the transport to a server that has an address.
func (d *Dialer) address(s *serverfile.Server) (mcp.Transport, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, errors.New("its url is none") // the error of url.Parse repeats it
	}
	hosts, err := netguard.ParseHosts(append([]string{net.JoinHostPort(u.Hostname(), portOf(u))}, s.Requires.NetHosts...))
	if err != nil {
		return nil, fmt.Errorf("its hosts: %w", err)
	}
	dialer := &egress.Dialer{Hosts: hosts, Log: d.o.Log}
	t := &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			c, _, err := dialer.DialAddress(ctx, address)
			return c, err
		},
		ForceAttemptHTTP2: true, TLSHandshakeTimeout: tlsTimeout, IdleConnTimeout: idleConnections, MaxResponseHeaderBytes: maxHeader,
	}
	return &mcp.StreamableClientTransport{
		Endpoint:   s.URL,
		HTTPClient: &http.Client{Transport: &origin{url: u, header: s.Header, next: t}, CheckRedirect: redirect},
	}, nil
}

// portOf returns the port of an address.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return strconv.Itoa(443)
	}
	return strconv.Itoa(80)
}

// redirect bounds how many redirects are followed. Where they lead to is judged when it is
// connected to; from https to http none leads.
func redirect(r *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("it redirects more than %d times", maxRedirects)
	case via[0].URL.Scheme == "https" && r.URL.Scheme != "https":
		return errors.New("it redirects from https to " + r.URL.Scheme)
	}
	return nil
}

// origin sends the headers of a server to its own origin, and to no other.
type origin struct {
	url    *url.URL
	header http.Header
	next   *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (o *origin) RoundTrip(r *http.Request) (*http.Response, error) {
	if len(o.header) > 0 && r.URL.Scheme == o.url.Scheme && r.URL.Hostname() == o.url.Hostname() && portOf(r.URL) == portOf(o.url) {
		r = r.Clone(r.Context())
		for name, values := range o.header {
			r.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	return o.next.RoundTrip(r)
}

// CloseIdleConnections is what [http.Client.CloseIdleConnections] calls.
func (o *origin) CloseIdleConnections() { o.next.CloseIdleConnections() }
