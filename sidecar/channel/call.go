package channel

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Call is tools/call as an agent sends it: it calls one of the sidecar's tools. What is not
// given is the zero value.
type Call struct {
	Name      string
	Arguments json.RawMessage // an object; nil means {}
	// ID is the agent's own name for the call.
	ID string
	// Timeout limits the whole call, waiting included.
	Timeout time.Duration
	// Batch names the calls that were made together; OnFailure, "continue" or "cancel", says
	// what becomes of this one when another of them fails.
	Batch, OnFailure string
	TraceParent      string // W3C traceparent
	// Progress is called with each status update of the call's task until the call has
	// ended, as A2A 1.0 writes it ({"statusUpdate":…}). It must not block. Updates are left
	// out for a peer that reads too slowly. nil: they are not sent.
	Progress func(event json.RawMessage)
	// Artifacts asks for the artifacts that the call makes, besides its envelope.
	Artifacts bool
	// Files allows files in the program's outbox for what exceeds a frame: the arguments, and the
	// result. Without an outbox it changes nothing.
	Files bool
	// Answers is called once, before the call runs. At the agent's end it gets what answers the
	// call's questions; at the sidecar's, the Caller gives it that. nil: nobody answers.
	Answers func(answer Answering)
	// MaxEnvelope is the longest envelope that the agent can be given, in bytes. The sidecar's end
	// sets it.
	MaxEnvelope int
}

// Called is the answer to a Call: how it ended.
type Called struct {
	// TaskID is the task of the call.
	TaskID string
	// Envelope is the call's result, an object, as POST /a2a/tools/{name} answers with it.
	// On the wire, its member "_meta" names the task.
	Envelope json.RawMessage
	// Artifacts are those of the call's task, if they were asked for, and Omitted is how many
	// more it has, which do not fit.
	Artifacts []a2a.Artifact
	Omitted   int
}

// Caller executes the calls of agents for the owners of their tokens. It returns when the call
// has ended. Closing canceled asks for the call to be stopped; the answer is then how it
// ended. When ctx ends, nobody waits any more: the call is to be stopped, and CallTool returns
// at once. An envelope that is longer than c.MaxEnvelope may not fit; the agent then
// gets ErrFrame. CallTool may be called from many goroutines. An error that is no *Error becomes
// an internal error.
type Caller interface {
	CallTool(ctx context.Context, o Owner, c Call, canceled <-chan struct{}) (Called, error)
}

// agentCallParams are the parameters of tools/call from an agent.
type agentCallParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Timeout   json.RawMessage `json:"timeout,omitempty"` // seconds, or "90s"
	Batch     *batchParams    `json:"batch,omitempty"`
	Progress  bool            `json:"progress,omitempty"`
	Artifacts bool            `json:"artifacts,omitempty"`
	// File names the file of the outbox that has the arguments.
	File  string        `json:"argumentsFile,omitempty"`
	Files bool          `json:"files,omitempty"`
	Meta  agentCallMeta `json:"_meta"`
}

type batchParams struct {
	ID        string `json:"id"`
	OnFailure string `json:"onFailure,omitempty"`
}

type agentCallMeta struct {
	CallID      string `json:"callId,omitempty"`
	TraceParent string `json:"traceparent,omitempty"`
}

func (p *agentCallParams) call() (c Call, err error) {
	if p.Name == "" {
		return c, invalid("name", "is empty")
	}
	if p.File != "" && p.Arguments != nil {
		return c, invalid("argumentsFile", "does not go with arguments")
	}
	c = Call{Name: p.Name, Arguments: p.Arguments, ID: p.Meta.CallID, TraceParent: p.Meta.TraceParent, Artifacts: p.Artifacts}
	if p.Batch != nil {
		c.Batch, c.OnFailure = p.Batch.ID, p.Batch.OnFailure
	}
	c.Timeout, err = parseTimeout("timeout", p.Timeout)
	return c, err
}

// calledMeta is what the result of tools/call says besides the envelope.
type calledMeta struct {
	TaskID    string           `json:"taskId"`
	Artifacts []artifactParams `json:"artifacts,omitempty"`
	Omitted   int              `json:"artifactsOmitted,omitempty"`
	// File names the file of the outbox that has the whole result.
	File string `json:"file,omitempty"`
}

// resultRoom is what a frame needs besides the envelope and the artifacts, in bytes, with the
// longest id of a request.
const resultRoom = 2 << 10

// result returns the envelope with the task's id, and the artifacts that fit into room bytes.
func (c Called) result(room int) (json.RawMessage, error) {
	m := calledMeta{TaskID: c.TaskID, Omitted: c.Omitted}
	room -= len(c.Envelope) + resultRoom
	for i := range c.Artifacts {
		a := artifactParamsOf(a2a.ArtifactUpdate{Artifact: c.Artifacts[i]})
		raw, err := text.JSON(a)
		if err != nil {
			return nil, err
		}
		if len(raw)+1 > room {
			m.Omitted++
			continue
		}
		room -= len(raw) + 1
		m.Artifacts = append(m.Artifacts, a)
	}
	meta, err := text.JSON(m)
	if err != nil || len(c.Envelope) < 2 {
		return c.Envelope, err
	}
	end := len(c.Envelope) - 1
	return append(append(append(append(make([]byte, 0, end+len(meta)+16), c.Envelope[:end]...), `,"_meta":`...), meta...), '}'), nil
}

// progressParams are those of tools/progress: the id of the request, and an event.
type progressParams struct {
	ID    json.RawMessage `json:"id"`
	Event json.RawMessage `json:"event"`
}

// cancelCallParams are those of tools/cancel: the id of the request.
type cancelCallParams struct {
	ID json.RawMessage `json:"id"`
}

// agentCalls are the calls of one connection that have not been answered, by the ids of their
// requests.
type agentCalls struct {
	mu   sync.Mutex
	open map[string]*agentCall
}

// agentCall is a call that has not been answered.
type agentCall struct {
	canceled chan struct{} // closing it asks for the call's end
	answer   Answering     // answers what it asks; nil before it runs
}

// begin notes a call. The error says why there is none.
func (a *agentCalls) begin(id json.RawMessage) (call *agentCall, err *Error) {
	if len(id) > maxCallID {
		return nil, ErrInvalidRequest.With("invalid request: the id of a call has at most %d bytes", maxCallID)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open[string(id)] != nil {
		return nil, ErrInvalidRequest.With("invalid request: a call with the id %s has not ended", id)
	}
	if len(a.open) >= MaxToolCalls {
		return nil, ErrBusy.With("too many calls: %d of this connection have not ended", MaxToolCalls)
	}
	if a.open == nil {
		a.open = make(map[string]*agentCall)
	}
	call = &agentCall{canceled: make(chan struct{})}
	a.open[string(id)] = call
	return call, nil
}

// answers says how the questions of a call are answered.
func (a *agentCalls) answers(call *agentCall, answer Answering) {
	a.mu.Lock()
	defer a.mu.Unlock()
	call.answer = answer
}

// find reports whether a call is under way, and returns what answers its questions.
func (a *agentCalls) find(id json.RawMessage) (found bool, answer Answering) {
	a.mu.Lock()
	defer a.mu.Unlock()
	call := a.open[string(id)]
	if call == nil {
		return false, nil
	}
	return true, call.answer
}

// end forgets a call. A call that was canceled is forgotten too.
func (a *agentCalls) end(id json.RawMessage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, string(id))
}

// cancel asks for the end of a call. It reports whether there is such a call.
func (a *agentCalls) cancel(id json.RawMessage) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.open[string(id)]
	if c == nil {
		return false
	}
	select {
	case <-c.canceled:
	default:
		close(c.canceled)
	}
	return true
}

// startCall starts a call, which runs while later frames are handled. A notification cannot be
// answered, so it calls nothing.
func (c *Conn) startCall(m *message) {
	call, file, err := c.readCall(m)
	if err != nil || m.notification() {
		c.link.reply(m, nil, err)
		return
	}
	open, refused := c.calls.begin(m.id)
	if refused != nil {
		c.link.reply(m, nil, refused)
		return
	}
	m = &message{id: m.id} // its parameters have been read
	c.beside.Go(func() {
		result, err := c.execute(call, file, open)
		c.calls.end(m.id)
		if c.ctx.Err() != nil {
			return // the connection has ended: that says what became of the call, and an answer would not
		}
		c.link.reply(m, result, err)
	})
}

// execute executes a call, whose arguments are in a file unless that is "", and returns its result
// as it is sent.
func (c *Conn) execute(call Call, file string, open *agentCall) (json.RawMessage, error) {
	if file != "" {
		arguments, release, err := c.readArguments(file)
		if err != nil {
			return nil, err
		}
		defer release()
		call.Arguments = arguments
	}
	call.Answers = func(answer Answering) { c.calls.answers(open, answer) }
	called, err := c.s.opts.Caller.CallTool(c.ctx, c.grant.owner, call, open.canceled)
	if err != nil || c.ctx.Err() != nil {
		return nil, err
	}
	return c.result(c.ctx, called, call.Files)
}

// readCall reads a call. file is the file that has its arguments, "" for none.
func (c *Conn) readCall(m *message) (call Call, file string, err error) {
	if c.s.opts.Caller == nil {
		return call, "", ErrMethod.With("method not found: %q: this sidecar calls no tools for its agent", m.method)
	}
	var p agentCallParams
	if err := decode(m.params, &p); err != nil {
		return call, "", err
	}
	call, err = p.call()
	if call.MaxEnvelope = MaxEnvelope; p.Files && c.maxFile() > MaxFrame {
		call.Files, call.MaxEnvelope = true, int(c.maxFile())-(MaxFrame-MaxEnvelope)
	}
	if p.Progress {
		id := m.id
		call.Progress = func(event json.RawMessage) { c.link.hint(methodProgress, progressParams{id, event}) }
	}
	return call, p.File, err
}

// cancelCall asks for the end of a call of this connection.
func (c *Conn) cancelCall(m *message) error {
	var p cancelCallParams
	if err := decode(m.params, &p); err != nil {
		return err
	}
	if !c.calls.cancel(p.ID) {
		return ErrInvalidParams.With("id: no call with this id is under way")
	}
	return nil
}
