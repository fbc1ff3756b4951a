package opencode

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// opencode lays the configuration in a variable over that of its files. Seen with 1.18.33.

// contentVariable holds a configuration.
const contentVariable = "OPENCODE_CONFIG_CONTENT"

// serversKey is the object of MCP servers in a configuration.
const serversKey = "mcp"

// server is our MCP server as opencode writes it. Timeout is how long opencode waits for
// any answer of it, in milliseconds.
type server struct {
	Type    string   `json:"type"`
	Command []string `json:"command"`
	Enabled bool     `json:"enabled"`
	Timeout int64    `json:"timeout"`
}

// giveTools adds our server to the configuration in the variable. opencode asks about no
// call of an MCP server, unless the user has told it to.
func giveTools(l *spec.Launch) (spec.Plan, error) {
	if err := ownServer(l); err != nil {
		return spec.Plan{}, err
	}
	config := l.Getenv(contentVariable)
	if config == "" {
		config = "{}"
	}
	command, err := l.Server("{env:", "{file:")
	if err != nil {
		return spec.Plan{}, err
	}
	content, err := spec.AddServer([]byte(config), serversKey, server{"local", command, true, l.Waits().Milliseconds()})
	if err != nil {
		return spec.Plan{}, fmt.Errorf("%s: %w", contentVariable, err)
	}
	return spec.Plan{Env: append(slices.Clone(l.Env), contentVariable+"="+string(content))}, nil
}

// ownServer fails if the user has an MCP server of our name: the two would be mixed into
// one.
func ownServer(l *spec.Launch) error {
	global := l.Getenv("XDG_CONFIG_HOME")
	if global == "" {
		global = filepath.Join(l.Getenv("HOME"), ".config")
	}
	project := l.Resolve(".")
	files := []string{l.Getenv("OPENCODE_CONFIG")}
	for _, dir := range []string{filepath.Join(global, "opencode"), l.Getenv("OPENCODE_CONFIG_DIR"), project, filepath.Join(project, ".opencode")} {
		for _, name := range []string{"opencode.json", "opencode.jsonc", "config.json"} {
			if dir != "" {
				files = append(files, filepath.Join(dir, name))
			}
		}
	}
	for _, file := range files {
		if data, err := spec.ReadUserFile(file); err == nil && spec.HasServer(data, serversKey) {
			return fmt.Errorf("%s: %w", file, spec.ErrOwnServer)
		}
	}
	return nil
}
