package call

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

const idLimit = 128

// open makes the invocation of a request: it pins the snapshot and makes the task, so
// that whatever happens next can be seen.
func (p *Pipeline) open(r Request) *Invocation {
	inv := &Invocation{
		p: p, id: r.ID, request: r, snapshot: p.opts.Surface(), admitted: time.Now(),
		done: make(chan struct{}), waiting: make(chan struct{}),
	}
	if !validID(r.ID) {
		if r.ID != "" {
			inv.refused = "invalid toolCall: /id must be 1 to 128 printable ASCII characters"
		}
		inv.id = a2a.NewID()
	}
	if len(bytes.TrimSpace(r.Arguments)) == 0 {
		inv.request.Arguments = json.RawMessage("{}")
	}
	inv.input.Model = inv.request.Arguments
	inv.input.Final = compactJSON(inv.input.Model)
	inv.input.Observable = observable(inv.input.Final)
	m := r.Message
	if m == nil {
		m = inv.message()
	}
	inv.task = p.opts.Tasks.Create(r.Caller, r.ContextID, m, nil)
	inv.task.SetCall()
	inv.task.SetTraceParent(r.TraceParent)
	return inv
}

// message returns the call as an A2A message, for callers that did not send one.
func (i *Invocation) message() *a2a.Message {
	b := append([]byte(`{"toolCall":{"id":`), quote(i.id)...)
	b = append(append(b, `,"name":`...), quote(i.request.Tool)...)
	b = append(b, `,"arguments":`...)
	if i.input.Final != nil {
		b = append(b, i.input.Final...)
	} else {
		b = append(b, quote(string(i.input.Model))...)
	}
	b = append(b, "}}"...)
	return &a2a.Message{
		ID: a2a.NewID(), ContextID: i.request.ContextID, Role: a2a.RoleUser,
		Parts: []a2a.Part{a2a.DataPart(b)}, Extensions: []string{ExtensionURI},
	}
}

// admit refuses a call that cannot run: the pinned snapshot has no such tool, or no
// more work is taken.
func (p *Pipeline) admit(_ context.Context, inv *Invocation) *result {
	if p.draining.Err() != nil {
		return shuttingDown()
	}
	if inv.refused != "" {
		return ended(InvalidArguments, inv.refused)
	}
	tool, ok := inv.snapshot.Lookup(inv.request.Tool)
	if !ok {
		return unknownTool(inv)
	}
	inv.tool = tool
	return nil
}

func unknownTool(inv *Invocation) *result {
	text := fmt.Sprintf("there is no tool %q", inv.name())
	if near := inv.snapshot.Suggest(inv.request.Tool); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return ended(UnknownTool, text)
}

func shuttingDown() *result {
	return ended(Unavailable, "the sidecar is shutting down and takes no new calls")
}

func validID(id string) bool {
	if id == "" || len(id) > idLimit {
		return false
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}
