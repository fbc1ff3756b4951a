package claude

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// claude is governed by flags, a settings file and variables of one run. Its settings are read
// from ours alone: of the user's own we copy what is no tool, no program and no rule, so that
// the login, the model and the looks stay as they are. Hooks that others have installed do not
// run then, and ours do. Seen with 2.1.328; 2.1.197 reads files that a message names with @.

// governedFile is our settings file, in the session's folder.
const governedFile = "claude-governed.json"

// govern is the recipe.
func govern() *spec.Governing {
	return &spec.Governing{
		Recipe: "2026-11", Versions: []string{"2.1.328"}, Version: []string{"--version"},
		Modes: []string{"pty", "oneshot", "stream"}, Plan: planGoverned,
		Conflicts: conflicts(), Commands: commands(),
		Native: native, Escape: escape, ListsFirst: []string{"pty"},
		Watched: map[string]string{
			"pty": "the hook PreToolUse", "oneshot": "the hook PreToolUse", "stream": "the hook PreToolUse",
		},
		Holes: []spec.Hole{
			{Text: "CLAUDE.md files are read as instructions"},
			{Text: "a line that a person types with ! first runs in a shell of claude's", Modes: []string{"pty"}, Person: true},
			{Text: "settings of the machine's administrator hold, and their hooks run"},
		},
		Confinement: confinement(),
	}
}

// escape makes text of a message that claude -p would take for a command of its own: with a blank before it, it
// is one no more. The other modes do so by themselves.
func escape(mode, message string) string {
	if mode == "oneshot" && strings.HasPrefix(message, "/") {
		return " " + message
	}
	return message
}

// conflicts lists the flags that bring tools, servers, plugins, rules or another session.
func conflicts() []spec.Conflict {
	return []spec.Conflict{
		{Flags: []string{"--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "--permission-mode"}, Why: "the sidecar's rules decide what is allowed"},
		{Flags: []string{"--permission-prompt-tool", "--permission-prompts"}, Why: "nothing is to be asked but by the sidecar"},
		{Flags: []string{"--tools", "--allowedTools", "--allowed-tools", "--disallowedTools", "--disallowed-tools"}, Why: "the tools are the sidecar's"},
		{Flags: []string{"--settings", "--setting-sources", "--restricted"}, Why: "the settings of a governed run are the sidecar's"},
		{Flags: []string{"--mcp-config"}, Why: "the only MCP server is the sidecar; give the others to it (--mcp-config of sidecar run)"},
		{Flags: []string{"--plugin-dir", "--plugin-url"}, Why: "plugins bring programs"},
		{Flags: []string{"--agents", "--agent"}, Why: "agents of claude's own bring tools"},
		{Flags: []string{"--chrome", "--ide", "--brief", "--remote-control", "--remote-control-session-name-prefix"}, Why: "it brings tools"},
		{Flags: []string{"--bg", "--background", "--cloud", "--desktop", "--environment", "--teleport", "--tmux", "--worktree", "-w"}, Why: "the session would be another one than this process"},
		{Flags: []string{"--bare", "--safe-mode"}, Why: "the sidecar's tools or hooks would be off"},
		{Flags: []string{"--add-dir"}, Why: "what lies there is claude's to read; use --root of sidecar run"},
		{Env: []string{"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"}, Why: "the sidecar's tools or hooks would be off"},
	}
}

// commands are claude's own commands.
func commands() []string {
	return []string{
		"agents", "attach", "auth", "auto-mode", "doctor", "gateway", "import", "install", "logs", "mcp", "plugin", "plugins", "purge",
		"respawn", "rm", "setup-token", "stop", "kill", "ultrareview", "update", "upgrade",
	}
}

// native reports whether a tool is claude's own. DeferredToolPlaceholder does nothing.
func native(tool string) bool {
	return !strings.HasPrefix(tool, ownTools) && tool != "DeferredToolPlaceholder"
}

// denied are tools that are denied in addition to being switched off, should one come back.
func denied() []string {
	return []string{"Read", "Bash", "Edit", "Write", "Agent", "WebFetch", "WebSearch", "NotebookEdit", "Monitor", "Workflow", "Skill"}
}

// kept are the keys of the user's settings that say who the user is, which model answers and how
// it looks.
func kept() []string {
	return []string{
		"apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "forceLoginMethod", "forceLoginOrgUUID", "model", "availableModels", "modelOverrides",
		"effortLevel", "alwaysThinkingEnabled", "fastMode", "language", "theme", "tui", "viMode", "editorMode", "spinnerTipsEnabled", "autoUpdatesChannel",
		"cleanupPeriodDays", "includeCoAuthoredBy", "outputStyle", "prefersReducedMotion", "terminalProgressBarEnabled",
	}
}

// keptVariables are the beginnings of the variables in the user's settings that are kept: the way
// to the model.
func keptVariables() []string {
	return []string{
		"ANTHROPIC_", "AWS_", "CLAUDE_CODE_USE_", "CLAUDE_CODE_SKIP_", "CLOUD_ML_REGION", "VERTEX_", "GOOGLE_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
		"http_proxy", "https_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "MAX_THINKING_TOKENS", "DISABLE_",
	}
}

// planGoverned switches claude's own tools off, and makes our settings the only ones.
func planGoverned(l *spec.Launch) (spec.Plan, error) {
	settings, err := userSettings(l)
	if err != nil {
		return spec.Plan{}, err
	}
	at, ours, err := ownSettings(l) // the user has none, so it is that of our hooks
	if err != nil {
		return spec.Plan{}, err
	}
	if err := watch(l, at, ours, settings); err != nil {
		return spec.Plan{}, err
	}
	for key, value := range map[string]any{
		"disableAgentView": true, "disableSkillShellExecution": true, "disableAllHooks": false,
		"permissions": map[string]any{"deny": denied(), "disableBypassPermissionsMode": "disable"},
	} {
		if settings[key], err = json.Marshal(value); err != nil {
			return spec.Plan{}, err
		}
	}
	file, err := json.Marshal(settings)
	if err == nil {
		err = l.Write(governedFile, file)
	}
	if err != nil {
		return spec.Plan{}, err
	}
	governed := *l
	if at > 0 {
		governed.Argv = l.SetFlag(at, l.Path(governedFile))
	} else {
		governed.Argv = l.With("--settings", l.Path(governedFile))
	}
	return spec.Plan{
		Argv: governed.With("--tools=", "--strict-mcp-config", "--permission-mode=dontAsk", "--disable-slash-commands", "--setting-sources="),
		Env:  l.Override("CLAUDE_CODE_DISABLE_FILE_MENTIONS=1", "CLAUDE_CODE_DISABLE_AGENT_VIEW=1"),
	}, nil
}

// watch puts our hooks into the settings: those that are installed already, else the one that
// shows the use of a tool.
func watch(l *spec.Launch, at int, ours []byte, settings map[string]json.RawMessage) error {
	if at == 0 {
		command, err := l.Command()
		if err != nil {
			return err
		}
		if ours, err = spec.AddHooks([]byte("{}"), []string{"PreToolUse"}, spec.CommandHook{Type: "command", Command: spec.ShellLine(command), Timeout: hookTimeout}); err != nil {
			return err
		}
	}
	var hooks struct {
		Hooks json.RawMessage `json:"hooks"`
	}
	if err := json.Unmarshal(ours, &hooks); err != nil {
		return err
	}
	settings["hooks"] = hooks.Hooks
	return nil
}

// userSettings returns what is kept of the user's own settings. There may be none.
func userSettings(l *spec.Launch) (map[string]json.RawMessage, error) {
	dir := filepath.Join(l.Getenv("HOME"), ".claude")
	if own := l.Getenv("CLAUDE_CONFIG_DIR"); own != "" {
		dir = own
	}
	kept, all := kept(), map[string]json.RawMessage{}
	data, err := spec.ReadUserFile(filepath.Join(dir, "settings.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(data, &all) != nil { // claude would ignore it, or ask the user about it
		return map[string]json.RawMessage{}, nil
	}
	variables := map[string]json.RawMessage{}
	if json.Unmarshal(all["env"], &variables) == nil {
		for name := range variables {
			if !slices.ContainsFunc(keptVariables(), func(p string) bool { return strings.HasPrefix(name, p) }) {
				delete(variables, name)
			}
		}
	}
	for key := range all {
		if !slices.Contains(kept, key) {
			delete(all, key)
		}
	}
	if len(variables) > 0 {
		all["env"], err = json.Marshal(variables)
	}
	return all, err
}
