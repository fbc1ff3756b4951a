package sidecar_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeCertificate makes a certificate that is its own authority, for a host
// name or, without one, for a client, and writes it and its key.
func writeCertificate(t testing.TB, name, host string) (cert, key string) {
	t.Helper()
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IsCA:        true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else if host != "" {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &pair.PublicKey, pair)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(pair)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	writeFile(t, cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	writeFile(t, key, string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})))
	return cert, key
}

// waitTLS waits for a sidecar whose readiness this test's client cannot ask.
func (r *running) waitTLS() (port string) {
	r.t.Helper()
	r.log.Says(r.t, `"msg":"serving","url":"https://`)
	_, rest, _ := strings.Cut(r.log.String(), `"url":"https://127.0.0.1:`)
	port, _, _ = strings.Cut(rest, `"`)
	r.url = "https://127.0.0.1:" + port
	return port
}

// clientCommand runs a client command with an environment and returns its exit code
// and what it said.
func clientCommand(t testing.TB, env []string, args ...string) (int, string) {
	t.Helper()
	cmd := sidecarCommand(args...)
	cmd.Env = append(cmd.Env, env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // the code says it
	return cmd.ProcessState.ExitCode(), out.String()
}

// In the environment of run, the clients need no more than run has: a token and
// a certificate for another name do not keep healthcheck and send from working.
// Elsewhere they are told what is missing.
func TestClientsWithTokensAndTLS(t *testing.T) {
	t.Parallel()
	cert, key := writeCertificate(t, "agent", "agent.example.com")
	who, whoKey := writeCertificate(t, "carol", "")
	tokens := writeTokens(t)
	settings := []string{"SIDECAR_TOKEN_FILE=" + tokens, "SIDECAR_TLS_CERT=" + cert, "SIDECAR_TLS_KEY=" + key, "SIDECAR_TLS_CLIENT_CA=" + who}
	r := startOnly(t, settings, "--mode", "oneshot", "--", "cat")
	port := r.waitTLS()
	inside := append(settings, "AGENT_PORT="+port)
	outside := []string{"SIDECAR_URL=" + r.url}
	plain := []string{"AGENT_PORT=" + port}
	alone := filepath.Join(t.TempDir(), "token")
	writeFile(t, alone, bobToken+"\n")
	for name, c := range map[string]struct {
		env  []string
		args []string
		code int
		says string
	}{
		"healthcheck inside":              {inside, []string{"healthcheck"}, 0, ""},
		"healthcheck of a run with flags": {plain, []string{"healthcheck"}, 0, ""},
		"healthcheck by address":          {outside, []string{"healthcheck"}, 0, ""},
		"healthcheck of another server":   {outside, []string{"healthcheck", "--ca", who}, 1, "certificate"},
		"send inside":                     {inside, []string{"send", "hello"}, 0, "hello"},
		"tools inside":                    {inside, []string{"tools"}, 0, "no tools"},
		"send without trust":              {append(outside, "SIDECAR_TOKEN="+bobToken), []string{"send", "hello"}, 1, "--ca FILE"},
		"send without a token":            {outside, []string{"send", "--ca", cert, "hello"}, 1, "SIDECAR_TOKEN or --token-file"},
		"send with a wrong token":         {append(outside, "SIDECAR_TOKEN=wrong-0123456789abcdef"), []string{"send", "--ca", cert, "hello"}, 1, "the token is not known"},
		"send with a token":               {append(outside, "SIDECAR_TOKEN="+bobToken), []string{"send", "--ca", cert, "hello"}, 0, "hello"},
		"send with a file":                {append(outside, "SIDECAR_CA="+cert), []string{"send", "--token-file", alone, "hello"}, 0, "hello"},
		"send with lines of tokens":       {append(outside, "SIDECAR_CA="+cert), []string{"send", "--token-file", tokens, "hello"}, 0, "hello"},
		"send with a certificate":         {append(outside, "SIDECAR_CA="+cert), []string{"send", "--cert", who, "--key", whoKey, "hello"}, 0, "hello"},
		"send with one of nobody's":       {append(outside, "SIDECAR_CA="+cert), []string{"send", "--cert", cert, "--key", key, "hello"}, 1, ""},
		"send with no such file":          {outside, []string{"send", "--token-file", "/not/there", "hello"}, 125, "/not/there"},
	} {
		code, out := clientCommand(t, c.env, c.args...)
		if code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%s: exit %d, want %d: %s", name, code, c.code, out)
		}
	}
}

// What cannot be served as it was asked for is not served at all.
func TestStartRules(t *testing.T) {
	t.Parallel()
	cert, key := writeCertificate(t, "agent", "127.0.0.1")
	_, otherKey := writeCertificate(t, "other", "127.0.0.1")
	bad := filepath.Join(t.TempDir(), "tokens")
	writeFile(t, bad, "alice:short\n")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"bad tokens":           {[]string{"--token-file", bad}, "line 1: the token of alice is shorter than 16"},
		"a key of another":     {[]string{"--tls-cert", cert, "--tls-key", otherKey}, "does not match"},
		"half a pair":          {[]string{"--tls-cert", cert}, "go together"},
		"clients without TLS":  {[]string{"--tls-client-ca", cert}, "needs TLS"},
		"no authority":         {[]string{"--tls-cert", cert, "--tls-key", key, "--tls-client-ca", key}, "holds no certificate"},
		"no such file of them": {[]string{"--token-file", bad + ".none"}, "is not there"},
	} {
		r := startOnly(t, nil, append(c.args, "--", "cat")...)
		if code := r.wait(); code != 125 && code != 2 || !strings.Contains(r.log.String(), c.want) {
			t.Errorf("%s: exit %d: %s", name, code, r.log)
		}
	}
}

// Streams and drains work over TLS, and HTTP is told what it met.
func TestHTTPMeetsTLS(t *testing.T) {
	t.Parallel()
	cert, key := writeCertificate(t, "agent", "127.0.0.1")
	r := startOnly(t, nil, "--mode", "oneshot", "--tls-cert", cert, "--tls-key", key, "--", "cat")
	port := r.waitTLS()
	if code, out := clientCommand(t, []string{"SIDECAR_CA=" + cert}, "send", "--url", r.url, "hello"); code != 0 || !strings.Contains(out, "hello") {
		t.Errorf("send: exit %d: %s", code, out)
	}
	if code, out := clientCommand(t, nil, "tools", "--url", "http://127.0.0.1:"+port); code != 1 || !strings.Contains(out, "HTTPS") {
		t.Errorf("http: exit %d: %s", code, out)
	}
	if code := r.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// An operator sees in /metrics when the certificate expires, and what became of
// the files that changed.
func TestMetricsOfCertificates(t *testing.T) {
	t.Parallel()
	cert, key := writeCertificate(t, "agent", "127.0.0.1")
	r := startOnly(t, nil, "--mode", "oneshot", "--tls-cert", cert, "--tls-key", key, "--", "cat")
	r.waitTLS()
	hc := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	res, err := hc.Get(r.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	until := res.TLS.PeerCertificates[0].NotAfter.Unix()
	for _, want := range []string{`sidecar_credentials_reloads_total{result="refused"} 0`, fmt.Sprint("sidecar_certificate_expiry_timestamp_seconds ", until)} {
		if !strings.Contains(string(text), "\n"+want+"\n") {
			t.Errorf("there is no %s:\n%s", want, text)
		}
	}
}
