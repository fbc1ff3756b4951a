package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
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
	t.addFlag(c)
	c.Flags().BoolVar(&live, "live", false, "ask whether it is alive, not whether it is ready")
	c.Flags().DurationVar(&timeout, "timeout", timeout, "`D` give up after so long (2s)")
	return c
}

// checkHealth is nil when the sidecar answers 200.
func checkHealth(ctx context.Context, t *target, path string, timeout time.Duration) error {
	base, err := t.base()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("no answer from %s: %w", base, innermost(err))
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	why, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10)) // the status says enough
	return fmt.Errorf("%s%s: %s %s", base, path, resp.Status, strings.TrimSpace(string(why)))
}
