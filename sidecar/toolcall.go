package sidecar

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
)

// toolCallURI is the extension that turns a data part into a tool call.
const toolCallURI = "urn:a2a-sidecar:tool-call:v1"

// toolCallRequest is the one part of a message that calls a tool.
type toolCallRequest struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Timeout   string          `json:"timeout"`
	Batch     struct {
		ID        string `json:"id"`
		OnFailure string `json:"onFailure"`
	} `json:"batch"`
}

// toolCall reports whether the message calls a tool: the extension is active
// and the only part is data with a member toolCall. Without the extension it
// is a plain data part, for the agent.
func toolCall(r *a2a.SendRequest) (toolCallRequest, bool, error) {
	var c toolCallRequest
	active := slices.Contains(r.Extensions, toolCallURI) || slices.Contains(r.Message.Extensions, toolCallURI)
	if !active || len(r.Message.Parts) != 1 || r.Message.Parts[0].Kind != a2a.PartData {
		return c, false, nil
	}
	var door struct {
		ToolCall json.RawMessage `json:"toolCall"`
	}
	if err := json.Unmarshal(r.Message.Parts[0].Data, &door); err != nil || door.ToolCall == nil {
		return c, false, nil
	}
	if err := json.Unmarshal(door.ToolCall, &c); err != nil {
		return c, false, a2a.ErrInvalidParams.With(`message.parts[0].data.toolCall: want {"id"?: string, "name": string, "arguments": object}: %v`, err)
	}
	if c.Name == "" {
		return c, false, a2a.ErrInvalidParams.With("message.parts[0].data.toolCall.name: a tool's name is required")
	}
	return c, true, nil
}

// call makes a task from a message that calls a tool.
func (h *handler) call(ctx context.Context, r *a2a.SendRequest, c toolCallRequest, token string) (*accepted, error) {
	m := r.Message
	timeout, batch, err := callTerms(c.Timeout, c.Batch.ID, c.Batch.OnFailure)
	if err != nil {
		return nil, err
	}
	begin, err := h.works.Accept(&m)
	if err != nil {
		return nil, err
	}
	inv, err := h.admit(ctx, call.Request{
		Timeout: timeout, Batch: batch, Begin: begin,
		ID: c.ID, Tool: c.Name, Arguments: c.Arguments,
		Caller: r.Caller, ContextID: m.ContextID, Message: &m, Extensions: r.Extensions, Door: "a2a", TraceParent: r.TraceParent,
	})
	if err != nil {
		return nil, err
	}
	return &accepted{task: inv.Task(), start: func() error {
		h.lendToken(inv, token)
		inv.Start()
		return nil
	}}, nil
}

// callTerms reads how long a call may take, and the batch that it is one of.
func callTerms(timeout, batch, onFailure string) (limit time.Duration, b call.Batch, err error) {
	if timeout != "" {
		if limit, err = time.ParseDuration(timeout); err != nil || limit <= 0 {
			return 0, b, a2a.ErrInvalidParams.With(`timeout %q is not a time: write it as in "30s" or "2m"`, text.Shorten(timeout, 64))
		}
	}
	b, err = batchOf(batch, onFailure)
	return limit, b, err
}

// batchOf reads the batch that a call is one of.
func batchOf(id, onFailure string) (b call.Batch, err error) {
	switch {
	case onFailure != "" && onFailure != "continue" && onFailure != "cancel":
		return b, a2a.ErrInvalidParams.With(`onFailure of a batch is "continue" or "cancel", not %q`, text.Shorten(onFailure, 64))
	case onFailure != "" && id == "":
		return b, a2a.ErrInvalidParams.With("onFailure says what becomes of a call of a batch: name the batch")
	case len(id) > batchLimit:
		return b, a2a.ErrInvalidParams.With("the name of a batch has at most %d bytes, this one %d", batchLimit, len(id))
	}
	return call.Batch{ID: id, Cancel: onFailure == "cancel"}, nil
}

// batchLimit is the longest name of a batch, in bytes.
const batchLimit = 128

// admit makes an invocation if its caller may begin one.
func (h *handler) admit(ctx context.Context, r call.Request) (*call.Invocation, error) {
	h.settleCaller(ctx, &r)
	h.awaitPlatform(ctx, &r)
	created, err := h.gate.Create(r.Caller, r.ContextID)
	if err != nil {
		return nil, err
	}
	defer created()
	return h.calls.Admit(r), nil
}

// CallTool handles POST /a2a/tools/{name}: it returns when the call has ended or
// waits for somebody's approval.
func (h *handler) CallTool(ctx context.Context, r *a2a.ToolRequest) (*a2a.ToolReply, error) {
	if err := h.gate.Enter(ctx); err != nil {
		return nil, err
	}
	timeout, batch, err := callTerms(r.Timeout, r.Batch, r.OnFailure)
	if err != nil {
		return nil, err
	}
	inv, err := h.admit(ctx, call.Request{
		Timeout: timeout, Batch: batch,
		Tool: r.Name, Arguments: r.Arguments, Caller: r.Caller, Door: "http", TraceParent: r.TraceParent,
	})
	if err != nil {
		return nil, err
	}
	inv.Start()
	t := inv.Task()
	if err := t.Wait(ctx, settled); err != nil {
		return nil, err
	}
	if err := t.Durable(ctx); err != nil {
		return nil, err
	}
	return inv.Reply(), nil
}
