package config

import (
	"fmt"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/manifest"
)

// webSettings are those of the tools web_fetch and web_search.
func webSettings() []Setting {
	return []Setting{
		{Name: "fetch-host", Rare: true, Value: "HOST,…", List: true,
			Doc:  "private hosts for web_fetch, as in localhost:3000; repeatable",
			bind: func(c *Config) value { return hostPatterns(&c.FetchHosts) }},
		{Name: "search-provider", Rare: true, Value: "TOOL,…", List: true,
			Doc:  "http or exec tools that answer web_search; repeatable",
			bind: func(c *Config) value { return toolNames(&c.SearchProviders) }},
		{Name: "search-calls", Rare: true, Value: "N", Default: "25",
			Doc:  "calls of web_search in one conversation",
			bind: func(c *Config) value { return number(&c.SearchCalls, 1, 1_000_000) }},
		{Name: "search-timeout", Rare: true, Value: "D", Default: "15s",
			Doc:  "time of one search",
			bind: func(c *Config) value { return duration(&c.SearchTimeout, positive) }},
	}
}

// hostPatterns reads patterns of hosts.
func hostPatterns(p *[]string) value {
	return eachOf(p, func(s string) (string, error) {
		if _, err := netguard.ParseHostPattern(s); err != nil {
			return "", fmt.Errorf("%q is not a host pattern: it %w; write one such as localhost:3000, *.corp.example:* or 10.0.0.0/8", s, err)
		}
		return s, nil
	})
}

// toolNames reads canonical names of tools.
func toolNames(p *[]string) value {
	return eachOf(p, func(s string) (string, error) {
		if !manifest.IsCanonical(s) {
			return "", fmt.Errorf("%q is not the name of a tool; write one such as acme.search", s)
		}
		return s, nil
	})
}
