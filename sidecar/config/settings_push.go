package config

import (
	"github.com/a2a-sidecar/sidecar/a2a/push"
)

func pushSettings() []Setting {
	return []Setting{
		{Name: "push", Value: "on|off", Default: "on",
			Doc:  "send tasks' events to the addresses that clients name",
			bind: func(c *Config) value { return oneOf(&c.Push, "on", "off") }},
		{Name: "push-allow-private", Default: "false",
			Doc:  "send to loopback, private and link-local addresses too",
			bind: func(c *Config) value { return truth(&c.PushAllowPrivate) }},
		{Name: "push-timeout", Rare: true, Value: "D", Default: formatDuration(push.DefaultTimeout),
			Doc:  "time for one notification",
			bind: func(c *Config) value { return duration(&c.PushTimeout, positive) }},
		{Name: "push-retry-for", Rare: true, Value: "D", Default: "1h",
			Doc:  "how long one that is not taken is sent again",
			bind: func(c *Config) value { return duration(&c.PushRetryFor, positive) }},
		{Name: "push-concurrency", Rare: true, Value: "N", Default: "16",
			Doc:  "notifications at once: half for a caller, a quarter for one host",
			bind: func(c *Config) value { return number(&c.PushConcurrency, 1, 10_000) }},
	}
}
