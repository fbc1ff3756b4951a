package approval

import (
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// DevelopmentToolURI names gemini-cli's development-tool extension. Of it we speak the
// confirmation of tool calls, and only with clients that activate it: a ToolCall with a
// confirmation_request is part of the question, and a ToolCallConfirmation answers it. Its
// answers name the call and no digest.
const DevelopmentToolURI = "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md"

// The ids of its options, as gemini-cli's clients know them.
const (
	proceedOnce   = "proceed_once"
	proceedAlways = "proceed_always"
	proceedTool   = "proceed_always_tool"
	cancel        = "cancel"
)

// confirmable is a ToolCall that waits for its confirmation.
type confirmable struct {
	CallID  string          `json:"tool_call_id"`
	Status  string          `json:"status"`
	Tool    string          `json:"tool_name"`
	Input   json.RawMessage `json:"input_parameters"`
	Request confirmRequest  `json:"confirmation_request"`
}

type confirmRequest struct {
	Options []confirmOption `json:"options"`
	Execute *executeDetails `json:"execute_details,omitempty"`
	Generic *genericDetails `json:"generic_details,omitempty"`
}

type confirmOption struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type executeDetails struct {
	Command string `json:"command"`
}

type genericDetails struct {
	Description string `json:"description"`
}

// Confirmation returns the approval as a ToolCall with a confirmation_request, and the
// metadata that says of a message that it is one.
func (a *Approval) Confirmation() (a2a.Part, a2a.Metadata) {
	s, d := &a.q.Subject, a.Brief()
	c := confirmable{CallID: s.CallID, Status: "PENDING", Tool: s.Tool, Input: d.Arguments, Request: confirmRequest{Options: []confirmOption{
		{proceedOnce, Once.Label()}, {proceedAlways, Always.Label()}, {cancel, Reject.Label()},
	}}}
	if c.Input == nil {
		c.Input = json.RawMessage(`{}`)
	}
	if len(d.Uses) == 1 && d.Uses[0].Capability == "shell.run" {
		c.Request.Execute = &executeDetails{Command: d.Uses[0].Value}
	} else {
		c.Request.Generic = &genericDetails{Description: d.Text()}
	}
	data, err := json.Marshal(c)
	if err != nil { // the arguments were parsed before, everything else is text
		panic(err)
	}
	return a2a.DataPart(data), a2a.Metadata{DevelopmentToolURI: json.RawMessage(`{"kind":"TOOL_CALL_CONFIRMATION"}`)}
}

// confirmation reads a ToolCallConfirmation, if the call's client has activated the
// extension. gemini-cli's own server takes the same with other names, so that both are
// understood.
func (a *Approval) confirmation(m *a2a.Message) (p Reply, found bool, err error) {
	if !a.q.Confirms {
		return Reply{}, false, nil
	}
	for i := range m.Parts {
		var c struct {
			CallID   string          `json:"tool_call_id"`
			Option   string          `json:"selected_option_id"`
			Its      string          `json:"callId"`
			Result   string          `json:"outcome"`
			File     json.RawMessage `json:"file_details"`
			Modified json.RawMessage `json:"modified_details"`
			Content  json.RawMessage `json:"newContent"`
		}
		if m.Parts[i].Kind != a2a.PartData || json.Unmarshal(m.Parts[i].Data, &c) != nil {
			continue
		}
		if c.CallID == "" {
			c.CallID, c.Option = c.Its, c.Result
		}
		if c.CallID == "" || c.Option == "" {
			continue
		}
		option, ok := confirmed(c.Option)
		switch {
		case !ok:
			return Reply{}, true, a2a.ErrInvalidParams.With("selected_option_id: the options are %s, %s and %s", proceedOnce, proceedAlways, cancel)
		case c.File != nil || c.Modified != nil || c.Content != nil:
			return Reply{}, true, a2a.ErrInvalidParams.With("modified_details: a call runs as it was judged, or not at all")
		case c.CallID != a.q.Subject.CallID:
			return Reply{}, true, errChanged.With("tool_call_id: the task waits for the confirmation of another call, %s", a.q.Subject.CallID)
		}
		return Reply{ID: a.id, Digest: a.digest, Option: option}, true, nil
	}
	return Reply{}, false, nil
}

func confirmed(id string) (Option, bool) {
	switch id {
	case proceedOnce:
		return Once, true
	case proceedAlways, proceedTool:
		return Always, true
	case cancel:
		return Reject, true
	}
	return "", false
}
