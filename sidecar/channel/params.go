package channel

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// The parameters of each method, as written, and how they are checked. Both
// ends use the same types.

type capabilities struct {
	Messages bool `json:"messages,omitempty"`
	Tools    bool `json:"tools,omitempty"`
}

type initializeParams struct {
	Token           string       `json:"token"`
	ProtocolVersion string       `json:"protocolVersion"`
	Name            string       `json:"name,omitempty"`
	Capabilities    capabilities `json:"capabilities"`
}

type initializeResult struct {
	ProtocolVersion string `json:"protocolVersion"`
	SidecarVersion  string `json:"sidecarVersion"`
	URL             string `json:"url,omitempty"` // where the sidecar serves, if it takes tools/call
	// Outbox is the directory for what exceeds a frame, and MaxFile is how long a file there may
	// be; they are absent if there is none.
	Outbox  string `json:"outbox,omitempty"`
	MaxFile int64  `json:"maxFile,omitempty"`
}

type statusParams struct {
	Text     string     `json:"text,omitempty"`
	Parts    []wirePart `json:"parts,omitempty"`
	Progress *float64   `json:"progress,omitempty"`
	extras
}

func (p *statusParams) status() (Status, error) {
	s := Status{Text: p.Text, Progress: p.Progress, Metadata: p.Metadata, Extensions: p.Extensions}
	if p.Progress != nil && (*p.Progress < 0 || math.IsInf(*p.Progress, 0)) {
		return s, invalid("progress", "must be a number from 0 up")
	}
	var err error
	if s.Parts, err = decodeParts("parts", p.Parts); err != nil {
		return s, err
	}
	return s, p.check()
}

type artifactParams struct {
	ArtifactID  string     `json:"artifactId,omitempty"`
	Name        string     `json:"name,omitempty"`
	Description string     `json:"description,omitempty"`
	Parts       []wirePart `json:"parts"`
	Append      bool       `json:"append,omitempty"`
	LastChunk   bool       `json:"lastChunk,omitempty"`
	extras
}

func (p *artifactParams) update() (a2a.ArtifactUpdate, error) {
	u := a2a.ArtifactUpdate{Append: p.Append, LastChunk: p.LastChunk}
	parts, err := decodeParts("parts", p.Parts)
	switch {
	case err != nil:
		return u, err
	case len(parts) == 0 && !(p.Append && p.LastChunk):
		return u, invalid("parts", "needs at least one part")
	case p.Append && p.ArtifactID == "":
		return u, invalid("artifactId", "is needed to append")
	}
	u.Artifact = a2a.Artifact{
		ID: p.ArtifactID, Name: p.Name, Description: p.Description, Parts: parts, Metadata: p.Metadata, Extensions: p.Extensions,
	}
	return u, p.check()
}

type askParams struct {
	Question string          `json:"question"`
	Options  []Option        `json:"options,omitempty"`
	Parts    []wirePart      `json:"parts,omitempty"`
	Timeout  json.RawMessage `json:"timeout,omitempty"` // seconds, or "90s"
	extras
}

func (p *askParams) ask() (q Question, err error) {
	if strings.TrimSpace(p.Question) == "" {
		return q, invalid("question", "is empty")
	}
	seen := make(map[string]bool)
	for i, o := range p.Options {
		field := "options[" + strconv.Itoa(i) + "].id"
		switch {
		case o.ID == "":
			return q, invalid(field, "is empty")
		case seen[o.ID]:
			return q, invalid(field, "%q is there twice", o.ID)
		}
		seen[o.ID] = true
	}
	q = Question{Text: p.Question, Options: p.Options, Metadata: p.Metadata, Extensions: p.Extensions}
	if q.Parts, err = decodeParts("parts", p.Parts); err != nil {
		return q, err
	}
	if q.Timeout, err = parseTimeout("timeout", p.Timeout); err != nil {
		return q, err
	}
	return q, p.check()
}

type askResult struct {
	Answer   string     `json:"answer"`
	OptionID string     `json:"optionId,omitempty"`
	Parts    []wirePart `json:"parts,omitempty"`
	extras
}

func (r *askResult) answer() (Answer, error) {
	parts, err := decodeParts("parts", r.Parts)
	return Answer{Text: r.Answer, OptionID: r.OptionID, Parts: parts, Metadata: r.Metadata, Extensions: r.Extensions}, err
}

type doneParams struct {
	State   string     `json:"state,omitempty"`
	Text    string     `json:"text,omitempty"`
	Parts   []wirePart `json:"parts,omitempty"`
	Message bool       `json:"message,omitempty"`
	extras
}

func (p *doneParams) done() (d Done, err error) {
	d = Done{Text: p.Text, Message: p.Message, Metadata: p.Metadata, Extensions: p.Extensions}
	if d.State, err = parseState("state", p.State); err != nil {
		return d, err
	}
	if d.Parts, err = decodeParts("parts", p.Parts); err != nil {
		return d, err
	}
	switch {
	case d.Message && d.State != "" && d.State != a2a.StateCompleted:
		return d, invalid("message", "a bare message completes the task: it does not go with state %q", p.State)
	case d.Message && d.Text == "" && len(d.Parts) == 0:
		return d, invalid("message", "needs text or parts")
	}
	return d, p.check()
}

type usageParams struct {
	InputTokens  *int64   `json:"inputTokens,omitempty"`
	OutputTokens *int64   `json:"outputTokens,omitempty"`
	CostUSD      *float64 `json:"costUsd,omitempty"`
	Model        string   `json:"model,omitempty"`
}

func (p *usageParams) usage() (Usage, error) {
	u := Usage{InputTokens: p.InputTokens, OutputTokens: p.OutputTokens, CostUSD: p.CostUSD, Model: p.Model}
	switch {
	case u.InputTokens != nil && *u.InputTokens < 0:
		return u, invalid("inputTokens", "is negative")
	case u.OutputTokens != nil && *u.OutputTokens < 0:
		return u, invalid("outputTokens", "is negative")
	case u.CostUSD != nil && *u.CostUSD < 0:
		return u, invalid("costUsd", "is negative")
	}
	return u, nil
}

// maxReportedTool is how long a tool's name in a report may be, in bytes.
const maxReportedTool = 256

// reportParams is a Report as it is sent.
type reportParams struct {
	State   ReportState `json:"state,omitempty"`
	Kind    string      `json:"kind,omitempty"`
	Text    string      `json:"text,omitempty"`
	Message string      `json:"message,omitempty"`
	ID      string      `json:"id,omitempty"`
	Prompt  string      `json:"prompt,omitempty"`
	Tool    string      `json:"tool,omitempty"`
	Final   bool        `json:"final,omitempty"`
}

func (p *reportParams) report() (Report, error) {
	r := Report(*p)
	switch p.State {
	case "", ReportStarting, ReportReady, ReportWorking, ReportAsking, ReportFailed, ReportExited:
	default:
		return r, invalid("state", "%q is not one of starting, ready, working, asking, failed, exited", p.State)
	}
	switch p.Kind {
	case "", "permission", "question", "auth":
	default:
		return r, invalid("kind", "%q is not one of permission, question, auth", p.Kind)
	}
	if p.Kind != "" && p.State != ReportAsking {
		return r, invalid("kind", "goes with state asking")
	}
	if len(p.Tool) > maxReportedTool {
		return r, invalid("tool", "is longer than %d bytes", maxReportedTool)
	}
	if p.State == "" && p.Text == "" && !p.Final {
		return r, invalid("state", "is missing, and there is no text")
	}
	return r, nil
}

type deliverParams struct {
	TaskID           string       `json:"taskId"`
	ContextID        string       `json:"contextId"`
	MessageID        string       `json:"messageId"`
	Text             string       `json:"text"`
	Parts            []wirePart   `json:"parts"`
	Metadata         a2a.Metadata `json:"metadata,omitempty"`
	Extensions       []string     `json:"extensions,omitempty"`
	ReferenceTaskIDs []string     `json:"referenceTaskIds,omitempty"`
	TraceParent      string       `json:"traceparent,omitempty"`
}

type deliverResult struct {
	State string     `json:"state,omitempty"`
	Parts []wirePart `json:"parts,omitempty"`
	extras
}

func (p *deliverResult) delivered() (d Delivered, err error) {
	d = Delivered{Metadata: p.Metadata, Extensions: p.Extensions}
	if d.State, err = parseState("state", p.State); err != nil {
		return d, err
	}
	if d.Parts, err = decodeParts("parts", p.Parts); err != nil {
		return d, err
	}
	return d, p.check()
}

type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Meta      callMeta        `json:"_meta"`
}

type callMeta struct {
	CallID string `json:"callId"`
	TaskID string `json:"taskId"`
	// TraceParent has the key that MCP uses for it.
	TraceParent string `json:"traceparent,omitempty"`
	// extras holds what the message that made the call carries.
	extras
}

type cancelParams struct {
	TaskID string `json:"taskId"`
}

// nothing is the result of a method that returns nothing.
type nothing struct{}

// The names of the methods.
const (
	methodInitialize   = "initialize"
	methodStatus       = "task/status"
	methodArtifact     = "task/artifact"
	methodAsk          = "task/ask"
	methodDone         = "task/done"
	methodUsage        = "task/usage"
	methodReport       = "session/report"
	methodDeliver      = "message/deliver"
	methodCall         = "tools/call" // of the agent's tools, and of the sidecar's
	methodListTools    = "tools/list"
	methodSearchTools  = "tools/search"
	methodLoadTools    = "tools/load"
	methodListed       = "tools/listed"   // from the agent
	methodToolsChanged = "tools/changed"  // to the agent
	methodCancelCall   = "tools/cancel"   // from the agent
	methodProgress     = "tools/progress" // to the agent
	methodAnswer       = "tools/answer"   // from the agent
	methodCancel       = "task/cancel"
)
