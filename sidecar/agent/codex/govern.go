package codex

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// codex is governed by settings among its arguments, and by a catalogue of its own models in which
// each model has no tools: what a model is offered is the model's, whatever is switched off
// elsewhere. Seen with 0.169.

// catalogueFile is our catalogue of models, in the session's folder.
const catalogueFile = "codex-models.json"

// govern is the recipe.
func govern() *spec.Governing {
	return &spec.Governing{
		Recipe: "2026-11", Versions: []string{"0.169.0"}, Version: []string{"--version"}, Prints: []string{"debug", "models", "--bundled"},
		Modes: []string{"pty", "oneshot", "stream"}, Plan: planGoverned,
		Conflicts: conflicts(), Commands: commandsOfOwn(),
		Left: left(), Native: native, Confinement: confinement(),
		Watched: map[string]string{"stream": "the items of app-server"}, Told: true,
		Holes: []spec.Hole{
			{Text: "a line that a person types with ! first runs in the person's shell", Modes: []string{"pty"}, Person: true},
			{Text: "settings of the machine's administrator hold"},
			{Text: "of a login with an account, models that only the server names were not measured"},
		},
	}
}

// left are the tools that stay: they read what our own server offers, which is nothing, and ask.
func left() []string {
	return []string{"list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource", "request_user_input"}
}

// native reports whether a tool is codex's own, by the names that app-server gives.
func native(tool string) bool {
	return !strings.HasPrefix(tool, spec.ServerName+".") && !slices.Contains(left(), tool[strings.LastIndexByte(tool, '.')+1:])
}

// features are what is switched off: tools, what brings tools, and what runs programs.
func features() []string {
	return []string{
		"shell_tool", "unified_exec", "view_image", "multi_agent", "goals", "image_generation", "apps", "plugins", "browser_use", "computer_use",
		"in_app_browser", "skill_search", "tool_suggest", "sleep_tool", "shell_snapshot", "hooks", "memories",
	}
}

// conflicts lists the arguments that bring tools or servers, or another session.
func conflicts() []spec.Conflict {
	return []spec.Conflict{
		{Flags: []string{"--dangerously-bypass-approvals-and-sandbox", "--yolo", "--full-auto", "--approve-for-me", "--dangerously-bypass-hook-trust"}, Why: "the sidecar's rules decide what is allowed"},
		{Flags: []string{"--sandbox", "-s"}, Why: "codex itself is to run nothing"},
		{Flags: []string{"--enable"}, Why: "features bring tools"},
		{Flags: []string{"--search"}, Why: "the tools are the sidecar's"},
		{Flags: []string{"--remote", "--worktree"}, Why: "the session would be another one than this process"},
		{Flags: []string{"--add-dir"}, Why: "what lies there is codex's to write; use --root of sidecar run"},
		{
			Flags: []string{"-c", "--config"}, Why: "the setting may bring tools, servers or programs",
			Values: []string{
				"features", "mcp_servers", "model_catalog", "web_search", "tools", "sandbox", "default_permissions", "permissions", "notify", "hooks", "plugins",
				"apps", "profile", "project_doc", "experimental", "marketplaces", "skills", `"`, "'", " ",
			},
		},
	}
}

// commandsOfOwn are codex's own commands that are no session, or one of another kind.
func commandsOfOwn() []string {
	return []string{
		"agents", "review", "login", "logout", "mcp", "mcp-server", "plugin", "remote-control", "completion", "update", "doctor", "sandbox", "debug", "apply", "a",
		"queue", "archive", "delete", "unarchive", "migrate-rollouts", "migrate-nfs-db", "cloud", "exec-server", "features", "help",
	}
}

// planGoverned switches codex's own tools off.
func planGoverned(l *spec.Launch) (spec.Plan, error) {
	catalogue, err := withoutTools(l.Printed)
	if err != nil {
		return spec.Plan{}, err
	}
	if err := l.Write(catalogueFile, catalogue); err != nil {
		return spec.Plan{}, err
	}
	var flags []string
	for _, feature := range features() {
		flags = append(flags, "--disable", feature)
	}
	off := []string{
		`web_search="disabled"`, "model_catalog_json=" + tomlString(l.Path(catalogueFile)), `sandbox_mode="read-only"`, "project_doc_max_bytes=0",
		`mcp_servers.codex_tui.command="x"`, "mcp_servers.codex_tui.enabled=false",
	}
	if !sets(l, "notify") { // else it is ours
		off = append(off, "notify=[]")
	}
	others, err := servers(l)
	if err != nil {
		return spec.Plan{}, err
	}
	for _, setting := range append(off, others...) {
		flags = append(flags, "-c", setting)
	}
	return spec.Plan{Argv: l.With(flags...)}, nil
}

// withoutTools returns codex's catalogue of models, with no tools for any of them.
func withoutTools(catalogue []byte) ([]byte, error) {
	var all map[string]json.RawMessage
	var models []map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(catalogue, &all), json.Unmarshal(all["models"], &models)); err != nil || len(models) == 0 {
		return nil, fmt.Errorf("codex debug models --bundled prints no catalogue of models that can be read")
	}
	for _, m := range models {
		for key, value := range map[string]string{
			"shell_type": `"disabled"`, "apply_patch_tool_type": "null", "tool_mode": `"direct"`, "multi_agent_version": `"disabled"`,
			"experimental_supported_tools": "[]", "supports_search_tool": "false",
		} {
			m[key] = json.RawMessage(value)
		}
	}
	var err error
	if all["models"], err = json.Marshal(models); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// servers returns settings that switch the user's own MCP servers off, whichever part of the configuration they are
// in. A part of codex that does not read that part would refuse a server without a command or a URL, so it gets one.
func servers(l *spec.Launch) (settings []string, err error) {
	table := regexp.MustCompile(`(?m)^\s*\[?\s*["']?mcp_servers["']?\s*\.\s*("[\w.-]+"|'[\w.-]+'|[\w-]+)([^\[]*)`)
	whole := regexp.MustCompile(`(?m)^\s*\[\s*["']?mcp_servers["']?\s*\]|^\s*["']?mcp_servers["']?\s*=`)
	remote := regexp.MustCompile(`(?m)^\s*url\s*=|[.{,]\s*url\s*=`)
	var names []string
	for _, path := range append(configFiles(l), filepath.Join(l.Resolve("."), ".codex", "config.toml")) {
		data, err := spec.ReadUserFile(path)
		if err != nil {
			continue
		}
		if whole.Match(data) {
			return nil, fmt.Errorf("%s has MCP servers in one table or line, of which none can be switched off: give each a table of its own, [mcp_servers.NAME]", path)
		}
		for _, m := range table.FindAllSubmatch(data, -1) {
			name := strings.Trim(string(m[1]), `"'`)
			if name == spec.ServerName || slices.Contains(names, name) {
				continue
			}
			if strings.Contains(name, ".") {
				return nil, fmt.Errorf("%s has an MCP server %q, which cannot be switched off: give it a name without a dot", path, name)
			}
			names = append(names, name)
			kind := `command="x"`
			if remote.Match(m[2]) {
				kind = `url="http://127.0.0.1/"`
			}
			settings = append(settings, "mcp_servers."+name+"."+kind, "mcp_servers."+name+".enabled=false")
		}
	}
	return settings, nil
}
