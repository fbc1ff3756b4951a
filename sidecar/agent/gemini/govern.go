package gemini

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// gemini is governed by the system's settings that its tools come in, in which it has no tools of
// its own, and by a policy of the administrator's. Both are needed: the settings alone would take
// our tools away too, and the policy alone those of our tools whose names are gemini's. Its hooks
// are off, those of others and ours: what it does is read from its screen. Seen with 0.61.

// governedFile and policyFile are our settings and our policy.
const (
	governedFile = "gemini-governed.json"
	policyFile   = "gemini-policy.toml"
)

// policy denies every tool but those of our server.
const policy = `[[rule]]
toolName = "*"
decision = "deny"
priority = 900

[[rule]]
toolName = "*"
mcpName = "` + spec.ServerName + `"
decision = "allow"
priority = 950
`

// govern is the recipe.
func govern() *spec.Governing {
	return &spec.Governing{
		Recipe: "2026-11", Versions: []string{"0.61.0"}, Version: []string{"--version"},
		Modes: []string{"pty", "oneshot", "stream"}, Plan: planGoverned,
		Conflicts: conflicts(), Commands: []string{"mcp", "extensions", "extension", "skills", "skill", "hooks", "hook", "update"},
		Native: func(tool string) bool { return !strings.HasPrefix(tool, "mcp_"+spec.ServerName+"_") },
		Escape: escape,
		Holes: []spec.Hole{
			{Text: "GEMINI.md files are read as instructions"},
			{Text: "a file of the workspace that a person names with @ is read", Modes: []string{"pty"}, Person: true},
			{Text: "a line that a person types with ! first runs in a shell of gemini's", Modes: []string{"pty"}, Person: true},
			{Text: "variables of an .env file in the workspace are set, unless they are set already"},
		},
	}
}

// conflicts lists the arguments that bring tools, servers, extensions or rules.
func conflicts() []spec.Conflict {
	return []spec.Conflict{
		{Flags: []string{"-y", "--yolo", "--approval-mode", "--approvalMode"}, Why: "the sidecar's rules decide what is allowed"},
		{Flags: []string{"--policy", "--admin-policy", "--adminPolicy"}, Why: "the sidecar's rules decide what is allowed"},
		{Flags: []string{"--allowed-tools", "--allowedTools"}, Why: "the tools are the sidecar's"},
		{Flags: []string{"--allowed-mcp-server-names", "--allowedMcpServerNames"}, Why: "the only MCP server is the sidecar; give the others to it (--mcp-config of sidecar run)"},
		{Flags: []string{"-e", "--extensions"}, Why: "extensions bring tools and programs"},
		{Flags: []string{"--include-directories", "--includeDirectories"}, Why: "what lies there is gemini's to read; use --root of sidecar run"},
		{Flags: []string{"-w", "--worktree"}, Why: "the session would be another one than this process"},
	}
}

// escape makes text of what gemini would take for files to read.
func escape(_, message string) string {
	var b strings.Builder
	marks := 0 // backslashes before a character: with an odd number of them it is text
	for _, r := range message {
		if r == '@' && marks%2 == 0 {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		if r == '\\' {
			marks++
		} else {
			marks = 0
		}
	}
	return b.String()
}

// planGoverned adds to the settings that our tools come in what switches gemini's own off.
func planGoverned(l *spec.Launch) (spec.Plan, error) {
	if l.Protect == nil {
		return spec.Plan{}, errUnsafeFolder
	}
	data, err := spec.ReadUserFile(system().Settings(l)) // giveTools has made it
	if err != nil {
		return spec.Plan{}, err
	}
	var settings map[string]map[string]any
	if err := json.Unmarshal(data, &settings); err != nil {
		return spec.Plan{}, fmt.Errorf("the system's settings cannot be read: %w", err)
	}
	servers := settings[serversKey]
	for key, values := range map[string]map[string]any{
		"tools":       {"core": []string{"nothing_at_all"}, "allowed": []string{}, "discoveryCommand": "", "callCommand": ""},
		"hooksConfig": {"enabled": false},
		"mcp":         {"allowed": []string{spec.ServerName}, "serverCommand": ""},
		"skills":      {"enabled": false},
	} {
		if settings[key] == nil {
			settings[key] = map[string]any{}
		}
		for name, value := range values {
			settings[key][name] = value
		}
	}
	settings[serversKey] = map[string]any{spec.ServerName: servers[spec.ServerName]}
	file, err := json.Marshal(settings)
	if err != nil {
		return spec.Plan{}, err
	}
	path, err := l.Protect(governedFile, file, safe)
	if err != nil {
		return spec.Plan{}, fmt.Errorf("%w: %w", errUnsafeFolder, err)
	}
	rules, err := l.Protect(policyFile, []byte(policy), safe)
	if err != nil {
		return spec.Plan{}, fmt.Errorf("%w: %w", errUnsafeFolder, err)
	}
	return spec.Plan{
		Argv: l.With("--admin-policy="+rules, "--allowed-mcp-server-names="+spec.ServerName, "-e=none"),
		Env:  l.Override(slices.Clone(system().Replace(l, path))...),
	}, nil
}
