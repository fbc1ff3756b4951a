package opencode

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// opencode is governed by the configuration in the variable that its tools come in: nothing is
// offered or allowed but ours, and the only agent is one of our own, because a user's agent would
// bring its permissions. The project's configuration is off, and so are plugins, or the start is
// refused: see govern_plugins.go. Seen with 1.18.33.

// governedAgent is the name of the agent that works.
const governedAgent = "governed"

// govern is the recipe.
func govern() *spec.Governing {
	return &spec.Governing{
		Recipe: "2026-11", Versions: []string{"1.18.33"}, Version: []string{"--version"},
		Modes: []string{"pty", "oneshot", "stream", "acp"}, Plan: planGoverned,
		Conflicts: []spec.Conflict{
			{Flags: []string{"--agent"}, Why: "agents bring tools"},
			{Flags: []string{"--auto", "--dangerously-skip-permissions"}, Why: "the sidecar's rules decide what is allowed"},
			{Flags: []string{"--attach"}, Why: "the session would be another one than this process"},
			{Flags: []string{"--command"}, Why: "commands run programs"},
			{Env: []string{"OPENCODE_PERMISSION"}, Why: "the sidecar's rules decide what is allowed"},
		},
		Commands: []string{
			"mcp", "attach", "debug", "providers", "auth", "agent", "upgrade", "uninstall", "web", "models", "stats", "export", "import", "github", "pr", "session", "plugin", "plug", "db",
			"completion",
		},
		Native:  native,
		Watched: map[string]string{"stream": "its events", "acp": "what it tells over ACP"}, Told: true,
		Holes: []spec.Hole{
			{Text: "AGENTS.md files are read as instructions"},
			{Text: "a file that a person picks from the completion of @ is read", Modes: []string{"pty"}, Person: true},
			{Text: "a plugin that a program writes into the workspace between our look and the start is loaded"},
			{Text: "settings of the machine's administrator hold"},
		},
	}
}

// native reports whether a tool is opencode's own. In place of one that it does not have, it
// runs one that is named invalid and only says so.
func native(tool string) bool {
	return !strings.HasPrefix(tool, spec.ServerName+"_") && tool != "invalid"
}

// noShell is run in place of a shell by what is typed with ! first: it does nothing.
const noShell = "/bin/false"

// planGoverned adds to the configuration that our tools come in what switches opencode's own off.
func planGoverned(l *spec.Launch) (spec.Plan, error) {
	if err := withoutPlugins(l); err != nil {
		return spec.Plan{}, err
	}
	var config, servers map[string]json.RawMessage
	if err := json.Unmarshal(spec.PlainJSON([]byte(l.Getenv(contentVariable))), &config); err != nil {
		return spec.Plan{}, fmt.Errorf("%s: %w", contentVariable, err)
	}
	if err := json.Unmarshal(config[serversKey], &servers); err != nil {
		return spec.Plan{}, fmt.Errorf("%s: %w", contentVariable, err)
	}
	ours := spec.ServerName + "_*"
	only := json.RawMessage(`{"*":"deny","` + ours + `":"allow"}`)
	agents := map[string]any{governedAgent: map[string]any{"mode": "primary", "permission": only}}
	for _, name := range []string{"build", "plan", "general", "explore"} {
		agents[name] = map[string]bool{"disable": true}
	}
	mcp := map[string]any{}
	for _, name := range userServers(l) {
		mcp[name] = map[string]bool{"enabled": false}
	}
	mcp[spec.ServerName] = servers[spec.ServerName]
	for key, value := range map[string]any{
		serversKey: mcp, "tools": json.RawMessage(`{"*":false,"` + ours + `":true}`), "permission": only, "agent": agents, "default_agent": governedAgent, "shell": noShell,
		"plugin": []string{}, "instructions": []string{}, "lsp": false, "formatter": false, "command": map[string]any{},
	} {
		raw, err := json.Marshal(value)
		if err != nil {
			return spec.Plan{}, err
		}
		config[key] = raw
	}
	content, err := json.Marshal(config)
	if err != nil {
		return spec.Plan{}, err
	}
	return spec.Plan{Env: l.Override(contentVariable+"="+string(content), "OPENCODE_PURE=1", "OPENCODE_DISABLE_PROJECT_CONFIG=1")}, nil
}

// userServers lists the names of the user's own MCP servers.
func userServers(l *spec.Launch) (names []string) {
	for _, file := range userFiles(l) {
		data, err := spec.ReadUserFile(file)
		if err != nil {
			continue
		}
		var config struct {
			MCP map[string]json.RawMessage `json:"mcp"`
		}
		if json.Unmarshal(spec.PlainJSON(data), &config) != nil {
			continue // opencode does not start with it
		}
		for name := range config.MCP {
			if name != spec.ServerName {
				names = append(names, name)
			}
		}
	}
	return names
}

// userFiles lists the files of the user's configuration that are read although the project's are not.
func userFiles(l *spec.Launch) (files []string) {
	if own := l.Getenv("OPENCODE_CONFIG"); own != "" {
		files = append(files, l.Resolve(own))
	}
	for _, dir := range userDirs(l) {
		for _, name := range configNames() {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files
}

// userDirs lists the folders of the user's configuration.
func userDirs(l *spec.Launch) []string {
	global := l.Getenv("XDG_CONFIG_HOME")
	if global == "" {
		global = filepath.Join(l.Getenv("HOME"), ".config")
	}
	dirs := []string{filepath.Join(global, "opencode"), filepath.Join(l.Getenv("HOME"), ".opencode")}
	if own := l.Getenv("OPENCODE_CONFIG_DIR"); own != "" {
		dirs = append(dirs, l.Resolve(own))
	}
	return dirs
}

// configNames lists the names that a file of configuration may have in its folder.
func configNames() []string { return append(bothRead(), "config.json") }
