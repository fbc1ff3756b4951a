package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// gemini calls its hooks with one JSON object on stdin, and waits. It runs the hooks
// of all its settings files. Two of these are the system's: the defaults come before
// the user's own settings, and the other file after them; a variable can put each of
// them elsewhere. But gemini reads them only from a place where nobody but root can
// write, and otherwise complains on the screen. So hooks are possible if the sidecar
// is root and its runtime directory is under /run, as in most images. Seen with 0.61.

// settingsFile is our settings file, in the session's folder.
const settingsFile = "gemini-settings.json"

// events lists the events that say what a turn is doing. SessionStart is not among
// them, because keys that are typed while it runs are lost.
func events() []string {
	return []string{"BeforeAgent", "BeforeTool", "Notification", "AfterTool", "AfterAgent", "SessionEnd"}
}

// hookTimeout is the time after which gemini gives up on a hook, in milliseconds.
const hookTimeout = 5000

// system returns the system's two settings files.
func system() spec.SystemSettings {
	return spec.SystemSettings{
		Linux: "/etc/gemini-cli/settings.json", Darwin: "/Library/Application Support/GeminiCli/settings.json",
		DefaultsVariable: "GEMINI_CLI_SYSTEM_DEFAULTS_PATH", SettingsVariable: "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
	}
}

// errUnsafeFolder means that gemini would not read our file.
var errUnsafeFolder = errors.New("gemini reads settings of the system's only from where nobody but root can write")

func install(l *spec.Launch) (spec.Plan, error) {
	if l.Dir == "" {
		return spec.Plan{}, spec.ErrNoChannel
	}
	if !rootsOwn(l.Dir) {
		return spec.Plan{}, errUnsafeFolder
	}
	env, err := system().Place(l, l.Path(settingsFile))
	if err != nil {
		return spec.Plan{}, err
	}
	command, err := l.Command()
	if err != nil {
		return spec.Plan{}, err
	}
	line := spec.ShellLine(command)
	if strings.Contains(line, "$") {
		return spec.Plan{}, errors.New("gemini would take the $ in our paths for a variable")
	}
	// Seen with 0.61: the hook is still shown, for three seconds each time, as
	// "Executing Hook: sidecar"; the profile does not take that for work.
	settings, err := spec.AddHooks([]byte(`{"hooksConfig":{"notifications":false}}`), events(), spec.CommandHook{
		Name: "sidecar", Type: "command", Command: line, Timeout: hookTimeout,
	})
	if err != nil {
		return spec.Plan{}, err
	}
	if err := l.Write(settingsFile, settings); err != nil {
		return spec.Plan{}, err
	}
	if !rootsOwn(l.Path(settingsFile)) {
		return spec.Plan{}, errUnsafeFolder
	}
	return spec.Plan{Env: slices.Concat(l.Env, env)}, nil
}

// rootsOwn reports whether only root can change what is at a path: gemini requires
// that of the system's files.
func rootsOwn(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !filepath.IsAbs(real) || real != filepath.Clean(path) {
		return false
	}
	for {
		info, err := os.Lstat(real)
		if err != nil {
			return false
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok || stat.Uid != 0 || info.Mode().Perm()&0o022 != 0 {
			return false
		}
		if real == filepath.Dir(real) {
			return true
		}
		real = filepath.Dir(real)
	}
}

// event holds the parts that we read of a hook's input.
type event struct {
	Name         string          `json:"hook_event_name"`
	Transcript   string          `json:"transcript_path"`
	Prompt       string          `json:"prompt"`
	ToolName     string          `json:"tool_name"`
	ToolInput    json.RawMessage `json:"tool_input"`
	Notification string          `json:"notification_type"`
	Message      string          `json:"message"`
	Details      json.RawMessage `json:"details"`
	Reason       string          `json:"reason"`
}

func readHook(payload []byte, tail func(string) []byte) (r channel.Report, ok bool) {
	var e event
	if json.Unmarshal(payload, &e) != nil {
		return r, false
	}
	switch e.Name {
	case "BeforeAgent":
		r = spec.Working()
		r.Prompt = e.Prompt
		return r, true
	case "BeforeTool", "AfterTool":
		return spec.Working(), true
	case "Notification":
		return spec.Asks("permission", spec.ToolText(e.Message, e.Details)), e.Notification == "ToolPermission"
	case "AfterAgent":
		r = e.answer(tail)
		r.Prompt = e.Prompt
		return r, true
	case "SessionEnd":
		return channel.Report{State: channel.ReportExited}, e.Reason != "clear"
	}
	return r, false
}

// answer reads the answer in the transcript: the prompt_response of the hook has parts
// of the text twice if the text came in several pieces.
func (e *event) answer(tail func(string) []byte) channel.Report {
	if e.Transcript == "" || tail == nil {
		return spec.Final("")
	}
	lines := bytes.Split(tail(e.Transcript), []byte("\n"))
	for i := len(lines) - 1; i >= 0; i-- {
		var m struct {
			Type    string          `json:"type"`
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(lines[i], &m) != nil {
			continue // a line that was cut
		}
		var text string
		_ = json.Unmarshal(m.Content, &text) // in messages of others it is no string
		switch {
		case m.Type == "gemini":
			return spec.Final(text)
		case m.Type == "error":
			return channel.Report{State: channel.ReportFailed, Message: text, Final: true}
		case m.Type == "user", m.Type == "info" && strings.HasPrefix(text, "Request cancelled"):
			return spec.Final("")
		}
	}
	return spec.Final("")
}
