package channel

import (
	"context"
	"encoding/json"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Owner is what a granted token gives access to: one task, or the current turn of
// one session. Calls from one connection come one at a time and in order, except
// that Ask runs beside them; several connections may call at once. If a method
// returns an *Error, exactly that is sent; any other error is sent as an internal
// error with its text. No method except Ask may block for long, because the
// connection's reader waits for it.
type Owner interface {
	// Status reports progress. The task's state stays working.
	Status(s Status) error
	// Artifact adds to the task's artifacts. An empty ID means a new artifact.
	Artifact(ctx context.Context, u a2a.ArtifactUpdate) error
	// Ask blocks until the question is answered. The context ends when the
	// connection ends; the question is then withdrawn.
	Ask(ctx context.Context, q Question) (Answer, error)
	// Done ends the turn.
	Done(d Done) error
	// Usage reports what the turn has cost so far.
	Usage(u Usage) error
}

// SessionOwner is an Owner whose agent may offer to take messages or tool calls.
// Only one connection at a time may offer.
type SessionOwner interface {
	Owner
	// Offered is called after the connection has been told that its offer is
	// accepted.
	Offered(c *Conn)
	// Lost is called when that connection has ended. Every Deliver and CallTool on
	// it has failed, or will fail, with ErrLost.
	Lost(c *Conn)
	// Listed handles tools/listed: what connects the agent to our tools has given it their list. It may be called again, for
	// each new list.
	Listed()
	// Report handles session/report: what a hook saw of the agent. It may be called
	// at any time, also between turns.
	Report(r Report) error
}

// Reporter is an Owner that hears what hooks saw of the agent. A SessionOwner is one.
type Reporter interface {
	// Report is as for a SessionOwner.
	Report(r Report) error
}

// ErrNoReports means that the owner of a token hears no reports. It is an ErrNotOffered.
var ErrNoReports = ErrNotOffered.With("only a session's token may report for its agent")

// Status is task/status: what the agent is doing. Progress is a finite number from 0
// up, or nil if it was not given. Metadata and Extensions are those of the event and
// of its message.
type Status struct {
	Text       string
	Parts      []a2a.Part // shown after the text
	Progress   *float64
	Metadata   a2a.Metadata
	Extensions []string
}

// Report is session/report: what the agent is doing, as one of its own hooks reports
// it. It does not act for the agent: it neither ends a turn nor asks anybody.
type Report struct {
	// State is what the agent is doing now, or "" if the hook does not tell.
	State ReportState
	// Kind is what the agent asks for: permission, question or auth; "" if it asks
	// for nothing.
	Kind string
	// Text is the exact text of the answer so far or, if Final is set, all of it; ""
	// if the hook does not tell.
	Text string
	// Message is a text for people: what is asked, or what went wrong.
	Message string
	// ID is the agent's own name for what the report is about: a turn, a thread of
	// its own, an answer. Reports of one kind with the same ID belong together.
	ID string
	// Prompt is the message that began the turn, if the hook knows it. An agent may
	// have threads of its own besides the one that was typed to.
	Prompt string
	// Tool is the agent's own name of a tool that it is about to use, "" for none.
	Tool string
	// Final means that the turn has ended.
	Final bool
}

// ReportState is what an agent is doing.
type ReportState string

// The states that a hook may report.
const (
	ReportStarting ReportState = "starting" // the agent cannot take messages yet
	ReportReady    ReportState = "ready"    // the agent waits for a message
	ReportWorking  ReportState = "working"  // a turn is under way
	ReportAsking   ReportState = "asking"   // a turn waits for an answer: see Kind
	ReportFailed   ReportState = "failed"   // a turn ended with an error: see Message
	ReportExited   ReportState = "exited"   // the agent is exiting
)

// Question is task/ask. Without Options the answer is free text. Timeout 0 means the
// sidecar's own limit. Parts are shown after the text. Parts, Metadata and
// Extensions are those of the message that asks.
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

// Answer is what somebody answered. OptionID is set if the question had options.
// Parts are those of the answering message, if they say more than Text does and are
// not too long for a frame. Metadata and Extensions are that message's.
type Answer struct {
	Text       string
	OptionID   string
	Parts      []a2a.Part
	Metadata   a2a.Metadata
	Extensions []string
}

// Done is task/done. State is a terminal state, input-required or auth-required; ""
// means that it was not given, which is completed. If the state is completed, Parts
// are the answer; in any other state they explain it. Message asks for the answer to
// be a bare message. Metadata and Extensions are those of the answer, whichever form
// it takes, and of the last status.
type Done struct {
	State      a2a.TaskState
	Text       string
	Parts      []a2a.Part
	Message    bool
	Metadata   a2a.Metadata
	Extensions []string
}

// Usage is task/usage. A field that is nil or "" was not reported.
type Usage struct {
	InputTokens  *int64
	OutputTokens *int64
	CostUSD      *float64
	Model        string
}

// Delivery is message/deliver: one message for the agent. Metadata is that of the
// message and of the request. Extensions are those that the message names and those
// that the client activated.
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

// Delivered is the agent's answer to a Delivery. It ends the turn. If State is "",
// it was not given, which means completed. If the state is completed, Parts are the
// answer; in any other state they explain it. Metadata and Extensions are as in
// Done.
type Delivered struct {
	State      a2a.TaskState
	Parts      []a2a.Part
	Metadata   a2a.Metadata
	Extensions []string
}

// ToolCall is tools/call: one call of a tool.
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

// ToolResult is the agent's answer to a ToolCall: an MCP CallToolResult. Text,
// image, audio and resource content become parts. Content of an unknown type becomes
// a data part with its JSON.
type ToolResult struct {
	Content           []a2a.Part
	StructuredContent json.RawMessage // nil if absent
	IsError           bool
}

// Capabilities are what a client offers: a handler that is set is an offer. Handlers
// run in goroutines of the client, several at a time. Their context ends with
// ErrCanceled if the sidecar cancels the task, and with ErrLost if the connection
// ends.
type Capabilities struct {
	Name      string // the name shown in logs; may be empty
	OnDeliver func(ctx context.Context, d Delivery) (Delivered, error)
	OnCall    func(ctx context.Context, c ToolCall) (ToolResult, error)
}
