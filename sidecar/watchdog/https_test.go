package watchdog_test

import (
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// over serves TLS with a certificate of its own, which only the returned pool knows.
func over(t *testing.T, h http.HandlerFunc) (string, *x509.CertPool) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return s.URL + "/judge", pool
}

func TestHTTPSAnswers(t *testing.T) {
	url, pool := over(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.Method != http.MethodPost || r.URL.Path != "/judge" || r.Header.Get("Content-Type") != "application/json":
			w.WriteHeader(http.StatusBadRequest)
		case strings.Contains(string(body), `"env":"prod"`):
			io.WriteString(w, "{\n  \"decision\": \"ask\"\n}\n")
		default:
			io.WriteString(w, `{"decision":"allow"}`)
		}
	})
	w := open(t, watchdog.Options{Target: url, Roots: pool})
	expect(t, w.Ask(t.Context(), request()), policy.Ask, "", "the watchdog wants it approved")
	r := request()
	r.Call.Arguments = `{}`
	expect(t, w.Ask(t.Context(), r), policy.Allow, "", "")
}

func TestHTTPSFailsClosed(t *testing.T) {
	hit := func(http.ResponseWriter, *http.Request) { t.Error("a redirect is followed") }
	elsewhere := httptest.NewTLSServer(http.HandlerFunc(hit))
	t.Cleanup(elsewhere.Close)
	for _, tc := range []struct {
		name    string
		handle  http.HandlerFunc
		failure watchdog.Failure
		reason  string
	}{
		{"an error", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			io.WriteString(w, `{"decision":"allow"}`)
		}, watchdog.FailedAnswer, "the watchdog answered with HTTP status 500"},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		},
			watchdog.FailedAnswer, "the watchdog answered with HTTP status 307"},
		{"too long", func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 20_000)) },
			watchdog.FailedLength, "the watchdog said more than 16KiB"},
		{"cut off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `{"decision":"allow"}`)
		}, watchdog.FailedUnavailable, "the watchdog closed the connection without an answer"},
		{"silent", func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() },
			watchdog.FailedTimeout, "the watchdog did not answer within 100ms"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			url, pool := over(t, tc.handle)
			o := watchdog.Options{Target: url, Roots: pool}
			if tc.failure == watchdog.FailedTimeout {
				o.Timeout = short
			}
			expect(t, open(t, o).Ask(t.Context(), request()), policy.Deny, tc.failure, tc.reason)
		})
	}
}

// Nobody can answer in the watchdog's place: the certificate must be good, and the
// addresses of metadata services are not dialed.
func TestHTTPSIsWhoItSays(t *testing.T) {
	url, _ := over(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"decision":"allow"}`) })
	for _, target := range []string{url, "https://169.254.169.254/", "https://[fe80::1]/", "https://0.0.0.0:1/"} {
		w := open(t, watchdog.Options{Target: target, Roots: x509.NewCertPool()})
		expect(t, w.Ask(t.Context(), request()), policy.Deny, watchdog.FailedUnavailable, "the watchdog cannot be reached")
	}
}
