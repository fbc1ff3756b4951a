package driver

import (
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Call is one tool call for the agent. Its caller finishes the task; what the agent
// says over the channel meanwhile is added to the task.
type Call struct {
	Task      *task.Task
	ID        string
	Tool      string
	Arguments json.RawMessage
	// Within is the ID of the task that the agent works on and that this call is a part
	// of, "" for none: the agent waits for the call.
	Within string
	// TraceParent is the W3C traceparent for the agent's process, "" for none.
	TraceParent string
	// Prompt is the call in words; "" means that the agent gets the arguments.
	Prompt string
	// Output gets what the agent says while it runs; nil means that nobody does.
	// The chunk is only valid during the call to Output, which may block.
	Output func(chunk []byte)
	// Work says how what the agent says over the channel gets into the task. Its Task is
	// not looked at. What the sidecar itself publishes for a turn is reserved in any case.
	Work job.Work
}

// CallResult is the result of a Call.
type CallResult struct {
	Output     []byte          // text or JSON, the first 8 MiB
	Structured json.RawMessage // nil if the agent gave none
	IsError    bool
	Exit       *proc.Exit // oneshot only
	Stderr     job.Stderr // oneshot only
}
