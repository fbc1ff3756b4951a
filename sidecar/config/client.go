package config

import (
	"errors"
	"net"
	"strconv"
	"strings"
)

// Client is how a client on this machine reaches the sidecar.
type Client struct {
	// URL is the base address.
	URL string
	// Own says that the address is where run listens with this environment; TokenFile
	// and TLSCert are then run's settings.
	Own                bool
	TokenFile, TLSCert string
}

// ClientTarget finds the sidecar: flag (--url), otherwise $SIDECAR_URL, otherwise the
// host and port on which run would listen with this environment (AGENT_PORT, 8999).
func ClientTarget(flag string, environ []string) (Client, error) {
	env := environment(environ)
	for _, given := range []Fault{
		{Origin: Origin{FromFlag, "--url"}, Value: flag},
		{Origin: Origin{FromEnv, "SIDECAR_URL"}, Value: env["SIDECAR_URL"]},
	} {
		if given.Value == "" {
			continue
		}
		var base string
		if err := address(&base).parse(withScheme(given.Value)); err != nil {
			given.HasValue, given.Err = true, err
			return Client{}, Faults{&given}
		}
		return Client{URL: base}, nil
	}
	return ownTarget(environ)
}

// withScheme adds the scheme if it is missing, so that people can write
// localhost:8999.
func withScheme(s string) string {
	if strings.Contains(s, "://") {
		return s
	}
	return "http://" + s
}

// ownTarget returns where run listens, according to this environment and its file.
func ownTarget(environ []string) (Client, error) {
	l := newLoader(Sources{Environ: environ})
	l.openFile()
	for _, name := range []string{"host", "port", "token-file", "tls-cert"} {
		l.decide(l.setting(name))
	}
	if len(l.faults) > 0 {
		return Client{}, l.faults
	}
	if l.Config.Port == 0 {
		return Client{}, errors.New("the sidecar's port was left to the system (port 0): say where it is with --url or SIDECAR_URL")
	}
	scheme := "http://"
	if l.Config.TLSCert != "" {
		scheme = "https://"
	}
	return Client{
		URL: scheme + l.Config.Address(), Own: true,
		TokenFile: l.Config.TokenFile, TLSCert: l.Config.TLSCert,
	}, nil
}

// Address returns the host:port at which this machine reaches the server.
func (c *Config) Address() string {
	host := c.Host
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = loopback
	}
	return net.JoinHostPort(host, strconv.Itoa(c.Port))
}
