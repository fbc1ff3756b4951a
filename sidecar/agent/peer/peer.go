package peer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Process is what a protocol gets of a process that was just started.
type Process struct {
	// Input is its standard input. Closing it ends a Write that waits.
	Input io.WriteCloser
	// Argv is the command by which it was started, with what a Plan added.
	Argv []string
	// Dir is its working directory, an absolute path.
	Dir string
	// Env is its environment, "NAME=value".
	Env []string
	// Options are what the user has chosen for the agent (--agent-option KEY=VALUE), in their order.
	Options []Option
	// Version is the sidecar's, "" if it is not known.
	Version string
	// Explain completes what the agent asks for over ACP by what is known of this agent: call is what ACP
	// says of the tool call, in the shape of its ToolCallUpdate, and the _meta of the request under
	// "requestMeta". nil: nothing is known.
	Explain func(call json.RawMessage, a *Action)
	// Log gets what happens on the connection; text of the agent's in it is cleaned. Never nil.
	Log *slog.Logger
}

// Option is one choice for an agent: a mode, a model, or another option that it offers.
type Option struct{ Key, Value string }

// Peer speaks to one process of an agent.
type Peer interface {
	// Output takes what the process wrote on its standard output. It may wait, and never for the
	// end of a turn.
	Output(chunk []byte)
	// Start makes the connection ready. The error says, for the user, what is in the way: it is no
	// agent of this kind, it asks for a login, an option is not one that it has. ErrForgotten is in it
	// if the process was started to resume a conversation that the agent does not know any more.
	Start(ctx context.Context) error
	// About returns what the agent says of itself; before Start has returned, the zero value.
	About() About
	// Open makes a conversation ready and returns its id. With c.ID it is resumed; if the agent does
	// not know that one any more, or cannot resume, a new one is begun and its id differs. What the
	// agent repeats of a resumed one is dropped.
	Open(ctx context.Context, c Conversation) (id string, err error)
	// Prompt has the agent work on a message in an open conversation and returns how the turn ended. An
	// error says why nobody can know. The end of ctx is the end of the process: Prompt returns soon after.
	// Cancel is how a turn is stopped.
	Prompt(ctx context.Context, conversation string, m Message, on Events) (Ending, error)
	// Cancel asks the agent to stop the conversation's turn; Prompt then returns when the agent
	// has done so. It does not wait for that. Permissions that the agent has asked for are withdrawn by
	// the driver: the protocol answers them as canceled. Without a turn it does nothing.
	Cancel(conversation string)
	// Close releases everything, and fails what waits. The process goes on, or is gone.
	Close()
}

// MaxOpen is how many conversations of one process a driver takes for open: those that it has opened last. It
// opens any other again before it prompts in it.
const MaxOpen = 1_000

// Conversation says what is opened.
type Conversation struct {
	// ID is the agent's own name of it, "" for a new one.
	ID string
	// Tools is an MCP server that the agent is to use in it; nil: none, or it has it already.
	Tools *Server
}

// Server is an MCP server as a program that the agent starts.
type Server struct {
	Name string
	Argv []string
	Env  []string // in addition to the agent's own, "NAME=value"
}

// Message is what the agent gets.
type Message struct {
	// Text is the whole message in words: files stand in it by their paths. A protocol that takes
	// nothing else sends this.
	Text string
	// Parts are the message's parts; Files has the path of each raw part by its index.
	Parts []a2a.Part
	Files map[int]string
}

// Ending says how the agent says that a turn ended.
type Ending struct {
	// OK is set if the turn went well; Reason then is "" or says what is special about it, such as
	// "max_tokens". Otherwise it is the reason of the failure, for people.
	OK     bool
	Reason string
	// Canceled is set if the agent has stopped the turn, whoever wanted it.
	Canceled bool
	Usage    Usage
}

// Usage is what a turn has cost; nil and "" mean that it is not known.
type Usage struct {
	Input, Output *int64   // tokens
	Cost          *float64 // US dollars
	Model         string
}

// AddTokens adds the counts that one of several steps of a turn reports.
func (u *Usage) AddTokens(in, out int64) {
	u.Input, u.Output = plus(u.Input, in), plus(u.Output, out)
}

// AddCost adds the cost of one of several steps, in US dollars.
func (u *Usage) AddCost(usd float64) { u.Cost = plus(u.Cost, usd) }

func plus[T int64 | float64](sum *T, v T) *T {
	if sum != nil {
		v += *sum
	}
	return &v
}

// About is what an agent says of itself. All text is the agent's.
type About struct {
	Name, Version string
	Protocol      string // "acp 1", "stream-json", …
	// Resumes is set if a conversation can be resumed by another process.
	Resumes bool
	// Options are what can be chosen by --agent-option, with their values.
	Options []Choice
}

// Choice is an option that an agent has: its key, what it is now, and what it may be.
type Choice struct {
	Key, Name, Value string
	Values           []string
}

// ErrClosed is the error of a Peer whose process has gone.
var ErrClosed = errors.New("the connection to the agent is closed")

// ErrForgotten says that the agent does not know the conversation any more that its process was started
// to resume. The process is of no use; one that is started without a conversation is.
var ErrForgotten = errors.New("the agent does not know the conversation any more")
