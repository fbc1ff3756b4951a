package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

func callerSettings() []Setting {
	return []Setting{
		{Name: "token-file", Value: "FILE",
			Doc:  "lines name:token of those who may call; followed",
			bind: func(c *Config) value { return text(&c.TokenFile) }},
		{Name: "tls-cert", Value: "FILE",
			Doc:  "serve TLS with this certificate (PEM); followed",
			bind: func(c *Config) value { return text(&c.TLSCert) }},
		{Name: "tls-key", Value: "FILE",
			Doc:  "key of the certificate (PEM)",
			bind: func(c *Config) value { return text(&c.TLSKey) }},
		{Name: "tls-client-ca", Value: "FILE",
			Doc:  "authorities of clients: a certificate's subject may call",
			bind: func(c *Config) value { return text(&c.TLSClientCA) }},
		{Name: "operators", Value: "NAME,…", List: true,
			Doc:  "names of the token file that may read the log; repeatable",
			bind: func(c *Config) value { return callers(&c.Operators) }},
		{Name: "allow-anonymous", Default: "false",
			Doc:  "listen beyond loopback although anybody may then call",
			bind: func(c *Config) value { return truth(&c.AllowAnonymous) }},
		{Name: "max-connections", Rare: true, Value: "N", Default: "0", Shown: "half of the descriptors, at most 10000",
			Doc:  "connections at once; the longest idle makes room",
			bind: func(c *Config) value { return number(&c.MaxConnections, 0, 1_000_000) }},
		{Name: "max-requests", Rare: true, Value: "N", Default: "1024",
			Doc:  "requests in all, as many streams, twice the tasks; 0: no limit",
			bind: func(c *Config) value { return number(&c.MaxRequests, 0, 1_000_000) }},
		{Name: "caller-requests", Rare: true, Value: "N", Default: "512",
			Doc:  "the same for one caller, tasks if it is named; 0: no limit",
			bind: func(c *Config) value { return number(&c.CallerRequests, 0, 1_000_000) }},
		{Name: "max-inflight", Rare: true, Value: "SIZE", Default: "256MiB",
			Doc:  "request bodies under way in all, 0 for no limit",
			bind: func(c *Config) value { return size(&c.MaxInflight, 0, 1<<40) }},
		{Name: "caller-inflight", Rare: true, Value: "SIZE", Default: "64MiB",
			Doc:  "request bodies under way of one caller, 0 for no limit",
			bind: func(c *Config) value { return size(&c.CallerInflight, 0, 1<<40) }},
		{Name: "caller-rate", Rare: true, Value: "N", Default: "0", Shown: "no limit",
			Doc:  "new messages and calls of one caller a second",
			bind: func(c *Config) value { return rate(&c.CallerRate) }},
		{Name: "caller-burst", Rare: true, Value: "N", Default: "20",
			Doc:  "such at once, before --caller-rate holds",
			bind: func(c *Config) value { return number(&c.CallerBurst, 1, 1_000_000) }},
	}
}

// callers reads names of callers, as a token file has them.
func callers(p *[]string) value {
	return eachOf(p, func(s string) (string, error) { return s, nil })
}

// rate reads a number per second; fractions are allowed.
func rate(p *float64) value {
	return field[float64]{p, func(s string) (float64, error) {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(n) || n < 0 || n > 1e6 || n > 0 && n < 1e-3 {
			return 0, fmt.Errorf("is not a rate; write a number from 0.001 to 1000000 a second, 0 for no limit")
		}
		return n, nil
	}, func(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }}
}

// Authenticates reports whether callers must show who they are.
func (c *Config) Authenticates() bool { return c.TokenFile != "" || c.TLSClientCA != "" }

var (
	errHalfTLS  = errors.New("--tls-cert and --tls-key (SIDECAR_TLS_CERT, SIDECAR_TLS_KEY) go together: set both or neither")
	errClientCA = errors.New("--tls-client-ca (SIDECAR_TLS_CLIENT_CA) needs TLS: add --tls-cert and --tls-key")
)

func (c *Config) checkTLS() error {
	switch {
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return errHalfTLS
	case c.TLSClientCA != "" && c.TLSCert == "":
		return errClientCA
	}
	return nil
}
