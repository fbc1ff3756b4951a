package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// gemini calls its hooks with one JSON object on stdin, and waits. Hooks of all
// its settings files run. Of the two that are the system's, the defaults come
// before the user's own settings, and the other after them; each can be put
// elsewhere by a variable. But gemini reads them only from where nobody but root
// can write, and complains on the screen otherwise. So hooks are to be had where
// the sidecar is root and its runtime directory under /run, as in most images.
// Seen with 0.61.

// geminiSettings is our settings file, in the session's folder.
const geminiSettings = "gemini-settings.json"

// geminiEvents are those that say what a turn is doing. SessionStart is not among
// them: keys that are typed while it runs are lost.
func geminiEvents() []string {
	return []string{"BeforeAgent", "BeforeTool", "Notification", "AfterTool", "AfterAgent", "SessionEnd"}
}

// geminiTimeout is when gemini gives up on a hook, in milliseconds.
const geminiTimeout = 5000

// The variables of the two files.
const (
	geminiDefaultsPath = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"
	geminiSystemPath   = "GEMINI_CLI_SYSTEM_SETTINGS_PATH"
)

// errUnsafeFolder: gemini would not read our file.
var errUnsafeFolder = errors.New("gemini reads settings of the system's only from where nobody but root can write")

// errOwnSystem: both places are taken.
var errOwnSystem = errors.New("there are system settings for gemini already")

func (o *Options) gemini() (Plan, error) {
	if o.Dir == "" {
		return Plan{}, errNoChannel
	}
	if !rootsOwn(o.Dir) {
		return Plan{}, errUnsafeFolder
	}
	env, err := o.geminiEnv()
	if err != nil {
		return Plan{}, err
	}
	command, err := o.command()
	if err != nil {
		return Plan{}, err
	}
	line := shell(command)
	if strings.Contains(line, "$") {
		return Plan{}, errors.New("gemini would take the $ in our paths for a variable")
	}
	// Seen with 0.61: it is shown all the same, for three seconds each, as "Executing
	// Hook: sidecar"; the profile knows that for no work.
	settings, err := addHooks([]byte(`{"hooksConfig":{"notifications":false}}`), geminiEvents(), commandHook{
		Name: "sidecar", Type: "command", Command: line, Timeout: geminiTimeout,
	})
	if err != nil {
		return Plan{}, err
	}
	if err := o.Write(geminiSettings, settings); err != nil {
		return Plan{}, err
	}
	if !rootsOwn(o.path(geminiSettings)) {
		return Plan{}, errUnsafeFolder
	}
	return Plan{Env: append(append([]string{}, o.Env...), env...)}, nil
}

// geminiEnv makes our file the one that nobody uses yet.
func (o *Options) geminiEnv() ([]string, error) {
	system := o.getenv(geminiSystemPath)
	if system == "" {
		system = "/etc/gemini-cli/settings.json"
		if runtime.GOOS == "darwin" {
			system = "/Library/Application Support/GeminiCli/settings.json"
		}
	}
	defaults := o.getenv(geminiDefaultsPath)
	if defaults == "" {
		defaults = filepath.Join(filepath.Dir(system), "system-defaults.json")
	}
	switch {
	case absent(defaults):
		return []string{geminiDefaultsPath + "=" + o.path(geminiSettings)}, nil
	case absent(system):
		return []string{geminiDefaultsPath + "=" + defaults, geminiSystemPath + "=" + o.path(geminiSettings)}, nil
	}
	return nil, errOwnSystem
}

func absent(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// rootsOwn reports whether only root can change what is at a path: what gemini
// asks of its system's files.
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

// geminiEvent is what we read of what a hook is given.
type geminiEvent struct {
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

func readGemini(payload []byte, tail func(string) []byte) (r channel.Report, ok bool) {
	var e geminiEvent
	if json.Unmarshal(payload, &e) != nil {
		return r, false
	}
	switch e.Name {
	case "BeforeAgent":
		r = working()
		r.Prompt = e.Prompt
		return r, true
	case "BeforeTool", "AfterTool":
		return working(), true
	case "Notification":
		return asks("permission", tool(e.Message, e.Details)), e.Notification == "ToolPermission"
	case "AfterAgent":
		r = e.answer(tail)
		r.Prompt = e.Prompt
		return r, true
	case "SessionEnd":
		return channel.Report{State: channel.ReportExited}, e.Reason != "clear"
	}
	return r, false
}

// answer is read in the transcript: the prompt_response of the hook has parts of
// the text twice when that came in several pieces.
func (e *geminiEvent) answer(tail func(string) []byte) channel.Report {
	if e.Transcript == "" || tail == nil {
		return final("")
	}
	lines := bytes.Split(tail(e.Transcript), []byte("\n"))
	for i := len(lines) - 1; i >= 0; i-- {
		var m struct {
			Type    string          `json:"type"`
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(lines[i], &m) != nil {
			continue // a line that is cut
		}
		var text string
		_ = json.Unmarshal(m.Content, &text) // that of others is no string
		switch {
		case m.Type == "gemini":
			return final(text)
		case m.Type == "error":
			return channel.Report{State: channel.ReportFailed, Message: text, Final: true}
		case m.Type == "user", m.Type == "info" && strings.HasPrefix(text, "Request cancelled"):
			return final("")
		}
	}
	return final("")
}
