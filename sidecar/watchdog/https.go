package watchdog

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// httpsAsker posts each question to an https address. The certificate says who answers,
// so private addresses may be named too; no proxy is used and no redirect followed.
type httpsAsker struct {
	url    string
	client *http.Client
}

// connectionsIdle bounds the connections that are kept for the next question, and
// idleTimeout how long.
const (
	connectionsIdle = 4
	idleTimeout     = 90 * time.Second
)

func newHTTPSAsker(target string, roots *x509.CertPool) (*httpsAsker, error) {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return nil, fmt.Errorf("the watchdog %q is not an https address with a host, and without a user and a fragment", target)
	}
	guard := &netguard.Guard{Allow: netguard.Networks()}
	dialer := &net.Dialer{Control: guard.Control}
	transport := &http.Transport{
		DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: true, MaxIdleConnsPerHost: connectionsIdle, IdleConnTimeout: idleTimeout, DisableCompression: true,
	}
	return &httpsAsker{url: u.String(), client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func (h *httpsAsker) changeable() (string, error) { return "", nil }

func (h *httpsAsker) close() { h.client.CloseIdleConnections() }

func (h *httpsAsker) ask(ctx context.Context, question []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(question))
	if err != nil {
		return nil, &failure{kind: FailedUnavailable, text: "cannot be asked", more: err.Error()}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := h.client.Do(req)
	if err != nil {
		return nil, &failure{kind: FailedUnavailable, text: "cannot be reached", more: err.Error()}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, &failure{kind: FailedAnswer, text: fmt.Sprintf("answered with HTTP status %d", resp.StatusCode)}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit+1))
	switch {
	case err != nil:
		return nil, lost(err)
	case len(body) > answerLimit:
		return nil, &failure{kind: FailedLength, text: fmt.Sprintf("said more than %s", text.FormatSize(answerLimit))}
	}
	return body, nil
}
