package cli

import (
	"context"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// target is the sidecar that a client command speaks to.
type target struct {
	std     Std
	url     string
	command *cobra.Command // whose flag it is
}

func (t *target) addFlag(c *cobra.Command) {
	t.command = c
	c.Flags().StringVar(&t.url, "url", "", "`URL` where the sidecar is ($SIDECAR_URL, else http://127.0.0.1:$AGENT_PORT, else port 8999)")
}

// base returns the address.
func (t *target) base() (string, error) {
	base, err := config.ClientURL(t.url, t.std.Env)
	if err != nil {
		return "", configError(t.command.CommandPath(), err)
	}
	return base, nil
}

// client returns a client of the address, and the address for messages.
func (t *target) client() (*a2a.Client, string, error) {
	base, err := t.base()
	if err != nil {
		return nil, "", err
	}
	return a2a.NewClient(base, nil), base, nil
}

// untilInterrupt returns a context that ends with Ctrl-C. After stop, Ctrl-C
// is the system's again.
func untilInterrupt(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt)
}

// interrupted is how a command ends that Ctrl-C stopped.
func interrupted() error { return silent(exitInterrupt) }
