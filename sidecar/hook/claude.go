package hook

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// claude calls its hooks with one JSON object on stdin. What --settings FILE
// says is laid over the user's own settings, and hooks of both run. Seen with
// 2.1.197 and 2.1.328.

// claudeSettings is our settings file, in the session's folder.
const claudeSettings = "claude-settings.json"

// claudeEvents are those that say what a turn is doing. SubagentStop is not
// among them: it does not end the turn. Nor is SessionStart, which says nothing
// that is not known. claude asks the user at its start what to do about an event
// that it does not know.
func claudeEvents() []string {
	return []string{
		"UserPromptSubmit", "PreToolUse", "PermissionRequest", "Notification", "PostToolUse", "PostToolUseFailure",
		"Stop", "StopFailure", "SessionEnd",
	}
}

// claudeTimeout is when claude gives up on a hook, in seconds. Ours takes one at
// the most.
const claudeTimeout = 5

// claude passes a settings file. Settings that the user passes himself, as a
// file or as JSON, are copied, and our hooks added to his: claude takes only one.
func (o *Options) claude() (Plan, error) {
	at, own, err := o.claudeOwn()
	if err != nil {
		return Plan{}, err
	}
	command, err := o.command()
	if err != nil {
		return Plan{}, err
	}
	settings, err := addHooks(own, claudeEvents(), commandHook{Type: "command", Command: shell(command), Timeout: claudeTimeout})
	if err != nil {
		return Plan{}, err
	}
	if err := o.Write(claudeSettings, settings); err != nil {
		return Plan{}, err
	}
	file := o.path(claudeSettings)
	if at > 0 {
		return Plan{Argv: o.setFlag(at, file)}, nil
	}
	return Plan{Argv: o.with("--settings", file)}, nil
}

// claudeOwn finds the settings that the user passes, and where; 0 is nowhere.
func (o *Options) claudeOwn() (at int, settings []byte, err error) {
	at, value := o.flag("--settings")
	if at == 0 {
		return 0, []byte("{}"), nil
	}
	if strings.HasPrefix(strings.TrimSpace(value), "{") {
		return at, []byte(value), nil
	}
	settings, err = readUserFile(o.resolve(value))
	if err == nil && relative().Match(settings) {
		err = errors.New("the rules in the --settings file are relative to where it is, and a copy would be elsewhere")
	}
	return at, settings, err
}

// relative matches a permission rule whose path begins at the settings file, as
// in Read(/src/**), and paths of the sandbox, which may.
func relative() *regexp.Regexp { return regexp.MustCompile(`\(/[^/]|"sandbox"\s*:`) }

// claudeEvent is what we read of what a hook is given.
type claudeEvent struct {
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

func readClaude(payload []byte) (r channel.Report, ok bool) {
	var e claudeEvent
	if json.Unmarshal(payload, &e) != nil {
		return r, false
	}
	r, ok = e.report()
	r.ID = e.PromptID
	return r, ok
}

func (e *claudeEvent) report() (channel.Report, bool) {
	switch e.Name {
	case "UserPromptSubmit":
		r := working()
		r.Prompt = unpasted(e.Prompt)
		return r, true
	case "PreToolUse", "PostToolUse", "PostToolUseFailure":
		return working(), true
	case "PermissionRequest":
		return e.permission(), true
	case "Notification":
		return e.notification()
	case "Stop":
		return final(e.LastMessage), true
	case "StopFailure":
		return channel.Report{State: channel.ReportFailed, Message: firstOf(e.LastMessage, e.Error), Final: true}, true
	case "SessionEnd":
		return channel.Report{State: channel.ReportExited}, e.Reason != "clear"
	}
	return channel.Report{}, false
}

// unpasted is a prompt without the marks that claude puts around what was pasted,
// when that was long: <pasted_content id="d61e"> and the like.
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

// permission is also how a question of the model's comes.
func (e *claudeEvent) permission() channel.Report {
	if e.ToolName != "AskUserQuestion" {
		return asks("permission", tool(e.ToolName, e.ToolInput))
	}
	var input struct {
		Questions []struct {
			Question string `json:"question"`
		} `json:"questions"`
	}
	_ = json.Unmarshal(e.ToolInput, &input) // without its text it is a question too
	var texts []string
	for _, q := range input.Questions {
		texts = append(texts, q.Question)
	}
	return asks("question", strings.Join(texts, "\n"))
}

// notification is of what has no hook of its own. That of a permission comes six
// seconds after PermissionRequest and says less.
func (e *claudeEvent) notification() (channel.Report, bool) {
	switch e.Notification {
	case "elicitation_dialog", "agent_needs_input":
		return asks("question", e.Message), true
	case "idle_prompt":
		return channel.Report{State: channel.ReportReady}, true
	}
	return channel.Report{}, false
}

// firstOf is the first that is not empty.
func firstOf(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}
