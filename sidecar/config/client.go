package config

import (
	"errors"
	"net"
	"strconv"
	"strings"
)

// ClientURL returns the base address at which a client on this machine finds
// the sidecar: flag (--url), else $SIDECAR_URL, else the host and port that
// run would listen on with this environment (AGENT_PORT, 8999).
func ClientURL(flag string, environ []string) (string, error) {
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
			return "", Faults{&given}
		}
		return base, nil
	}
	return listenURL(environ)
}

// withScheme lets people write localhost:8999.
func withScheme(s string) string {
	if strings.Contains(s, "://") {
		return s
	}
	return "http://" + s
}

// listenURL is where run listens by this environment and its file.
func listenURL(environ []string) (string, error) {
	l := newLoader(Sources{Environ: environ})
	l.openFile()
	for _, name := range []string{"host", "port"} {
		l.decide(l.setting(name))
	}
	if len(l.faults) > 0 {
		return "", l.faults
	}
	if l.Config.Port == 0 {
		return "", errors.New("the sidecar's port was left to the system (port 0): say where it is with --url or SIDECAR_URL")
	}
	return "http://" + l.Config.Address(), nil
}

// Address is host:port as somebody on this machine reaches the server.
func (c *Config) Address() string {
	host := c.Host
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = loopback
	}
	return net.JoinHostPort(host, strconv.Itoa(c.Port))
}
