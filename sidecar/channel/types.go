package channel

import (
	"context"
	"encoding/json"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Owner is what a granted token reaches: one task, or the current turn of one
// session. Calls from one connection come one at a time and in order, Ask
// beside them; several connections may call at once. Returning an *Error sends
// exactly that; any other error is sent as an internal error with its text.
// No method but Ask may block for long: the connection's reader waits for it.
type Owner interface {
	// Status reports progress. The task's state stays working.
	Status(s Status) error
	// Artifact adds to the task's artifacts. An empty ID means a new artifact.
	Artifact(ctx context.Context, u a2a.ArtifactUpdate) error
	// Ask blocks until the question is answered. The context ends when the
	// connection does: the question is then withdrawn.
	Ask(ctx context.Context, q Question) (Answer, error)
	// Done ends the turn.
	Done(d Done) error
	// Usage reports what the turn has cost so far.
	Usage(u Usage) error
}

// SessionOwner is an Owner whose agent may offer to take messages or tool
// calls. One connection at a time may offer.
type SessionOwner interface {
	Owner
	// Offered is called once the connection has been answered that its offer
	// stands.
	Offered(c *Conn)
	// Lost is called when that connection has ended; every Deliver and
	// CallTool on it has failed, or fails, with ErrLost.
	Lost(c *Conn)
	// Report is session/report: what a hook saw of the agent. It may come at any
	// time, between turns too.
	Report(r Report) error
}

// Status is task/status: what the agent is doing. Progress is a finite number
// from 0 up, nil when not given. Metadata and Extensions are the event's and its
// message's.
type Status struct {
	Text       string
	Parts      []a2a.Part // behind the text
	Progress   *float64
	Metadata   a2a.Metadata
	Extensions []string
}

// Report is session/report: what the agent is doing, as one of its own hooks
// tells. It says nothing for the agent: it neither ends a turn nor asks anybody.
type Report struct {
	// State is what the agent is now, "" when the hook does not tell.
	State ReportState
	// Kind is what it asks for: permission, question or auth; "" when it asks
	// nothing.
	Kind string
	// Text is the exact text of the answer so far, or, with Final, all of it; ""
	// when the hook does not tell.
	Text string
	// Message is for people: what is asked, or what went wrong.
	Message string
	// ID is the agent's own name for what this is about: a turn, a thread of its
	// own, an answer. Reports of one kind with the same ID belong together.
	ID string
	// Prompt is the message that the turn was given, where the hook knows it.
	// Agents have threads of their own beside the one that was typed to.
	Prompt string
	// Final: the turn has ended.
	Final bool
}

// ReportState is what an agent is doing.
type ReportState string

// The states that a hook may report.
const (
	ReportStarting ReportState = "starting" // it cannot be spoken to yet
	ReportReady    ReportState = "ready"    // it waits for a message
	ReportWorking  ReportState = "working"  // a turn is under way
	ReportAsking   ReportState = "asking"   // a turn waits for somebody: see Kind
	ReportFailed   ReportState = "failed"   // a turn ended with an error: see Message
	ReportExited   ReportState = "exited"   // it takes its leave
)

// Question is task/ask. Without Options the answer is free text. Timeout 0
// means the sidecar's own limit. Parts are shown behind the text; they, Metadata
// and Extensions are the asking message's.
type Question struct {
	Text       string
	Parts      []a2a.Part
	Options    []Option
	Timeout    time.Duration
	Metadata   a2a.Metadata
	Extensions []string
}

// Option is one allowed answer.
type Option struct {
	ID    string `json:"id"`
	Label string `json:"label,omitempty"`
}

// Answer is what somebody answered. OptionID is set when the question had
// options. Parts are the answering message's when they say more than Text does,
// and are not too long for a frame; Metadata and Extensions are that message's.
type Answer struct {
	Text       string
	OptionID   string
	Parts      []a2a.Part
	Metadata   a2a.Metadata
	Extensions []string
}

// Done is task/done. State is "" when not given (completed), else a terminal
// state, input-required or auth-required. Parts are the answer when that is
// completed; in any other state they explain it. Message asks for the answer to
// be a bare message. Metadata and Extensions are those of the answer, whichever
// form it takes, and of the last status.
type Done struct {
	State      a2a.TaskState
	Text       string
	Parts      []a2a.Part
	Message    bool
	Metadata   a2a.Metadata
	Extensions []string
}

// Usage is task/usage; what is nil or "" was not reported.
type Usage struct {
	InputTokens  *int64
	OutputTokens *int64
	CostUSD      *float64
	Model        string
}

// Delivery is message/deliver: one message for the agent. Metadata is the
// message's and the request's, Extensions are what the message names and what
// the client activated.
type Delivery struct {
	TaskID           string
	ContextID        string
	MessageID        string
	Text             string
	Parts            []a2a.Part
	Metadata         a2a.Metadata
	Extensions       []string
	ReferenceTaskIDs []string
	TraceParent      string // W3C traceparent, "" for none
}

// Delivered is the agent's answer to a Delivery. It ends the turn. State is ""
// when not given: completed. Parts are then the answer; in any other state they
// explain it. Metadata and Extensions are as in Done.
type Delivered struct {
	State      a2a.TaskState
	Parts      []a2a.Part
	Metadata   a2a.Metadata
	Extensions []string
}

// ToolCall is tools/call.
type ToolCall struct {
	Name      string
	Arguments json.RawMessage
	CallID    string
	TaskID    string
	// Metadata and Extensions are those of the message that made the call.
	Metadata   a2a.Metadata
	Extensions []string
	// TraceParent is the W3C traceparent, "" for none.
	TraceParent string
}

// ToolResult is the agent's answer to a ToolCall, an MCP CallToolResult. Text,
// image, audio and resource content become parts; content of an unknown type
// is a data part of its JSON.
type ToolResult struct {
	Content           []a2a.Part
	StructuredContent json.RawMessage // nil when absent
	IsError           bool
}

// Capabilities are what a client offers: a handler that is set is an offer.
// Handlers run in goroutines of the client, several at a time; their context
// ends with ErrCanceled when the sidecar cancels the task and with ErrLost
// when the connection ends.
type Capabilities struct {
	Name      string // shown in logs, may be empty
	OnDeliver func(ctx context.Context, d Delivery) (Delivered, error)
	OnCall    func(ctx context.Context, c ToolCall) (ToolResult, error)
}
