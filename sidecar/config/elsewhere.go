package config

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
)

// Elsewhere returns the directory that is used in the place of a path where the agent or tools
// may write: in sidecar/state of XDG_STATE_HOME, or of .local/state in HOME, with a name that is
// made of the path. It is "" if neither is known. It may not exist.
func Elsewhere(environ []string, path string) string {
	env := environment(environ)
	home := env["XDG_STATE_HOME"]
	if !filepath.IsAbs(home) && filepath.IsAbs(env["HOME"]) {
		home = filepath.Join(env["HOME"], ".local", "state")
	}
	abs, err := filepath.Abs(path)
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	const nameBytes = 10
	sum := sha256.Sum256([]byte(abs))
	return filepath.Join(home, "sidecar", "state", hex.EncodeToString(sum[:nameBytes]))
}

// moved returns where the audit is, if run has moved it elsewhere.
func (c *Config) moved(environ []string) string {
	if c.Sandbox == SandboxOff {
		return ""
	}
	was, name := c.StoreDir, filepath.Join("audit", "audit.ndjson")
	if c.Audit != "" {
		was, name = c.Audit, filepath.Base(c.Audit)
	}
	dir := Elsewhere(environ, was)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return filepath.Join(dir, name)
}
