package cli

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/sidecar/auth"
)

const healthcheckText = `Ask a sidecar whether it is ready. Made for HEALTHCHECK in a Dockerfile and for
exec probes: it needs no shell, and looks where this environment's run listens.`

const healthcheckExits = `0  ready
1  not ready, or nobody there
2  the command line is wrong`

func newHealthcheck(std Std) *cobra.Command {
	t := target{std: std}
	live, timeout := false, 2*time.Second
	c := &cobra.Command{
		Use:         "healthcheck",
		Short:       "Ask whether a sidecar is ready",
		Long:        healthcheckText,
		Example:     "HEALTHCHECK CMD [\"/sidecar\",\"healthcheck\"]",
		Annotations: map[string]string{exitCodes: healthcheckExits},
		Args:        between(0, 0, ""),
		RunE: func(c *cobra.Command, _ []string) error {
			if timeout <= 0 {
				return usagef(c.CommandPath(), "--timeout %s is not above zero", timeout)
			}
			path := "/readyz"
			if live {
				path = "/livez"
			}
			if err := checkHealth(c.Context(), &t, path, timeout); err != nil {
				return &exitError{code: exitFailed, err: err}
			}
			return nil
		},
	}
	t.addURL(c)
	c.Flags().BoolVar(&live, "live", false, "ask whether it is alive, not whether it is ready")
	c.Flags().DurationVar(&timeout, "timeout", timeout, "`D` give up after so long (2s)")
	return c
}

// checkHealth returns nil if the sidecar answers 200. The health paths are open: no
// token is needed.
func checkHealth(ctx context.Context, t *target, path string, timeout time.Duration) error {
	to, err := t.find()
	if err != nil {
		return err
	}
	ours := to.Own || isLocal(to.URL)
	hc, err := t.healthClient(to.URL, ours)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	status, why, err := askHealth(ctx, hc, to.URL+path)
	if status == http.StatusBadRequest && strings.Contains(why, "HTTPS") && ours {
		// run got its certificate by flags, which we do not see.
		to.URL = "https" + strings.TrimPrefix(to.URL, "http")
		status, why, err = askHealth(ctx, hc, to.URL+path)
	}
	switch {
	case err != nil:
		return fmt.Errorf("no answer from %s: %w", to.URL, innermost(err))
	case status == http.StatusOK && json.Valid([]byte(why)):
		return nil
	}
	return errors.New(strings.TrimSpace(fmt.Sprintf("%s%s: %d %s %s", to.URL, path, status, http.StatusText(status), notHTML(why))))
}

// notHTML returns what a server said, or a note in place of an HTML page.
func notHTML(text string) string {
	if strings.HasPrefix(text, "<") {
		return "(not a sidecar: it is a page)"
	}
	return text
}

// askHealth returns the status and the beginning of the body.
func askHealth(ctx context.Context, hc *http.Client, url string) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	resp, err := hc.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	why, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10)) // the status says enough
	return resp.StatusCode, strings.TrimSpace(string(why)), nil
}

// healthClient accepts any certificate from this machine's own address, unless one is
// named: the answer is about ourselves, the certificate is for the name that others
// use, and nothing secret is sent.
func (t *target) healthClient(base string, ours bool) (*http.Client, error) {
	trust := t.flagOr(t.ca, "SIDECAR_CA")
	if trust == "" && ours {
		return clientWith(&tls.Config{InsecureSkipVerify: true}), nil
	}
	c, err := auth.ClientTLS(hostOf(base), trust, "", "")
	if err != nil {
		return nil, err
	}
	return clientWith(c), nil
}

// isLocal reports whether an address is a loopback one.
func isLocal(base string) bool {
	host := hostOf(base)
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
