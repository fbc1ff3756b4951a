package claude

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// claude reads MCP servers from the files that --mcp-config names, in addition to the
// user's own and to further --mcp-config. Seen with 2.1.197 and 2.1.328.

// toolsFile is our file of MCP servers, in the session's folder.
const toolsFile = "claude-mcp.json"

// configFlag names a file of MCP servers.
const configFlag = "--mcp-config"

// serversKey is the object of MCP servers in every file that claude reads them from.
const serversKey = "mcpServers"

// server is our MCP server as claude writes it. Timeout is the limit of a call in
// milliseconds, over MCP_TOOL_TIMEOUT.
type server struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Timeout int64    `json:"timeout"`
}

// giveTools passes a file with our server, and lets its tools run without a question of
// claude's. Both flags are written with a =, because each would also take the arguments
// that follow it, such as a prompt.
func giveTools(l *spec.Launch) (spec.Plan, error) {
	if err := ownServer(l); err != nil {
		return spec.Plan{}, err
	}
	command, err := l.Server("${")
	if err != nil {
		return spec.Plan{}, err
	}
	servers, err := spec.AddServer([]byte("{}"), serversKey, server{"stdio", command[0], command[1:], l.Waits().Milliseconds()})
	if err != nil {
		return spec.Plan{}, err
	}
	if err := l.Write(toolsFile, servers); err != nil {
		return spec.Plan{}, err
	}
	return spec.Plan{Env: unlessSet(l, waiting()), Argv: l.With(configFlag+"="+l.Path(toolsFile), "--allowedTools=mcp__"+spec.ServerName+"__*")}, nil
}

// waiting lists variables that make claude wait, unless the user has set them: for a call,
// which 2.1.328 would otherwise tell its model after two minutes to be in the background, and
// at its start for its MCP servers.
func waiting() []string {
	return []string{"CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS=0", "MCP_CONNECTION_NONBLOCKING=0"}
}

// unlessSet returns the environment with more variables, but for those that the user has set.
func unlessSet(l *spec.Launch, more []string) []string {
	env := l.Env
	for _, variable := range more {
		if name, _, _ := strings.Cut(variable, "="); l.Getenv(name) == "" {
			env = append(slices.Clip(env), variable)
		}
	}
	return env
}

// given reports whether a command is one to which giveTools has added our server.
func given(argv []string) bool {
	return slices.ContainsFunc(argv, func(arg string) bool {
		file, found := strings.CutPrefix(arg, configFlag+"=")
		return found && filepath.Base(file) == toolsFile
	})
}

// ownServer fails if a server of our name is there already, or if the machine's
// administrator has settled which servers there are.
func ownServer(l *spec.Launch) error {
	managed := "/etc/claude-code/managed-mcp.json"
	if runtime.GOOS == "darwin" {
		managed = "/Library/Application Support/ClaudeCode/managed-mcp.json"
	}
	if _, err := os.Stat(managed); err == nil {
		return fmt.Errorf("%s decides alone which MCP servers there are", managed)
	}
	for _, own := range passed(l) {
		if spec.HasServer(own, serversKey) {
			return fmt.Errorf("--mcp-config: %w", spec.ErrOwnServer)
		}
	}
	if len(l.Flags("--strict-mcp-config")) > 0 {
		return nil // the files are not read
	}
	dir, err := filepath.Abs(l.Resolve("."))
	if err != nil {
		return err
	}
	config := filepath.Join(l.Getenv("HOME"), ".claude.json")
	if own := l.Getenv("CLAUDE_CONFIG_DIR"); own != "" {
		config = filepath.Join(own, ".claude.json")
	}
	for _, place := range []struct {
		file string
		keys []string
	}{
		{config, []string{serversKey}}, {config, []string{"projects", dir, serversKey}}, {filepath.Join(dir, ".mcp.json"), []string{serversKey}},
	} {
		if data, err := spec.ReadUserFile(place.file); err == nil && spec.HasServer(data, place.keys...) {
			return fmt.Errorf("%s: %w", place.file, spec.ErrOwnServer)
		}
	}
	return nil
}

// passed returns the configurations of MCP servers among the arguments: each flag takes
// several, as files or as JSON. What cannot be read is left to claude.
func passed(l *spec.Launch) (configs [][]byte) {
	for _, at := range l.Flags(configFlag) {
		values := l.Argv[at+1:]
		if end := slices.IndexFunc(values, func(arg string) bool { return strings.HasPrefix(arg, "-") }); end >= 0 {
			values = values[:end]
		}
		if _, value, joined := strings.Cut(l.Argv[at], "="); joined {
			values = []string{value}
		}
		for _, value := range values {
			config := []byte(value)
			if !json.Valid(config) {
				config, _ = spec.ReadUserFile(l.Resolve(value))
			}
			configs = append(configs, config)
		}
	}
	return configs
}
