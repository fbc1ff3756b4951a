package qwen

import (
	"slices"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// qwen calls its hooks with one JSON object on stdin, and waits. It runs the hooks of
// all its settings files. Two of these files are the system's, and a variable can put
// each of them elsewhere. Seen with 0.15.10.

// settingsFile is our settings file, in the session's folder.
const settingsFile = "qwen-settings.json"

// events lists the events that say what a turn is doing. PermissionRequest is not
// among them: it comes before the question is drawn, and a half-drawn question looks
// like a different one. The screen shows the question soon enough.
func events() []string {
	return []string{
		"UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "StopFailure", "SessionEnd",
	}
}

// hookTimeout is the time after which qwen gives up on a hook, in milliseconds.
const hookTimeout = 5000

// system returns the system's two settings files.
func system() spec.SystemSettings {
	return spec.SystemSettings{
		Linux: "/etc/qwen-code/settings.json", Darwin: "/Library/Application Support/QwenCode/settings.json",
		DefaultsVariable: "QWEN_CODE_SYSTEM_DEFAULTS_PATH", SettingsVariable: "QWEN_CODE_SYSTEM_SETTINGS_PATH",
	}
}

// install makes our settings one of the system's files.
func install(l *spec.Launch) (spec.Plan, error) {
	command, err := l.Command()
	if err != nil {
		return spec.Plan{}, err
	}
	env, err := system().Place(l, l.Path(settingsFile))
	if err != nil {
		return spec.Plan{}, err
	}
	settings, err := spec.AddHooks([]byte("{}"), events(), spec.CommandHook{
		Name: "sidecar", Type: "command", Command: spec.ShellLine(command), Timeout: hookTimeout,
	})
	if err != nil {
		return spec.Plan{}, err
	}
	if err := l.Write(settingsFile, settings); err != nil {
		return spec.Plan{}, err
	}
	return spec.Plan{Env: slices.Concat(l.Env, env)}, nil
}
