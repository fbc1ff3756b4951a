package sidecar

import (
	"context"
	"errors"
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/face"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// mcpBackend has the tools for requests to /mcp, each as its own context says.
type mcpBackend struct{ s *sidecar }

var _ face.Backend = mcpBackend{}

// sees returns the tools that the maker of a request sees.
func (b mcpBackend) sees(ctx context.Context) (*surface.View, error) {
	v, err := b.s.handler.sees(ctx, mcpCaller(ctx))
	return v, mcpFault(err)
}

// Tools implements face.Backend.
func (b mcpBackend) Tools(ctx context.Context) (*face.List, error) {
	v, err := b.sees(ctx)
	if err != nil {
		return nil, err
	}
	return &face.List{Tools: faceTools(v.Listed(ctx), v), Discoverable: len(v.Deferred(ctx)), Searches: b.s.handler.tools.searches}, nil
}

// faceTools returns tools of a view as face has them.
func faceTools(tools []*manifest.Tool, v *surface.View) []face.Tool {
	all := make([]face.Tool, len(tools))
	for i, t := range tools {
		all[i] = face.Tool{
			Name: tool.Shown(t.Name), Description: t.Description, Input: t.InputSchema, Output: t.OutputSchema,
			Always: shownTo(v, t) == manifest.SurfaceAlways, ReadOnly: t.Effects == manifest.EffectsRead,
		}
	}
	return all
}

// Changed implements face.Backend.
func (b mcpBackend) Changed() <-chan struct{} { return b.s.handler.tools.changed() }

// Search implements face.Backend.
func (b mcpBackend) Search(ctx context.Context, query string, limit int) ([]tool.Found, error) {
	v, err := b.sees(ctx)
	if err != nil {
		return nil, err
	}
	return b.s.handler.findTools(ctx, v, query, limit), nil
}

// Load implements face.Backend.
func (b mcpBackend) Load(ctx context.Context, names []string) ([]face.Tool, error) {
	v, err := b.sees(ctx)
	if err != nil {
		return nil, err
	}
	return faceTools(load(ctx, v, names), v), nil
}

// Call implements face.Backend.
func (b mcpBackend) Call(ctx context.Context, c *face.Call) (*face.Result, error) {
	h := b.s.handler
	if err := errors.Join(h.gate.Enter(ctx), server.BeginWork(ctx)); err != nil {
		return nil, mcpFault(err)
	}
	inv, err := h.admit(ctx, call.Request{Tool: c.Name, Arguments: c.Arguments, Caller: mcpCaller(ctx), ContextID: mcpConversation(ctx), Door: "mcp", TraceParent: c.TraceParent})
	if err != nil {
		return nil, mcpFault(err)
	}
	t := inv.Task()
	stream := t.Follow(0)
	told := make(chan struct{})
	go func() { // ends with the task
		defer close(told)
		defer stream.Close()
		b.heed(ctx, t, stream, c.Heed)
	}()
	inv.Start()
	select {
	case <-inv.Done():
	case <-ctx.Done():
		t.Cancel(task.ErrCanceled)
		<-inv.Done()
	}
	<-told
	after := context.WithoutCancel(ctx) // the result of a call that was canceled is wanted too
	if err := t.Durable(after); err != nil {
		return nil, mcpFault(err)
	}
	artifacts, err := artifactsOf(after, t)
	return &face.Result{TaskID: t.ID(), Envelope: inv.Envelope(), Artifacts: artifacts}, mcpFault(err)
}

// heed passes on what a call's task says until its end.
func (b mcpBackend) heed(ctx context.Context, t *task.Task, stream a2a.Stream, tell func(face.State)) {
	var track face.Tracker
	for {
		events, err := stream.Next(context.WithoutCancel(ctx))
		if err != nil {
			return
		}
		for _, e := range events {
			state := track.See(e)
			state.Question = b.question(ctx, t, state)
			tell(state)
		}
	}
}

// question returns what the caller's person may be asked about a call, nil for nothing.
func (b mcpBackend) question(ctx context.Context, t *task.Task, s face.State) *face.Question {
	if s.Approval != "" {
		return b.approval(ctx, s.Approval)
	}
	return s.ToolQuestion(func(_ context.Context, question, answer string) error { return answerTool(t, question, answer) })
}

// approval returns an approval as a question, nil if it is not the caller's to answer. Nothing
// that comes from the agent's own processes answers one.
func (b mcpBackend) approval(ctx context.Context, id string) *face.Question {
	if outsider(ctx) != nil {
		return nil
	}
	caller := mcpCaller(ctx)
	by := approval.By{Caller: caller, Person: caller != "" && slices.Contains(b.s.Config.Operators, caller)}
	a, err := b.s.approvals.Get(by, id)
	if err != nil {
		return nil
	}
	q := &face.Question{ID: id, Text: a.Text(), Refusal: string(approval.Reject), Answer: func(ctx context.Context, option string) error {
		reply := approval.Reply{ID: id, Digest: a.Digest(), Option: approval.Option(option)}
		if err := b.s.approvals.Answer(ctx, by, id, reply); err != nil {
			return err
		}
		b.s.Log.Info("approval answered", "approval", id, "task", a.Subject().TaskID, "tool", a.Subject().Tool, "option", option, "caller", caller)
		return nil
	}}
	for _, o := range approval.Options() {
		q.Options = append(q.Options, face.Option{ID: string(o), Label: o.Label()})
	}
	return q
}

// mcpFault returns an error of ours as face has it.
func mcpFault(err error) error {
	if errors.Is(err, a2a.ErrBusy) {
		return &face.Busy{Err: err}
	}
	return err
}
