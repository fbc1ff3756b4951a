package call

import (
	"context"
	"encoding/json"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/call/schedule"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// Request is one call as it came in. Nothing in it has been checked.
type Request struct {
	// ID is the caller's name for the call; "" makes a new one. It reaches the tool's
	// environment: 1 to 128 printable ASCII characters.
	ID   string
	Tool string
	// Arguments are the arguments as they came; empty means {}. They must not be
	// changed any more.
	Arguments json.RawMessage
	// Own is a tool of the sidecar's own that no surface has, which this call is of: Tool is its canonical name. nil: Tool is one of the
	// surface's.
	Own *tool.Tool
	// Undo is what the tool undo takes back; see Own.
	Undo tool.Undo
	// Caller is the authenticated name, "" if anonymous.
	Caller string
	// Agent is set if a process of ours makes the call: the wrapped agent, or the
	// program of a tool.
	Agent bool
	// Within is the task of the turn or the call that the caller works for. The call
	// becomes a part of it. nil: there is none.
	Within *task.Task
	// Timeout is the caller's own limit for the whole call, waiting included; 0: none. The
	// smallest of this, the tool's limit and the setting's ends the call.
	Timeout time.Duration
	// Batch is the batch that the call is one of.
	Batch Batch
	// ContextID is the conversation that the call's task joins.
	ContextID string
	// Message is the A2A message that carried the call; the Arguments are then one line
	// of JSON, as its data is. nil: a message is made from the fields above for the
	// task's history.
	Message *a2a.Message
	// Extensions are those that the client has activated.
	Extensions []string
	// MaxEnvelope is the longest envelope, in bytes, that the caller can be given: a longer
	// result is cut, as one that is longer than its tool's limit. 0: any length.
	MaxEnvelope int
	// Door says which way the call came in, for the log: "a2a", "http", "channel".
	Door string
	// Begin makes the call's task a work of its own, if it is a part of no other. nil: one with the limits of the settings.
	Begin func(*task.Task)
	// TraceParent is the W3C header for the tool's environment, "" for none.
	TraceParent string
}

// Invocation is one call that runs or has ended. Its exported methods may be called
// from many goroutines; Outcome and Envelope only after the call has ended, that is,
// after Done is closed or its task is terminal.
type Invocation struct {
	p        *Pipeline
	id       string
	request  Request
	snapshot *manifest.Snapshot // pinned at admission
	task     *task.Task
	partOf   *delegation.Work // that it is a part of
	admitted time.Time
	done     chan struct{}

	waitOnce sync.Once
	waiting  chan struct{}
	egress   connections // those of the call's tool
	own      *action     // nil: it is a call. Else the agent uses a tool of its own, in the task of its turn

	covered *policy.Decision // of a call that this one is what it is for; see lifted. nil: it asks as any other
	limit   time.Duration    // of the execution, beside the tool's own; 0: none

	parent   *Invocation                // the call that this one is nested in, nil for none
	place    *schedule.Place            // nil: too many calls are nested
	child    atomic.Pointer[proc.Child] // an exec tool's process while it may run
	stopping context.Context            // ends when its bridge has to stop, set by execute; guarded by p.mu

	// The rest belongs to the goroutine that owns the call.
	refused  string           // set at admission: what is wrong with the request itself
	tool     *manifest.Tool   // set by admit
	args     string           // set at admission: the arguments as one line, "" if they are not JSON
	input    input            // set by validate
	rules    policy.Decision  // of the rules, set by permit
	watched  *watchdog.Answer // of the watchdog, set by permit; nil: it was not asked
	approved *approval.Answer // the yes that let it run, set by permit; nil: nobody was asked
	keeps    bool             // a handler that goes on has the call's place
	began    time.Time
	exit     proc.Exit       // of an exec tool's program, set when it has ended
	layers   sandbox.Layer   // of the sandbox of an exec tool's program
	exited   bool            // exit is set
	approval *audit.Approval // the last approval that was waited for; nil: none
	recorded *audit.Record   // of the audit, made before the execution; nil: none was made
	after    []func()        // run when the call has ended
	executed []func()        // run when nothing of it runs any more, before it is settled

	// What is kept from others, and what is too much; see secrets and side.
	shown   string                  // the arguments as updates show them, set by admit
	card    card                    // what every update says of the call; set by admit and validate
	secrets *output.Redactor        // what is taken out of all that the tool says; set by admit
	stop    context.CancelCauseFunc // stops the execution; set by execute

	outcome  Outcome
	envelope []byte
}

// Task returns the call's task. There is one from the start.
func (i *Invocation) Task() *task.Task { return i.task }

// ID returns the call's id: the caller's, or the one that was made for it.
func (i *Invocation) ID() string { return i.id }

// Done returns a channel that is closed when the call has ended and its task is
// terminal.
func (i *Invocation) Done() <-chan struct{} { return i.done }

// Waiting returns a channel that is closed when the call first waits for somebody's
// answer: an approval (auth-required) or a question of the tool (input-required). It
// stays closed.
func (i *Invocation) Waiting() <-chan struct{} { return i.waiting }

// OnEnd has f called once when nothing of the call runs any more, before its task is settled. It
// must be called before Start, and f must return soon.
func (i *Invocation) OnEnd(f func()) { i.executed = append(i.executed, f) }

// Outcome returns how the call ended. The caller must wait for the end first.
func (i *Invocation) Outcome() Outcome { return i.outcome }

// Envelope returns the result, one line of JSON. The caller must wait for the end
// first and must not change it.
func (i *Invocation) Envelope() []byte { return i.envelope }

// Reply returns the answer to POST /a2a/tools/{name}: how the call ended or, while it
// waits for somebody's answer, 202 and where to look.
func (i *Invocation) Reply() *a2a.ToolReply {
	r := &a2a.ToolReply{TaskID: i.task.ID()}
	if state := i.task.State(); !state.Terminal() {
		r.Status = http.StatusAccepted
		r.Envelope = i.encodeWaiting(state)
		return r
	}
	r.Status, r.RetryAfter, r.Envelope = i.outcome.HTTPStatus(), i.outcome.RetryAfter(), i.envelope
	return r
}

// waits tells whoever waits for the call that an answer is needed.
func (i *Invocation) waits() { i.waitOnce.Do(func() { close(i.waiting) }) }

// over tells those who wait for the end of what the call runs.
func (i *Invocation) over() {
	for _, f := range i.executed {
		f()
	}
}

// clean does what nobody waits for. Whoever waits for the answer goes first.
func (i *Invocation) clean() {
	runtime.Gosched()
	for _, f := range i.after {
		f()
	}
}

// nameLimit bounds names with arbitrary content in logs and texts, in bytes.
const nameLimit = 128

// name returns the tool's name in a form that may be shown.
func (i *Invocation) name() string { return cutText(i.request.Tool, nameLimit) }

// duration returns how long the execution took, or the whole call if it was never
// executed.
func (i *Invocation) duration(now time.Time) time.Duration {
	if i.began.IsZero() {
		return now.Sub(i.admitted)
	}
	return now.Sub(i.began)
}
