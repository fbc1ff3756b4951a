package spec

import (
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// Confinement is what an agent's own process uses in its sandbox under --govern=strict, in addition
// to its program and what every program of the system reads. It was measured with the recipe.
type Confinement struct {
	// Modes are those in which it was seen to work, the values of --mode.
	Modes []string
	// State are the agent's own files and directories, which it reads and writes. A directory that
	// is missing is made; a file is not, and so the agent cannot make it.
	State []Place
	// Read are files and directories that it also reads.
	Read []Place
	// Hosts are patterns of the hosts of its model, unless Models returns some.
	Hosts []string
	// Models returns the URLs of the models in the user's own variables and files, none if the model
	// is where the agent looks for it by itself. nil: Variables are all there is.
	Models func(*Launch) []string
	// Variables are names of variables with the URL of a model.
	Variables []string
	// Env are variables, NAME=value, for what the agent would otherwise use outside; {tmp} is its
	// TMPDIR.
	Env []string
}

// Place is a file or directory of an agent.
type Place struct {
	// Path is absolute, or begins with ~/. Variable, if the user has set it, names another
	// directory in its place, in which the file is that of Below.
	Path, Variable, Below string
	// File says that it is no directory.
	File bool
}

// In returns where the place is for a process, "" if it is nowhere.
func (p *Place) In(l *Launch) string {
	if dir := l.Getenv(p.Variable); p.Variable != "" && dir != "" {
		return filepath.Join(l.Resolve(dir), p.Below)
	}
	rest, home := strings.CutPrefix(p.Path, "~/")
	if !home {
		return p.Path
	}
	dir := l.Getenv("HOME")
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(dir, rest)
}

// Reaches returns the patterns of the hosts of the agent's model for a process.
func (c *Confinement) Reaches(l *Launch) []string {
	var urls []string
	for _, name := range c.Variables {
		urls = append(urls, l.Getenv(name))
	}
	if c.Models != nil {
		urls = append(urls, c.Models(l)...)
	}
	var hosts []string
	for _, one := range urls {
		if host := hostPattern(one); host != "" && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	if len(hosts) == 0 {
		return c.Hosts
	}
	return hosts
}

// hostPattern returns the pattern of the host and port of a URL, "" if it has none.
func hostPattern(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "http" || u.Scheme == "ws":
		port = "80"
	default:
		port = "443"
	}
	host := u.Hostname()
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() {
		host = "[" + host + "]"
	}
	return host + ":" + port
}
