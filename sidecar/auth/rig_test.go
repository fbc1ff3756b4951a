package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	bigint "math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/auth"
)

// authority signs certificates for tests.
type authority struct {
	t    testing.TB
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string
}

// identity is a certificate with its key, as PEM.
type identity struct{ cert, key string }

func newAuthority(t testing.TB, name string) *authority {
	t.Helper()
	a := &authority{t: t}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a.key = key
	template := a.template(pkix.Name{CommonName: name})
	template.IsCA, template.KeyUsage = true, x509.KeyUsageCertSign
	template.BasicConstraintsValid = true
	a.cert, a.pem = a.sign(template, template, &key.PublicKey)
	return a
}

func (a *authority) template(subject pkix.Name) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, bigint.NewInt(1<<62))
	if err != nil {
		a.t.Fatal(err)
	}
	return &x509.Certificate{
		SerialNumber: serial, Subject: subject,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

func (a *authority) sign(template, parent *x509.Certificate, public *ecdsa.PublicKey) (*x509.Certificate, string) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// issue makes a certificate; change may be nil.
func (a *authority) issue(subject pkix.Name, change func(*x509.Certificate)) identity {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template := a.template(subject)
	if change != nil {
		change(template)
	}
	_, cert := a.sign(template, a.cert, &key.PublicKey)
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	return identity{cert, string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))}
}

// server is a certificate for 127.0.0.1.
func (a *authority) server(name string) identity {
	return a.issue(pkix.Name{CommonName: name}, func(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)} })
}

// client is an http.Client that trusts a and shows who, if not nil. Each one has
// connections of its own.
func (a *authority) client(who *identity) *http.Client {
	a.t.Helper()
	c := &tls.Config{RootCAs: x509.NewCertPool()}
	c.RootCAs.AddCert(a.cert)
	if who != nil {
		pair, err := tls.X509KeyPair([]byte(who.cert), []byte(who.key))
		if err != nil {
			a.t.Fatal(err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	transport := &http.Transport{TLSClientConfig: c, ForceAttemptHTTP2: true}
	a.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// tlsFiles are the files of a server, and what it logs.
type tlsFiles struct {
	auth.CertificateFiles
	log *await.Log
}

// startTLS serves o with the identity, letting in clients of ca ("" for none).
func startTLS(t testing.TB, o server.Options, f *a2atest.Fake, id identity, ca string, tokens *auth.Tokens) (string, tlsFiles) {
	t.Helper()
	dir := t.TempDir()
	files := tlsFiles{CertificateFiles: auth.CertificateFiles{Cert: filepath.Join(dir, "cert"), Key: filepath.Join(dir, "key")}}
	replace(t, files.Cert, id.cert)
	replace(t, files.Key, id.key)
	if ca != "" {
		files.ClientCA = filepath.Join(dir, "ca")
		replace(t, files.ClientCA, ca)
	}
	log := &await.Log{}
	files.log = log
	certs, err := auth.OpenCertificates(files.CertificateFiles, log.Logger())
	if err != nil {
		t.Fatal(err)
	}
	following(t, certs.Run)
	by := auth.Credentials{Tokens: tokens, Certificates: certs}
	f.AgentCard.Security = by.Security()
	o.Handler, o.Authenticate = f, by.Authenticate
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = server.New(o).HTTPServer()
	srv.Config.TLSConfig = certs.Config()
	go func() { _ = srv.Config.ServeTLS(srv.Listener, "", "") }() // ends with the test
	t.Cleanup(func() { srv.Config.Close() })
	return "https://" + srv.Listener.Addr().String(), files
}
