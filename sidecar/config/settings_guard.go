package config

import "path/filepath"

// guardSettings are the settings that say which tool calls may run, and where.
func guardSettings() []Setting {
	return []Setting{
		{Name: "policy", Value: "FILE|preset:NAME",
			Doc:  "rules of tool calls, followed; preset:ask, workspace or read-only",
			bind: func(c *Config) value { return text(&c.Policy) }},
		{Name: "grants", Value: "FILE",
			Doc:  "connectors that are bound, and tools granted; followed",
			bind: func(c *Config) value { return text(&c.Grants) }},
		{Name: "trust-project", Default: "false",
			Doc:  "let .sidecar/policy.json allow what is otherwise asked about",
			bind: func(c *Config) value { return truth(&c.TrustProject) }},
	}
}

// ProjectPolicy returns the path of the workspace's own rules. There need not be such a
// file.
func (c *Config) ProjectPolicy() string { return filepath.Join(c.Workspace, ".sidecar", "policy.json") }
