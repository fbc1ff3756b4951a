package auth

import (
	"crypto/tls"
	"crypto/x509"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// identify returns the caller of a connection: its certificate's subject, as RFC 2253
// writes it. The handshake has verified the certificate; but a connection may be older than
// the files, and may outlive the certificate.
func (c *Certificates) identify(state *tls.ConnectionState) (server.Identity, error) {
	if !c.holds(state) {
		return server.Identity{}, a2a.ErrUnauthenticated.With("the client certificate has expired, or its authority is not trusted any more")
	}
	subject := state.PeerCertificates[0].Subject.String()
	if subject == "" {
		return server.Identity{}, a2a.ErrUnauthenticated.With("the client certificate has no subject to know its owner by")
	}
	return server.Identity{Caller: subject, Valid: func() bool { return c.holds(state) }}, nil
}

// holds reports whether one of the verified chains is still valid now.
func (c *Certificates) holds(state *tls.ConnectionState) bool {
	roots, now := c.current.Load().roots, time.Now()
	for _, chain := range state.VerifiedChains {
		if len(chain) > 0 && roots[string(chain[len(chain)-1].Raw)] && current(chain, now) {
			return true
		}
	}
	return false
}

// current reports whether every certificate of the chain is valid at the time now.
func current(chain []*x509.Certificate, now time.Time) bool {
	for _, cert := range chain {
		if now.Before(cert.NotBefore) || now.After(cert.NotAfter) {
			return false
		}
	}
	return true
}
