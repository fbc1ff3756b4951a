package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/auth"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// target is the sidecar that a client command talks to, and the credentials that it
// shows.
type target struct {
	std       Std
	url       string
	tokenFile string
	ca        string
	cert, key string
	command   *cobra.Command // whose flags they are
}

func (t *target) addFlag(c *cobra.Command) {
	t.addURL(c)
	f := c.Flags()
	f.StringVar(&t.tokenFile, "token-file", "", "`FILE` with the token to call with ($SIDECAR_TOKEN holds a token itself)")
	f.StringVar(&t.cert, "cert", "", "`FILE` of the certificate to call with (PEM) [$SIDECAR_CERT]")
	f.StringVar(&t.key, "key", "", "`FILE` of its key, where --cert does not hold it [$SIDECAR_KEY]")
}

// addURL adds the flags of a command that shows no credentials.
func (t *target) addURL(c *cobra.Command) {
	t.command = c
	c.Flags().StringVar(&t.url, "url", "", "`URL` where the sidecar is ($SIDECAR_URL, else http://127.0.0.1:$AGENT_PORT, else port 8999)")
	c.Flags().StringVar(&t.ca, "ca", "", "`FILE` of the authorities to trust, or of the server's own certificate (PEM) [$SIDECAR_CA]")
}

// find returns where the sidecar is.
func (t *target) find() (config.Client, error) {
	to, err := config.ClientTarget(t.url, t.std.Env)
	if err != nil {
		return to, configError(t.command.CommandPath(), err)
	}
	return to, nil
}

// client returns a client for the address, and the address for messages.
func (t *target) client() (*client.Client, string, error) {
	to, err := t.find()
	if err != nil {
		return nil, "", err
	}
	hc, err := t.httpClient(to)
	if err != nil {
		return nil, "", &exitError{code: exitFault, err: err}
	}
	token, err := t.token(to)
	if err != nil {
		return nil, "", &exitError{code: exitFault, err: err}
	}
	client := client.New(to.URL, hc)
	if token != "" {
		client.Header = http.Header{"Authorization": {"Bearer " + token}}
	}
	return client, to.URL, nil
}

// variable returns an environment variable, "" if it is unset.
func (t *target) variable(name string) string {
	at := slices.IndexFunc(t.std.Env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	if at < 0 {
		return ""
	}
	return t.std.Env[at][len(name)+1:]
}

// flagOr returns the value of a flag, otherwise of its variable.
func (t *target) flagOr(flag, name string) string {
	if flag != "" {
		return flag
	}
	return t.variable(name)
}

// token returns the command's token, "" for none: the file's first one, otherwise
// $SIDECAR_TOKEN, otherwise the first one that run would accept with this
// environment.
func (t *target) token(to config.Client) (string, error) {
	if t.tokenFile != "" {
		return firstToken(t.tokenFile)
	}
	if token := t.variable("SIDECAR_TOKEN"); token != "" {
		return token, nil
	}
	if to.Own && to.TokenFile != "" {
		return firstToken(to.TokenFile)
	}
	return "", nil
}

// firstToken reads the first token of a file, which holds either a token alone or
// lines as in run's --token-file.
func firstToken(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("token file: %w", err)
	}
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		token := line
		if _, value, named := strings.Cut(line, ":"); named {
			token = strings.TrimSpace(value)
		}
		if token == "" || !text.VisibleASCII(token) {
			break
		}
		return token, nil
	}
	return "", fmt.Errorf("token file %s: the first line that is no comment is not a token", path)
}

// httpClient returns nil if the default client will do. A server that run started
// with this environment is verified by exactly the certificate that it was given.
func (t *target) httpClient(to config.Client) (*http.Client, error) {
	trust, cert, key := t.flagOr(t.ca, "SIDECAR_CA"), t.flagOr(t.cert, "SIDECAR_CERT"), t.flagOr(t.key, "SIDECAR_KEY")
	if trust == "" && to.Own {
		trust = to.TLSCert
	}
	if key == "" {
		key = cert
	}
	if trust == "" && cert == "" {
		return nil, nil
	}
	c, err := auth.ClientTLS(hostOf(to.URL), trust, cert, key)
	if err != nil {
		return nil, err
	}
	return clientWith(c), nil
}

// hostOf returns the name or address in a URL that has been parsed before.
func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// clientWith returns the default client with another TLS configuration.
func clientWith(c *tls.Config) *http.Client {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: c}
	return &http.Client{Transport: transport}
}

// untilInterrupt returns a context that Ctrl-C ends. After stop, Ctrl-C has its
// default effect again.
func untilInterrupt(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt)
}

// interrupted returns the error of a command that Ctrl-C stopped.
func interrupted() error { return silent(exitInterrupt) }
