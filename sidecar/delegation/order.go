package delegation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// URI names the extension: on the card, in the extensions of messages, as the key in the metadata of the message that
// gives work to another agent (an Order), and as the key in the metadata of a task (a Note).
const URI = "urn:a2a-sidecar:delegation:v1"

// maxOrder is how long an order may be in bytes. The rules have a limit of their own.
const maxOrder = policy.MaxDenialBytes + 16<<10

// HighestDepth is the largest depth that is read.
const HighestDepth = 100

// Order is what goes down with work that is given to another agent.
type Order struct {
	// Depth is how many agents have given it on, 1 for the first, and MaxDepth how many may.
	Depth    int `json:"depth"`
	MaxDepth int `json:"maxDepth"`
	// Deny are files of rules, as policy.Set.Denials returns them.
	Deny []json.RawMessage `json:"deny,omitempty"`
	// Budget is what is left.
	Budget Budget `json:"budget,omitzero"`
	// Parent is the task of the one who gives the work.
	Parent Parent `json:"parent,omitzero"`
}

// Parent says where work comes from. It is for people and logs: nothing is decided by it.
type Parent struct {
	Task        string `json:"task,omitempty"`
	TraceParent string `json:"traceparent,omitempty"`
}

// orderShape is what an order looks like, for those who send a wrong one.
const orderShape = `want {"depth": 1…, "maxDepth": 1…, "deny"?: [{"rules": […]}, …], "budget"?: {"calls"?, "costUsd"?, "timeMs"?}, "parent"?: {"task"?, "traceparent"?}}`

// Encode returns the order as JSON. The error says that its rules are too long to be sent.
func (o *Order) Encode() (json.RawMessage, error) {
	b, err := text.JSON(o)
	if err != nil {
		return nil, err
	}
	if len(b) > maxOrder || len(o.Deny) > policy.MaxDenials {
		return nil, fmt.Errorf("the rules of the policy that deny something are longer than the %s that can go down with a task", text.FormatSize(policy.MaxDenialBytes))
	}
	return b, nil
}

// ReadOrder returns the order of a message, nil if it has none. An order that cannot be read whole is an
// a2a.ErrInvalidParams: what it wants to be denied is not known.
func ReadOrder(m *a2a.Message) (*Order, error) {
	raw, ok := m.Metadata[URI]
	if !ok {
		return nil, nil
	}
	o := &Order{}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(o)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = fmt.Errorf("there is something after it")
		}
	}
	switch {
	case len(raw) > maxOrder:
		err = fmt.Errorf("it is longer than %s", text.FormatSize(maxOrder))
	case err != nil:
	case o.Depth < 1 || o.Depth > HighestDepth || o.MaxDepth < 0 || o.MaxDepth > HighestDepth:
		err = fmt.Errorf("depth is from 1 to %d, and maxDepth from 0 to %d", HighestDepth, HighestDepth)
	default:
		err = o.Budget.check()
	}
	if err != nil {
		return nil, a2a.ErrInvalidParams.With("%s: %s; %s", URI, text.Line(err.Error(), 300), orderShape).At("message.metadata")
	}
	return o, nil
}

// Note is what the metadata of a task says under URI: what it and its children have used, and its children.
type Note struct {
	// Calls is how many tools were called by the task and its children, CostUSD what the children have cost.
	Calls   int64   `json:"calls"`
	CostUSD float64 `json:"costUsd"`
	// Children are the tasks of other agents, in the order in which they were begun; the oldest that have ended are left out.
	Children []Child `json:"children,omitempty"`
}

// Child is a task that was given to another agent.
type Child struct {
	ID          string        `json:"id"`
	Agent       string        `json:"agent"`
	Description string        `json:"description,omitempty"`
	State       a2a.TaskState `json:"state"`
	// Unheld says that the agent does not know the extension.
	Unheld bool `json:"unheld,omitempty"`
}

// ReadNote returns what a task's metadata says; false if it says nothing that can be read.
func ReadNote(m a2a.Metadata) (n Note, ok bool) {
	raw, ok := m[URI]
	if !ok || json.Unmarshal(raw, &n) != nil {
		return Note{}, false
	}
	return n, true
}

// milliseconds is a duration as JSON has it.
func milliseconds(d time.Duration) int64 { return max(d.Milliseconds(), 1) }
