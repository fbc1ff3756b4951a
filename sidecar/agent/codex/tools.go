package codex

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// codex takes an MCP server from settings among its arguments, in addition to those of its
// configuration files. Seen with 0.169.

// table is our server's place in the configuration.
const table = "mcp_servers." + spec.ServerName

// startTime is how long codex may wait for our server to start, in seconds: a machine can
// be busy, and after the 10 seconds of its own it would go on without tools.
const startTime = 60

// giveTools passes our server, whose calls codex does not ask about.
func giveTools(l *spec.Launch) (spec.Plan, error) {
	if err := ownServer(l); err != nil {
		return spec.Plan{}, err
	}
	command, err := l.Server()
	if err != nil {
		return spec.Plan{}, err
	}
	var flags []string
	for _, setting := range []string{
		"command=" + tomlString(command[0]), "args=" + tomlArray(command[1:]),
		`default_tools_approval_mode="approve"`,
		fmt.Sprintf("tool_timeout_sec=%d", int64(l.Waits().Seconds())),
		fmt.Sprintf("startup_timeout_sec=%d", startTime),
	} {
		flags = append(flags, "-c", table+"."+setting)
	}
	return spec.Plan{Argv: l.With(flags...)}, nil
}

// tomlString writes a string of TOML, whose form is that of JSON.
func tomlString(s string) string {
	data, err := json.Marshal(s)
	if err != nil { // it never fails: it is a string
		panic(err)
	}
	return string(data)
}

// ownServer fails if the user has an MCP server of our name: the settings of both would be
// mixed into one. It looks at the arguments and at every configuration file, whichever part
// of it is in effect.
func ownServer(l *spec.Launch) error {
	name := `["']?` + regexp.QuoteMeta(spec.ServerName) + `["']?`
	own := regexp.MustCompile(`(?m)^\s*\[?\s*["']?mcp_servers["']?\s*\.\s*` + name + `\s*[\].=]` + // [mcp_servers.sidecar], mcp_servers.sidecar.x = …
		`|^\s*` + name + `\s*(\.\s*\w+\s*)?=\s*` + // sidecar = {…} below [mcp_servers]
		`|^\s*["']?mcp_servers["']?\s*=.*\b` + regexp.QuoteMeta(spec.ServerName) + `\b`) // mcp_servers = { sidecar = {…} }
	for _, setting := range settings(l) {
		if own.MatchString(setting) {
			return fmt.Errorf("-c: %w", spec.ErrOwnServer)
		}
	}
	for _, path := range append(configFiles(l), filepath.Join(l.Resolve("."), ".codex", "config.toml")) {
		if data, err := spec.ReadUserFile(path); err == nil && own.Match(data) {
			return fmt.Errorf("%s: %w", path, spec.ErrOwnServer)
		}
	}
	return nil
}

// settings lists the settings among the arguments, in any of the ways in which -c can be
// written.
func settings(l *spec.Launch) (found []string) {
	for i, arg := range l.Argv[1:] {
		if (arg == "-c" || arg == "--config") && i+2 < len(l.Argv) {
			found = append(found, l.Argv[i+2])
			continue
		}
		for _, flag := range []string{"-c=", "-c", "--config="} {
			if value, ok := strings.CutPrefix(arg, flag); ok && strings.Contains(value, "=") {
				found = append(found, value)
				break
			}
		}
	}
	return found
}
