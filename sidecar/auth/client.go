package auth

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
)

// ClientTLS returns how a client speaks TLS to a host, which is a name or an address
// without a port. trust is a PEM file of the authorities that it trusts, "" for the
// system's. A server whose own certificate is in that file is trusted under any name: this
// is how to trust a server with a self-signed certificate. cert and key are PEM files of
// the client's own certificate, both "" for none.
func ClientTLS(host, trust, cert, key string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("client certificate %s with key %s: %w", cert, key, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	if trust == "" {
		return c, nil
	}
	file, _, err := readSmall(trust, maxCertFile)
	if err != nil {
		return nil, err
	}
	known, err := parseCertificates(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", trust, err)
	}
	t := serverTrust{host: host, roots: x509.NewCertPool()}
	for _, cert := range known {
		t.known = append(t.known, cert)
		t.roots.AddCert(cert)
	}
	// The check below replaces the usual one, which only knows names.
	c.InsecureSkipVerify, c.VerifyConnection = true, t.verify
	return c, nil
}

// serverTrust decides whether a server is the intended one.
type serverTrust struct {
	host  string // the connection's state knows names, but no addresses
	known []*x509.Certificate
	roots *x509.CertPool
}

func (t serverTrust) verify(state tls.ConnectionState) error {
	if len(state.PeerCertificates) == 0 || t.host == "" {
		return errors.New("the server shows no certificate, or has no name to hold against it")
	}
	leaf := state.PeerCertificates[0]
	for _, cert := range t.known {
		if cert.Equal(leaf) {
			return nil
		}
	}
	between := x509.NewCertPool()
	for _, cert := range state.PeerCertificates[1:] {
		between.AddCert(cert)
	}
	_, err := leaf.Verify(x509.VerifyOptions{DNSName: t.host, Roots: t.roots, Intermediates: between})
	return err
}
