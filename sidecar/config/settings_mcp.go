package config

import (
	"cmp"
	"path/filepath"

	"github.com/a2a-sidecar/sidecar/sidecar/mcp/lockfile"
)

// The values of --mcp-unlocked.
const (
	UnlockedAllow  = "allow"
	UnlockedWarn   = "warn"
	UnlockedRefuse = "refuse"
)

// mcpSettings are those of the MCP servers whose tools are served.
func mcpSettings() []Setting {
	return []Setting{
		{Name: "mcp-config", Value: "FILE",
			Doc:  "MCP servers whose tools are served, followed",
			bind: func(c *Config) value { return text(&c.MCPConfig) }},
		{Name: "mcp-lock", Rare: true, Value: "FILE", Shown: lockfile.Name + " beside --mcp-config",
			Doc:  "definitions of MCP servers that were seen, by sidecar mcp lock",
			bind: func(c *Config) value { return text(&c.MCPLock) }},
		{Name: "mcp-unlocked", Rare: true, Value: "HOW", Default: UnlockedWarn,
			Doc: "MCP tools that --mcp-lock does not have so: allow, warn or refuse",
			bind: func(c *Config) value {
				return oneOf(&c.MCPUnlocked, UnlockedAllow, UnlockedWarn, UnlockedRefuse)
			}},
	}
}

// MCPLockFile returns the path of the file that locks the definitions of MCP servers, "" if there
// are no servers. There need not be such a file.
func (c *Config) MCPLockFile() string {
	if c.MCPConfig == "" {
		return ""
	}
	return cmp.Or(c.MCPLock, filepath.Join(filepath.Dir(c.MCPConfig), lockfile.Name))
}
