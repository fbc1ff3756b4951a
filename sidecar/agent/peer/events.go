package peer

import (
	"context"
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Events takes what an agent says in a turn. The methods may be called from many goroutines; what one
// goroutine says is told in its order. After the turn was stopped they do nothing.
type Events interface {
	// Say takes words of the answer. Paragraph makes the next ones begin a new paragraph.
	Say(words string)
	Paragraph()
	// Part takes a part of the answer that is no text: an image, a file, a link.
	Part(p a2a.Part)
	// Think takes words that the model thinks.
	Think(words string)
	// Plan takes the whole plan of the agent, again whenever it changes.
	Plan(entries []PlanEntry)
	// Tool takes what is known of a tool that the agent uses. Calls with the same ID are one tool's: what is
	// set replaces what was known, what is not set stays. The first may be of any Status.
	Tool(t Tool)
	// Usage takes what the turn has cost so far, or the session's cost as it is known now.
	Usage(u Usage)
	// Note keeps a fact for the task's metadata: a string, a number, a boolean or a struct of these.
	Note(key string, value any)

	// Permit has somebody decide whether the agent may do what it asks for: the rules, or a
	// person. It waits for as long as that takes. The error is ErrWithdrawn if the turn was
	// stopped; the answer to the agent then is "cancelled".
	Permit(ctx context.Context, a Action) (Answer, error)
	// Ask puts a question of the agent's model to the client. The error is ErrWithdrawn, or says why nobody answers.
	Ask(ctx context.Context, q Question) (Reply, error)
	// Host is what the agent may use of this machine through us.
	Host() Host
}

// PlanEntry is one entry of a plan.
type PlanEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority,omitempty"` // high, medium, low
	Status   string `json:"status,omitempty"`   // pending, in_progress, completed
}

// Status is where a tool is in its life.
type Status string

// The states of a tool.
const (
	Pending   Status = "pending"
	Running   Status = "in_progress"
	Completed Status = "completed"
	Failed    Status = "failed"
)

// Tool is a tool that the agent uses by itself, as far as an update says.
type Tool struct {
	ID     string
	Name   string // the agent's own name for it, such as "Bash"
	Title  string // what it does, in words
	Kind   Kind
	Status Status
	Input  json.RawMessage // its arguments
	// Output is what the tool said, all of it so far; nil means nothing new.
	Output []byte
	// Places are the files that it is about.
	Places []Place
	// Diffs are the changes that it makes, all of them so far; nil means nothing new.
	Diffs []Diff
	// Terminal is the id of the program (see Host) whose output is the tool's; "" for none.
	Terminal string
}

// Place is a file, and a line in it if Line is not 0.
type Place struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

// Diff is a change of one file. Old is nil for a new file.
type Diff struct {
	Path string  `json:"path"`
	Old  *string `json:"old_text,omitempty"`
	New  string  `json:"new_text"`
}

// Question is what the agent's model wants to know.
type Question struct {
	Text    string
	Options []QuestionOption // none: a free text
	Several bool             // more than one option may be chosen
}

// QuestionOption is one answer that is offered.
type QuestionOption struct{ ID, Label, Description string }

// Reply is the client's answer: the ids of options, or a text.
type Reply struct {
	Options []string
	Text    string
}
