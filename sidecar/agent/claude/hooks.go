package claude

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// claude calls its hooks with one JSON object on stdin. The file that --settings FILE
// names is laid over the user's own settings, and the hooks of both run. Seen with
// 2.1.197 and 2.1.328.

// settingsFile is our settings file, in the session's folder.
const settingsFile = "claude-settings.json"

// events lists the events that say what a turn is doing. SubagentStop is not among
// them, because it does not end the turn. Nor is SessionStart, which says nothing new.
// If claude does not know an event, it asks the user at its start what to do about it.
func events() []string {
	return []string{
		"UserPromptSubmit", "PreToolUse", "PermissionRequest", "Notification", "PostToolUse", "PostToolUseFailure",
		"Stop", "StopFailure", "SessionEnd",
	}
}

// hookTimeout is the time after which claude gives up on a hook, in seconds. Ours takes
// one second at most.
const hookTimeout = 5

// install passes a settings file. If the user passes settings, as a file or as JSON,
// they are copied and our hooks are added to the copy: claude takes only one file.
func install(l *spec.Launch) (spec.Plan, error) {
	at, own, err := ownSettings(l)
	if err != nil {
		return spec.Plan{}, err
	}
	command, err := l.Command()
	if err != nil {
		return spec.Plan{}, err
	}
	settings, err := spec.AddHooks(own, events(), spec.CommandHook{Type: "command", Command: spec.ShellLine(command), Timeout: hookTimeout})
	if err != nil {
		return spec.Plan{}, err
	}
	if err := l.Write(settingsFile, settings); err != nil {
		return spec.Plan{}, err
	}
	file := l.Path(settingsFile)
	if at > 0 {
		return spec.Plan{Argv: l.SetFlag(at, file)}, nil
	}
	return spec.Plan{Argv: l.With("--settings", file)}, nil
}

// ownSettings finds the settings that the user passes, and their place in the
// arguments; 0 means that there are none.
func ownSettings(l *spec.Launch) (at int, settings []byte, err error) {
	at, value := l.Flag("--settings")
	if at == 0 {
		return 0, []byte("{}"), nil
	}
	if strings.HasPrefix(strings.TrimSpace(value), "{") {
		return at, []byte(value), nil
	}
	settings, err = spec.ReadUserFile(l.Resolve(value))
	if err == nil && relative().Match(settings) {
		err = errors.New("the rules in the --settings file are relative to where it is, and a copy would be elsewhere")
	}
	return at, settings, err
}

// relative matches a permission rule whose path is relative to the settings file, as
// in Read(/src/**), and the key of the sandbox, whose paths may be.
func relative() *regexp.Regexp { return regexp.MustCompile(`\(/[^/]|"sandbox"\s*:`) }

// event holds the parts that we read of a hook's input.
type event struct {
	Name         string          `json:"hook_event_name"`
	PromptID     string          `json:"prompt_id"`
	Reason       string          `json:"reason"` // of SessionEnd
	Prompt       string          `json:"prompt"`
	ToolName     string          `json:"tool_name"`
	ToolInput    json.RawMessage `json:"tool_input"`
	Message      string          `json:"message"` // of Notification
	Notification string          `json:"notification_type"`
	LastMessage  string          `json:"last_assistant_message"`
	Error        string          `json:"error"`
}

func readHook(payload []byte, _ func(string) []byte) (r channel.Report, ok bool) {
	var e event
	if json.Unmarshal(payload, &e) != nil {
		return r, false
	}
	r, ok = e.report()
	r.ID = e.PromptID
	return r, ok
}

func (e *event) report() (channel.Report, bool) {
	switch e.Name {
	case "UserPromptSubmit":
		r := spec.Working()
		r.Prompt = unpasted(e.Prompt)
		return r, true
	case "PreToolUse":
		r := spec.Working()
		r.Tool = e.ToolName
		return r, true
	case "PostToolUse", "PostToolUseFailure":
		return spec.Working(), true
	case "PermissionRequest":
		return e.permission(), true
	case "Notification":
		return e.notification()
	case "Stop":
		return spec.Final(e.LastMessage), true
	case "StopFailure":
		return channel.Report{State: channel.ReportFailed, Message: spec.FirstOf(e.LastMessage, e.Error), Final: true}, true
	case "SessionEnd":
		return channel.Report{State: channel.ReportExited}, e.Reason != "clear"
	}
	return channel.Report{}, false
}

// unpasted returns a prompt without the marks that claude puts around pasted text if
// that was long: <pasted_content id="d61e"> and the like.
func unpasted(prompt string) string {
	var b strings.Builder
	for _, mark := range []string{"<pasted_content", "</pasted_content"} {
		b.Reset()
		for {
			before, rest, found := strings.Cut(prompt, mark)
			b.WriteString(before)
			if !found {
				break
			}
			if _, prompt, found = strings.Cut(rest, ">\n"); !found {
				_, prompt, _ = strings.Cut(rest, ">")
			}
		}
		prompt = b.String()
	}
	return strings.TrimSpace(prompt)
}

// permission is also the event by which a question of the model comes.
func (e *event) permission() channel.Report {
	if e.ToolName != "AskUserQuestion" {
		return spec.Asks("permission", spec.ToolText(e.ToolName, e.ToolInput))
	}
	var input struct {
		Questions []struct {
			Question string `json:"question"`
		} `json:"questions"`
	}
	_ = json.Unmarshal(e.ToolInput, &input) // without its text it is still a question
	var texts []string
	for _, q := range input.Questions {
		texts = append(texts, q.Question)
	}
	return spec.Asks("question", strings.Join(texts, "\n"))
}

// notification reports what has no hook of its own. The notification of a permission
// comes six seconds after PermissionRequest and says less.
func (e *event) notification() (channel.Report, bool) {
	switch e.Notification {
	case "elicitation_dialog", "agent_needs_input":
		return spec.Asks("question", e.Message), true
	case "idle_prompt":
		return channel.Report{State: channel.ReportReady}, true
	}
	return channel.Report{}, false
}
