package config

import (
	"errors"
	"net"
	"os"
	"strings"
)

const loopback = "127.0.0.1"

// InContainer returns the sign that shows that we run in a container, "" if there is
// none.
func InContainer(environ []string) string {
	if os.Getpid() == 1 {
		return "PID 1"
	}
	for _, path := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	env := environment(environ)
	for _, name := range []string{"KUBERNETES_SERVICE_HOST", "container"} {
		if _, set := env[name]; set {
			return "$" + name
		}
	}
	return ""
}

// Loopback reports whether only this machine can reach the server.
func (c *Config) Loopback() bool { return isLoopback(c.Host) }

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.Split(host, "%")[0])
	return ip != nil && ip.IsLoopback()
}

// setDefaultHost opens a container's server to its network, because nobody could
// reach it otherwise.
func (l *loader) setDefaultHost() {
	for i := range l.Values {
		if v := &l.Values[i]; v.Setting.Name == "host" && v.Origin.From == FromDefault {
			l.Config.Host = ""
			v.Text, v.Origin = v.Setting.bind(&l.Config).String(), Origin{Name: "in a container: " + l.sources.Container}
		}
	}
}

// checkHost refuses a server that is open to a network by mistake. In a container it
// should be open, and that is worth one line.
func (l *loader) checkHost() {
	c := &l.Config
	if c.AllowAnonymous && c.Authenticates() {
		l.warn("allow-anonymous has no effect with token-file or tls-client-ca: callers must show who they are")
	}
	if c.AllowAnonymous || c.Authenticates() || c.Loopback() {
		return
	}
	if l.sources.Container == "" {
		l.blame("host", errors.New("would let everybody who reaches this machine use the agent; add --token-file or --tls-client-ca, or --allow-anonymous if that is meant"))
		return
	}
	l.warn("listening on %s without a token: whoever reaches the port can use the agent (on a host network: the host's port); --allow-anonymous says that this is meant, --host %s closes it",
		l.setting("host").bind(c).String(), loopback)
}
