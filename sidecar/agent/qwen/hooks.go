package qwen

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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

// The variables of the system's two files.
const (
	defaultsPath = "QWEN_CODE_SYSTEM_DEFAULTS_PATH"
	systemPath   = "QWEN_CODE_SYSTEM_SETTINGS_PATH"
)

// errOwnSystem means that both places are taken.
var errOwnSystem = errors.New("there are system settings for qwen already")

// install makes our settings one of the system's files.
func install(l *spec.Launch) (spec.Plan, error) {
	command, err := l.Command()
	if err != nil {
		return spec.Plan{}, err
	}
	variable, err := freePlace(l)
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
	return spec.Plan{Env: append(slices.Clone(l.Env), variable+"="+l.Path(settingsFile))}, nil
}

// freePlace returns the variable of the file that nobody uses yet.
func freePlace(l *spec.Launch) (string, error) {
	system := l.Getenv(systemPath)
	if system == "" {
		system = "/etc/qwen-code/settings.json"
		if runtime.GOOS == "darwin" {
			system = "/Library/Application Support/QwenCode/settings.json"
		}
	}
	defaults := l.Getenv(defaultsPath)
	if defaults == "" {
		defaults = filepath.Join(filepath.Dir(system), "system-defaults.json")
	}
	switch {
	case absent(defaults):
		return defaultsPath, nil
	case absent(system):
		return systemPath, nil
	}
	return "", errOwnSystem
}

func absent(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
