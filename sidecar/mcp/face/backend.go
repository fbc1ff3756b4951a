package face

import (
	"context"
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Backend has the tools of one caller. Its methods may be called from many goroutines.
type Backend interface {
	// Tools returns the tools that are always listed, in the order in which they are shown.
	Tools(ctx context.Context) (*List, error)
	// Changed returns a channel that is closed when the list may next have changed. Take it
	// before the list that it concerns.
	Changed() <-chan struct{}
	// Search returns at most limit discoverable tools, the best first.
	Search(ctx context.Context, query string, limit int) ([]tool.Found, error)
	// Load returns the tools with these names, in this order, without those that do not exist.
	Load(ctx context.Context, names []string) ([]Tool, error)
	// Call returns when the call has ended, or soon after ctx has ended, which stops the call.
	// The error is for a call that has no envelope.
	Call(ctx context.Context, c *Call) (*Result, error)
}

// List is what a caller sees without looking for it.
type List struct {
	Tools []Tool
	// Discoverable is how many more there are, which are found by Search.
	Discoverable int
	// Searches says that the Backend has the tool that finds them (tool.SearchID), as far as the caller may
	// call it: the face offers none of its own.
	Searches bool
}

// Tool is the definition of a tool.
type Tool struct {
	Name        string
	Description string
	// Input and Output are JSON Schemas of type object; Output is nil if none is declared.
	Input, Output json.RawMessage
	// Always says that the definition is to be shown to a model from the start on.
	Always bool
	// ReadOnly says that a call changes nothing.
	ReadOnly bool
}

// Call is one call of a tool.
type Call struct {
	Name string
	// Arguments are as they came, nil for none.
	Arguments   json.RawMessage
	TraceParent string // W3C traceparent, "" for none
	// Heed is told what the call does now, by one goroutine, until Backend.Call returns. It
	// does not block. nil: nobody listens.
	Heed func(State)
}

// State is what a call does at a moment.
type State struct {
	// Approval is the id of the approval that the call waits for, "" for none.
	Approval string
	// Asks reports whether the call waits for the answer to a question.
	Asks bool
	// Asked is the id of the message that asks the question.
	Asked string
	// Text is what the tool reports of itself, or what it asks; "" for nothing. It comes from
	// outside and has not been cleaned.
	Text string
	// Options are the answers that the tool offers, none for a text.
	Options []Option
	// Fields are the questions of the tool question, if it asks several at once or for several options; one
	// answer, {"answers":[["…"],…]}, is for all of them. Refusal declines them.
	Fields  []Field
	Refusal string
	// Question is what the client's person may be asked, nil for nothing.
	Question *Question
}

// Question is what the person at the client is asked.
type Question struct {
	// ID tells the question from every other one of the call.
	ID   string
	Text string
	// Options are the answers to choose from. None: the answer is a text.
	Options []Option
	// Fields are several questions that have one answer, {"answers":[["…"],…]}; Options are empty then.
	Fields []Field
	// Refusal is the option of a person who declines, "" for none: the question then stays
	// open.
	Refusal string
	// Answer gives the answer: the id of an option, or a text. The error says why it does not
	// count.
	Answer func(ctx context.Context, answer string) error
}

// Field is one of several questions.
type Field struct {
	Title, Text string
	// Options are the answers to choose from. None: the answer is a text.
	Options []Option
	// Many says that any number of the options may be chosen: they are written in one line, with commas.
	Many bool
}

// Option is one answer.
type Option struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// Result is how a call ended.
type Result struct {
	// TaskID is the call's task.
	TaskID string
	// Envelope is the result, an object, as POST /a2a/tools/{name} answers with it.
	Envelope json.RawMessage
	// Artifacts are those of the task, without the envelope's own.
	Artifacts []a2a.Artifact
	// Omitted is how many more artifacts the task has that could not be brought here.
	Omitted int
}
