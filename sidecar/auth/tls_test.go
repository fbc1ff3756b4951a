package auth_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/auth"
)

// ask sends a request and returns its status and body, 0 when the handshake or
// the request failed, with why.
func ask(t testing.TB, hc *http.Client, method, url, body, token string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := hc.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(text)
}

func alice() pkix.Name {
	return pkix.Name{CommonName: "alice", Organization: []string{"Acme, Inc."}}
}

// A client certificate of the right authority names its caller by its subject;
// any other is refused, and none at all is 401.
func TestClientCertificates(t *testing.T) {
	ours, theirs := newAuthority(t, "ours"), newAuthority(t, "theirs")
	tokens, _, _ := openTokens(t, "bob:"+bobToken)
	f := a2atest.NewFake()
	url, _ := startTLS(t, server.Options{}, f, ours.server("server"), ours.pem, tokens)
	expired := func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }
	for name, c := range map[string]struct {
		who    *identity
		token  string
		status int // 0: the handshake fails
		caller string
		text   string
	}{
		"a good one":             {who: ptrTo(ours.issue(alice(), nil)), status: 200, caller: "CN=alice,O=Acme\\, Inc."},
		"a token":                {token: bobToken, status: 200, caller: "bob"},
		"a token counts first":   {who: ptrTo(ours.issue(alice(), nil)), token: bobToken, status: 200, caller: "bob"},
		"a wrong token is wrong": {who: ptrTo(ours.issue(alice(), nil)), token: aliceToken, status: 401, text: "the token is not known"},
		"none":                   {status: 401, text: "a token (Authorization: Bearer …) or a client certificate is required"},
		"of another authority":   {who: ptrTo(theirs.issue(alice(), nil))},
		"expired":                {who: ptrTo(ours.issue(alice(), expired))},
		"for servers only": {who: ptrTo(ours.issue(alice(), func(c *x509.Certificate) {
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		}))},
		"without a subject": {who: ptrTo(ours.issue(pkix.Name{}, nil)), status: 401, text: "no subject"},
	} {
		hc := ours.client(c.who)
		if name == "of another authority" { // a polite client would not show it
			pair, err := tls.X509KeyPair([]byte(c.who.cert), []byte(c.who.key))
			if err != nil {
				t.Fatal(err)
			}
			hc.Transport.(*http.Transport).TLSClientConfig.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
		}
		before := len(f.Sends())
		status, text := ask(t, hc, "POST", url+"/", a2atest.Hello("SendMessage", "hello"), c.token)
		if status != c.status || !strings.Contains(text, c.text) {
			t.Errorf("%s: %d %s, want %d", name, status, text, c.status)
		}
		sends := f.Sends()[before:]
		if c.caller == "" && len(sends) > 0 || c.caller != "" && (len(sends) != 1 || sends[0].Caller != c.caller) {
			t.Errorf("%s: %d messages reached the handler: %+v", name, len(sends), sends)
		}
	}
	for _, path := range []string{"/readyz", "/.well-known/agent-card.json"} {
		if status, text := ask(t, ours.client(nil), "GET", url+path, "", ""); status != 200 || path != "/readyz" && !strings.Contains(text, `"url":"https://`) {
			t.Errorf("%s is not open, or not with https: %d %s", path, status, text)
		}
	}
}

func ptrTo[T any](v T) *T { return &v }

// Without tokens the challenge is for a certificate.
func TestChallengeForCertificates(t *testing.T) {
	ours := newAuthority(t, "ours")
	url, _ := startTLS(t, server.Options{}, a2atest.NewFake(), ours.server("server"), ours.pem, nil)
	res, err := ours.client(nil).Get(url + "/tasks")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got := res.Header["Www-Authenticate"]; res.StatusCode != 401 || len(got) != 1 || got[0] != `MutualTLS realm="a2a"` {
		t.Errorf("%d %q", res.StatusCode, got)
	}
}

func TestOldTLSIsRefused(t *testing.T) {
	ours := newAuthority(t, "ours")
	url, _ := startTLS(t, server.Options{}, a2atest.NewFake(), ours.server("server"), "", nil)
	for version, works := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		hc := ours.client(nil)
		c := hc.Transport.(*http.Transport).TLSClientConfig
		c.MinVersion, c.MaxVersion = version, version
		if status, text := ask(t, hc, "GET", url+"/livez", "", ""); (status == 200) != works {
			t.Errorf("%s: %d %s", tls.VersionName(version), status, text)
		}
	}
}

// New connections get the certificate that the files hold now; a pair that does
// not match changes nothing but the log.
func TestCertificateIsFollowed(t *testing.T) {
	ours := newAuthority(t, "ours")
	first, second := ours.server("first"), ours.server("second")
	url, files := startTLS(t, server.Options{}, a2atest.NewFake(), first, "", nil)
	shows := func() string {
		hc := ours.client(nil)
		defer hc.CloseIdleConnections()
		res, err := hc.Get(url + "/livez")
		if err != nil {
			return err.Error()
		}
		res.Body.Close()
		return res.TLS.PeerCertificates[0].Subject.CommonName
	}
	if got := shows(); got != "first" {
		t.Fatalf("the server shows %s", got)
	}
	replace(t, files.Cert, second.cert)
	await.True(t, "the log tells that the pair does not match", func() bool { return strings.Contains(files.log.String(), "does not match") })
	if got := shows(); got != "first" {
		t.Errorf("with half a pair the server shows %s", got)
	}
	replace(t, files.Key, second.key)
	await.True(t, "the second certificate", func() bool { return shows() == "second" })
}

// An authority that is taken away ends what its clients may do, on connections
// that are open too, and their streams.
func TestClientAuthorityIsFollowed(t *testing.T) {
	ours, theirs := newAuthority(t, "ours"), newAuthority(t, "theirs")
	f, l := a2atest.NewFake(), a2atest.NewLive()
	f.Open = func() a2a.Stream { return l }
	url, files := startTLS(t, server.Options{Heartbeat: 20 * time.Millisecond}, f, ours.server("server"), theirs.pem, nil)
	who := theirs.issue(alice(), nil)
	hc := ours.client(&who)
	if status, text := ask(t, hc, "GET", url+"/tasks", "", ""); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	text := make(chan string, 1)
	go func() {
		_, body := ask(t, hc, "GET", url+"/tasks/working:subscribe", "", "")
		text <- body
	}()
	l.Events <- []*a2a.Event{a2atest.Update(a2a.StateWorking)}
	replace(t, files.ClientCA, ours.pem)
	await.True(t, "the open connection is refused", func() bool {
		status, _ := ask(t, hc, "GET", url+"/tasks", "", "")
		return status == 401
	})
	if got := <-text; !strings.Contains(got, "not valid any more") {
		t.Errorf("the stream told %q", got)
	}
	other := ours.issue(alice(), nil)
	if status, text := ask(t, ours.client(&other), "GET", url+"/tasks", "", ""); status != 200 {
		t.Errorf("a client of the new authority: %d %s", status, text)
	}
}

// A certificate that expires while its connection is open is no good any more.
func TestCertificateExpiresOnAnOpenConnection(t *testing.T) {
	t.Parallel()
	ours := newAuthority(t, "ours")
	url, _ := startTLS(t, server.Options{}, a2atest.NewFake(), ours.server("server"), ours.pem, nil)
	for life := 2 * time.Second; life <= time.Minute; life *= 2 { // until the connection that is open is the one that is asked
		soon := time.Now().Add(life)
		who := ours.issue(alice(), func(c *x509.Certificate) { c.NotAfter = soon })
		hc := ours.client(&who)
		status, text := ask(t, hc, "GET", url+"/tasks", "", "")
		if status != 200 {
			continue // it had expired before the connection was open
		}
		await.True(t, "it expires", func() bool {
			status, text = ask(t, hc, "GET", url+"/tasks", "", "")
			return status != 200 && !strings.Contains(text, "not valid any more") // it expired while the request was under way
		})
		if status == 401 && strings.Contains(text, "expired") {
			return
		}
		if status != 0 { // 0: for another connection it is no good any more
			t.Fatalf("%d %s", status, text)
		}
		t.Log(text)
	}
	t.Error("no connection outlived its certificate")
}

// The operator learns of a certificate's end before it comes, and when it has.
func TestServerCertificateExpires(t *testing.T) {
	t.Parallel()
	ours := newAuthority(t, "ours")
	soon := time.Now().Add(5 * time.Second) // the server has begun by then
	id := ours.issue(pkix.Name{CommonName: "server"}, func(c *x509.Certificate) { c.NotAfter = soon })
	_, files := startTLS(t, server.Options{}, a2atest.NewFake(), id, "", nil)
	if !strings.Contains(files.log.String(), "expires soon") {
		t.Errorf("not told of before: %s", files.log)
	}
	await.True(t, "it is told that it has expired", func() bool { return strings.Contains(files.log.String(), "has expired") })
	next := ours.server("server")
	replace(t, files.Cert, next.cert)
	replace(t, files.Key, next.key)
	await.True(t, "a new one is loaded", func() bool { return strings.Count(files.log.String(), "certificate loaded") == 2 })
	if n := strings.Count(files.log.String(), "level=WARN"); n != 2 {
		t.Errorf("%d warnings, want 2: %s", n, files.log)
	}
}

// A client that is refused in the handshake has a line in the log, with the
// reason; one that goes away has not.
func TestRefusedHandshakeIsLogged(t *testing.T) {
	ours := newAuthority(t, "ours")
	log := &await.Log{}
	url, _ := startTLS(t, server.Options{Log: log.Logger()}, a2atest.NewFake(), ours.server("server"), ours.pem, nil)
	who := ours.issue(alice(), func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	ask(t, ours.client(&who), "GET", url+"/tasks", "", "")
	await.True(t, "the refusal is in the log", func() bool { return strings.Contains(log.String(), "TLS handshake failed") })
	if text := log.String(); !strings.Contains(text, "expired") || !strings.Contains(text, "remote=127.0.0.1:") || strings.Count(text, "level=WARN") != 1 {
		t.Errorf("the log says: %s", text)
	}
}

// Every binding is there over TLS, for clients that offer HTTP/2 too: they are
// answered in HTTP/1.1, because the limits of a connection are those of one request.
func TestBindingsOverTLS(t *testing.T) {
	ours := newAuthority(t, "ours")
	tokens, _, _ := openTokens(t, "alice:"+aliceToken)
	f := a2atest.NewFake()
	url, _ := startTLS(t, server.Options{MaxBody: 1 << 10}, f, ours.server("server"), "", tokens)
	hc := ours.client(nil)
	for name, d := range waysIn() {
		req, err := http.NewRequestWithContext(t.Context(), d.method, url+d.path, strings.NewReader(d.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+aliceToken)
		res, err := hc.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.ProtoMajor != 1 || res.StatusCode >= 500 || res.StatusCode == 401 {
			t.Errorf("%s: %s %s %s %v", name, res.Proto, res.Status, body, err)
		}
	}
	if status, text := ask(t, hc, "POST", url+"/", strings.Repeat(" ", 64<<10), aliceToken); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a long body: %d %s", status, text)
	}
	if status, text := ask(t, hc, "POST", url+"/", strings.Repeat(" ", 64<<10), ""); status != http.StatusUnauthorized {
		t.Errorf("a long body without a token: %d %s", status, text)
	}
}

func TestOpenCertificatesSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	ours := newAuthority(t, "ours")
	id, other := ours.server("server"), ours.server("other")
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		replace(t, path, text)
		return path
	}
	cert, key, empty := file("cert", id.cert), file("key", id.key), file("empty", "")
	for _, c := range []struct {
		files auth.CertificateFiles
		want  string
	}{
		{auth.CertificateFiles{Cert: cert, Key: key}, ""},
		{auth.CertificateFiles{Cert: file("both", id.cert+id.key), Key: filepath.Join(dir, "both"), ClientCA: file("ca", "text\n"+ours.pem)}, ""},
		{auth.CertificateFiles{Cert: filepath.Join(dir, "none"), Key: key}, "TLS certificate: open"},
		{auth.CertificateFiles{Cert: cert, Key: filepath.Join(dir, "none")}, "TLS key: open"},
		{auth.CertificateFiles{Cert: cert, Key: file("other", other.key)}, "does not match"},
		{auth.CertificateFiles{Cert: cert, Key: key, ClientCA: empty}, "TLS client CA " + empty + ": holds no certificate"},
	} {
		_, err := auth.OpenCertificates(c.files, nil)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.files, err, c.want)
		}
	}
}

// Our own client trusts an authority by its name, and a server's very
// certificate under any.
func TestClientTLS(t *testing.T) {
	ours, theirs := newAuthority(t, "ours"), newAuthority(t, "theirs")
	elsewhere := ours.issue(pkix.Name{CommonName: "elsewhere"}, func(c *x509.Certificate) { c.DNSNames = []string{"agent.example.com"} })
	dir := t.TempDir()
	for i, c := range []struct {
		server identity
		trust  string
		works  bool
	}{
		{ours.server("server"), ours.pem, true},
		{ours.server("server"), theirs.pem, false},
		{elsewhere, ours.pem, false}, // the name is another
		{elsewhere, elsewhere.cert, true},
		{elsewhere, ours.server("server").cert, false},
	} {
		url, _ := startTLS(t, server.Options{}, a2atest.NewFake(), c.server, theirs.pem, nil)
		trust, who := filepath.Join(dir, fmt.Sprint(i)), theirs.issue(alice(), nil)
		replace(t, trust, c.trust)
		replace(t, trust+".who", who.cert+who.key)
		conf, err := auth.ClientTLS("127.0.0.1", trust, trust+".who", trust+".who")
		if err != nil {
			t.Fatal(err)
		}
		transport := &http.Transport{TLSClientConfig: conf}
		client := client.New(url, &http.Client{Transport: transport})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		doc, err := client.Tools(ctx)
		cancel()
		transport.CloseIdleConnections()
		if (err == nil) != c.works || err == nil && !bytes.Contains(doc.Body, []byte("acme.echo")) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if _, err := auth.ClientTLS("127.0.0.1", filepath.Join(dir, "none"), "", ""); err == nil {
		t.Error("a file that is not there is trusted")
	}
}

// What became of files that changed is counted, tokens and certificates alike.
func TestReloadsAreCounted(t *testing.T) {
	ours := newAuthority(t, "ours")
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		replace(t, path, text)
		return path
	}
	id := ours.server("server")
	certs, err := auth.OpenCertificates(auth.CertificateFiles{Cert: file("cert", id.cert+id.key), Key: filepath.Join(dir, "cert")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	following(t, certs.Run)
	tokens, path, _ := openTokens(t, "alice:"+aliceToken)
	by := auth.Credentials{Tokens: tokens, Certificates: certs}
	counted := func(taken, refused uint64) func() bool {
		return func() bool { a, b := by.Reloads(); return a == taken && b == refused }
	}
	if !counted(0, 0)() {
		t.Error("the first reading counts")
	}
	replace(t, path, "bob:"+bobToken)
	await.True(t, "new tokens count", counted(1, 0))
	id = ours.server("server")
	file("cert", id.cert+id.key)
	await.True(t, "a new certificate counts", counted(2, 0))
	replace(t, path, "bob")
	await.True(t, "a file that is not good counts", counted(2, 1))
	file("cert", "nothing")
	await.True(t, "a certificate that is none counts", counted(2, 2))
}
