package driver

import (
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Call is one tool call for the agent. The task stays the caller's to finish:
// what the agent says over the channel meanwhile is added to it.
type Call struct {
	Task      *task.Task
	ID        string
	Tool      string
	Arguments json.RawMessage
	// TraceParent is the W3C traceparent for the agent's process, "" for none.
	TraceParent string
	// Prompt is what the agent is told in words; "" for the arguments.
	Prompt string
	// Output gets what the agent says while it runs, nil for nobody. The chunk
	// is only valid during the call, which may block.
	Output func(chunk []byte)
}

// CallResult is what became of a Call.
type CallResult struct {
	Output     []byte          // text or JSON, the first 8 MiB
	Structured json.RawMessage // nil when the agent gave none
	IsError    bool
	Exit       *proc.Exit // oneshot only
	Stderr     job.Stderr // oneshot only
}
