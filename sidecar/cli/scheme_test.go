package cli_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/cli"
)

// An address that says http where TLS is spoken, or https where it is not, is
// told with what to write instead.
func TestOtherScheme(t *testing.T) {
	plain := startAgent(t)
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	for _, c := range []struct{ url, hint string }{
		{"https" + strings.TrimPrefix(plain, "http"), "with http://"},
		{"http" + strings.TrimPrefix(secure.URL, "https"), "with https://"},
	} {
		for _, command := range [][]string{{"send", "hello"}, {"tools"}, {"call", "acme.time", "{}"}} {
			code, text := says(t, append([]string{command[0], "--url", c.url}, command[1:]...)...)
			if code != 1 || !strings.Contains(text, c.hint) {
				t.Errorf("%s --url %s: exit code %d and %q , want 1 and a hint %q", command[0], c.url, code, text, c.hint)
			}
		}
	}
}

// A handshake that fails says whose certificate is not good.
func TestBadCertificates(t *testing.T) {
	strict := httptest.NewUnstartedServer(nil)
	strict.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	old := httptest.NewUnstartedServer(nil)
	old.TLS = &tls.Config{Certificates: []tls.Certificate{expired(t)}}
	for server, hint := range map[*httptest.Server]string{
		strict: "does not take the certificate of --cert",
		old:    "it is the server's certificate",
	} {
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		t.Cleanup(server.Close)
		// A root of its own, so that nothing but the certificate's age is wrong.
		root := server.TLS.Certificates[0].Certificate[len(server.TLS.Certificates[0].Certificate)-1]
		ca := filepath.Join(t.TempDir(), "ca.pem")
		if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root}), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, text := says(t, "tools", "--url", server.URL, "--ca", ca); code != 1 || !strings.Contains(text, hint) || strings.Contains(text, "Get ") {
			t.Errorf("exit code %d and %q, want 1 and a hint %q", code, text, hint)
		}
	}
}

// expired is a certificate that an authority has signed and that is no good any
// more, and the authority's.
func expired(t *testing.T) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "root"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour),
	}
	out := tls.Certificate{PrivateKey: key}
	for _, c := range []*x509.Certificate{leaf, root} {
		der, err := x509.CreateCertificate(rand.Reader, c, root, &key.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		out.Certificate = append(out.Certificate, der)
	}
	return out
}

// says runs a command and returns its exit code and all that it printed.
func says(t *testing.T, args ...string) (code int, text string) {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	code = cli.Main(append([]string{"sidecar"}, args...), cli.Std{Out: out, Err: out})
	out.Close()
	all, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return code, string(all)
}
