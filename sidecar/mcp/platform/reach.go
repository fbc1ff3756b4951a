package platform

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
)

// reach is how the platform is reached.
type reach struct {
	url   *url.URL
	roots *x509.CertPool
}

// Limits of one connection.
const (
	dialTimeout = 10 * time.Second
	tlsTimeout  = 10 * time.Second
)

// dial returns the transport of a turn. The token is sent to the address only; the connections are
// the turn's own and end with the session.
func (r *reach) dial(token string) (t *mcp.StreamableClientTransport, b *bearing) {
	dialer := &net.Dialer{Timeout: dialTimeout, Control: r.control}
	transport := &http.Transport{
		DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{RootCAs: r.roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: true, TLSHandshakeTimeout: tlsTimeout, MaxResponseHeaderBytes: maxHeader,
	}
	b = &bearing{url: r.url, token: token, next: transport}
	return &mcp.StreamableClientTransport{Endpoint: r.url.String(), HTTPClient: &http.Client{Transport: b}}, b
}

// control refuses the addresses that the platform cannot have: those of this link, where the
// metadata services of clouds are, and without TLS all that are not of this machine.
func (r *reach) control(network, address string, c syscall.RawConn) error {
	if r.url.Scheme == "http" {
		if to, err := netip.ParseAddrPort(address); err != nil || !to.Addr().Unmap().IsLoopback() {
			return errors.New("without TLS, the platform must be on this machine")
		}
	}
	guard := netguard.Guard{Allow: netguard.Networks()}
	return guard.Control(network, address, c)
}

// bearing sends the token to one origin, and follows no redirect.
type bearing struct {
	url   *url.URL
	token string
	next  *http.Transport
	// refusal is why the platform refuses, in words; nil if it does not. What is made of it above
	// has lost the reason.
	refusal atomic.Pointer[string]
}

// RoundTrip implements http.RoundTripper.
func (b *bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != b.url.Scheme || !strings.EqualFold(r.URL.Host, b.url.Host) {
		return nil, fmt.Errorf("%s is not the platform's address", r.URL.Host)
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	a, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, b.refuse("it cannot be reached: " + err.Error())
	}
	switch {
	case a.StatusCode == http.StatusUnauthorized || a.StatusCode == http.StatusForbidden:
		_ = b.refuse(fmt.Sprintf("it does not take the token: %d %s", a.StatusCode, http.StatusText(a.StatusCode)))
	case a.StatusCode >= 300 && a.StatusCode < 400:
		a.Body.Close()
		return nil, b.refuse(fmt.Sprintf("it redirects (%d): SPRING_MCP_PROXY_URL must be the address that answers", a.StatusCode))
	default:
		b.refusal.Store(nil)
	}
	return a, nil
}

// CloseIdleConnections is what [http.Client.CloseIdleConnections] calls.
func (b *bearing) CloseIdleConnections() { b.next.CloseIdleConnections() }

func (b *bearing) refuse(why string) error {
	b.refusal.Store(&why)
	return errors.New(why)
}

// why returns the reason of an error of the connection's.
func (b *bearing) why(err error) error {
	if s := b.refusal.Load(); s != nil {
		return errors.New(*s)
	}
	return err
}
