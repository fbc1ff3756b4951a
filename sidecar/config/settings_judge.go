package config

import (
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
)

// AuditOff is the value of --audit for none.
const AuditOff = "off"

// judgeSettings are those of the watchdog and the audit.
func judgeSettings() []Setting {
	return []Setting{
		{Name: "watchdog", Value: "CMD|unix:PATH|https://…",
			Doc:  "asked about every tool call that the rules do not refuse",
			bind: func(c *Config) value { return watchdog(&c.Watchdog) }},
		{Name: "watchdog-timeout", Rare: true, Value: "D", Default: "5s",
			Doc:  "how long the watchdog may take; then the call is denied",
			bind: func(c *Config) value { return duration(&c.WatchdogTimeout, positive) }},
		{Name: "audit", Value: "FILE|off", Shown: "audit/audit.ndjson where tasks are kept; none without",
			Doc:  "record of every tool call, see sidecar help audit",
			bind: func(c *Config) value { return text(&c.Audit) }},
	}
}

var errWatchdog = errors.New("is no watchdog; write the absolute path of a program, unix:/path of a socket, or an https:// address")

// watchdog reads an absolute path, unix: and an absolute path, or an https address.
func watchdog(p *string) value {
	return field[string]{p, func(s string) (string, error) {
		socket, isSocket := strings.CutPrefix(s, "unix:")
		u, err := url.Parse(s)
		isAddress := err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil && u.Fragment == ""
		if s == "" || filepath.IsAbs(s) || isSocket && filepath.IsAbs(socket) || isAddress {
			return s, nil
		}
		return "", errWatchdog
	}, asIs}
}

// AuditFile returns where calls are recorded, "" for nowhere: in the file that somebody
// names, or where tasks are kept over restarts.
func (c *Config) AuditFile() string {
	switch {
	case c.Audit == AuditOff || c.Audit == "" && c.StoreDir == "":
		return ""
	case c.Audit != "":
		return c.Audit
	}
	return filepath.Join(c.StoreDir, "audit", "audit.ndjson")
}

// AuditFile returns where run would record calls with this environment, "" for nowhere. It knows
// an audit that run has moved (see Elsewhere).
// The error is of type Faults.
func AuditFile(environ []string) (string, error) {
	l := newLoader(Sources{Environ: environ})
	l.openFile()
	for _, name := range []string{"workspace", "state-dir", "audit", "sandbox"} {
		l.decide(l.setting(name))
	}
	l.keepTasks()
	if len(l.faults) > 0 {
		return "", l.faults
	}
	file := l.Config.AuditFile()
	if moved := l.Config.moved(environ); file != "" && moved != "" {
		return moved, nil
	}
	return file, nil
}

var errMCPProxy = errors.New("is no address of the platform; write https://HOST/PATH, or http:// on this machine, without a user and a fragment")

// mcpProxy reads the address of the platform's MCP server.
func mcpProxy(p *string) value {
	return field[string]{p, func(s string) (string, error) {
		if _, ok := netguard.ParseSecure(s); ok {
			return s, nil
		}
		return "", errMCPProxy
	}, asIs}
}
