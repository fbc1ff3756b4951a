package codex

import "encoding/json"

// The parts that we read of the messages of `codex app-server`. Its schema is printed by
// `codex app-server generate-json-schema`. Seen with 0.169.

// scope says what a notification or request is about.
type scope struct {
	ThreadID string `json:"threadId"`
	TurnID   string `json:"turnId"`
	ItemID   string `json:"itemId"`
}

// policy is what a conversation may do without asking. Approval, Sandbox and Reviewer are passed on as they came.
type policy struct {
	Model    string          `json:"model"`
	Approval json.RawMessage `json:"approvalPolicy"`
	Reviewer json.RawMessage `json:"approvalsReviewer"`
	Sandbox  json.RawMessage `json:"sandbox"`
}

// opened is the result of thread/start and thread/resume.
type opened struct {
	Thread struct {
		ID string `json:"id"`
	} `json:"thread"`
	policy
}

// startParams are those of thread/start and thread/resume.
type startParams struct {
	ThreadID     string         `json:"threadId,omitempty"`
	ExcludeTurns bool           `json:"excludeTurns,omitempty"`
	Ephemeral    bool           `json:"ephemeral,omitempty"`
	Dir          string         `json:"cwd,omitempty"`
	Model        string         `json:"model,omitempty"`
	Approval     string         `json:"approvalPolicy,omitempty"`
	Sandbox      string         `json:"sandbox,omitempty"`
	Config       map[string]any `json:"config,omitempty"`
}

// turnParams are those of turn/start.
type turnParams struct {
	ThreadID string          `json:"threadId"`
	Input    []input         `json:"input"`
	Model    string          `json:"model,omitempty"`
	Approval json.RawMessage `json:"approvalPolicy,omitempty"`
	Reviewer json.RawMessage `json:"approvalsReviewer,omitempty"`
	Sandbox  json.RawMessage `json:"sandboxPolicy,omitempty"`
}

// input is one part of a message.
type input struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	Path string `json:"path,omitempty"`
}

// wireTurn is a turn as turn/start, turn/started and turn/completed have it.
type wireTurn struct {
	ID     string     `json:"id"`
	Status string     `json:"status"`
	Error  *wireError `json:"error"`
}

type wireError struct {
	Message string `json:"message"`
	Details string `json:"additionalDetails"`
}

// tokens count what was used.
type tokens struct {
	Input  int64 `json:"inputTokens"`
	Output int64 `json:"outputTokens"`
}

// wireItem is one item of a turn: what the model says, thinks or does. Which fields are set depends on the type.
type wireItem struct {
	Type string `json:"type"`
	ID   string `json:"id"`

	Text    string   `json:"text"`    // agentMessage, plan
	Summary []string `json:"summary"` // reasoning
	Content []string `json:"-"`       // reasoning; other items have other content: see decodeItem

	Status string `json:"status"`

	Command string  `json:"command"` // commandExecution
	Dir     string  `json:"cwd"`
	Output  *string `json:"aggregatedOutput"`

	Changes []wireChange `json:"changes"` // fileChange

	Server    string          `json:"server"` // mcpToolCall
	Tool      string          `json:"tool"`
	Namespace string          `json:"namespace"` // dynamicToolCall
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"` // an object, or the text of imageGeneration
	Error     *wireError      `json:"error"`
	Contents  []wireContent   `json:"contentItems"`
	Query     string          `json:"query"` // webSearch
	Action    struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	} `json:"action"`
	Path      string   `json:"path"`              // imageView
	SavedPath string   `json:"savedPath"`         // imageGeneration
	Prompt    string   `json:"prompt"`            // collabAgentToolCall
	Receivers []string `json:"receiverThreadIds"` // collabAgentToolCall
	Agent     string   `json:"agentThreadId"`     // subAgentActivity
}

// wireContent is a part of what a tool said.
type wireContent struct {
	Text string `json:"text"`
}

// wireStep is one step of a plan.
type wireStep struct {
	Step   string `json:"step"`
	Status string `json:"status"`
}

// wireChange is the change of one file. Diff is a unified diff of an update, and the whole text otherwise.
type wireChange struct {
	Path string `json:"path"`
	Kind struct {
		Type string `json:"type"` // add, delete, update
		Move string `json:"move_path"`
	} `json:"kind"`
	Diff string `json:"diff"`
}

// decodeItem reads an item.
func decodeItem(raw json.RawMessage) (it wireItem, err error) {
	if err = json.Unmarshal(raw, &it); err == nil && it.Type == "reasoning" {
		var more struct {
			Content []string `json:"content"`
		}
		err = json.Unmarshal(raw, &more)
		it.Content = more.Content
	}
	return it, err
}
