package call

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
	"github.com/a2a-sidecar/sidecar/sidecar/subagent"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// subagents gives the work of one call to other agents.
type subagents struct {
	p   *Pipeline
	inv *Invocation
}

var (
	_ tool.Agents    = (*subagents)(nil)
	_ subagent.Asker = (*subagents)(nil)
)

// agentsOf returns the agents for a call of the tool task, nil for another tool, or if there are none.
func (p *Pipeline) agentsOf(inv *Invocation) *subagents {
	if p.opts.Agents == nil || inv.tool.Name != tool.Prefix+tool.TaskID {
		return nil
	}
	return &subagents{p, inv}
}

// runs runs a tool of the sidecar's own.
type runs func(ctx context.Context, inv *Invocation, t *tool.Tool, c *tool.Call) gave

// parked runs a tool that waits for others: meanwhile the call holds nothing of the schedule.
func (p *Pipeline) parked(run runs) runs {
	return func(ctx context.Context, inv *Invocation, t *tool.Tool, c *tool.Call) gave {
		resume := inv.place.Park()
		defer resume(ctx)
		return run(ctx, inv, t, c)
	}
}

// Start implements tool.Agents.
func (s *subagents) Start(ctx context.Context, w tool.SubWork) (tool.SubTask, error) {
	start := subagent.Start{
		Agent: w.Agent, Prompt: w.Prompt, Description: text.Line(s.p.clean(s.inv, w.Description), messageLimit), ContextID: w.ContextID,
		Work: s.inv.partOf, Call: s.inv.task, Ask: s,
	}
	if s.p.opts.Denials != nil {
		start.Rules = s.p.opts.Denials(s.inv.request.Caller, s.inv.request.Agent)
	}
	c, err := s.p.opts.Agents.Start(ctx, start)
	if err != nil {
		return nil, err
	}
	if s.inv.partOf.Task() != s.inv.task {
		if b, err := text.JSON(delegation.Note{Children: []delegation.Child{c.Noted()}}); err == nil {
			s.inv.task.SetMetadata(delegation.URI, b)
		}
	}
	return c, nil
}

// Find implements tool.Agents.
func (s *subagents) Find(id string) (tool.SubTask, error) {
	c, err := s.p.opts.Agents.Find(id, s.inv.task.Owner(), s.inv.task.ContextID())
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Ask implements subagent.Asker: who waits for the work that the call is a part of is asked, in the task that is shown to them. It is never the
// agent that made the call. Only one of the policy's approvers may give a permission.
func (s *subagents) Ask(ctx context.Context, q subagent.Question) (*a2a.Message, error) {
	asks := s.inv.asks()
	switch approvers := s.p.approvers(); {
	case s.p.opts.Headless:
		return nil, errors.New("nobody can be asked")
	case asks == nil:
		return nil, errors.New("nobody can be asked: the work is a part of no turn")
	case q.State == a2a.StateAuthRequired && len(approvers) > 0 && !slices.Contains(approvers, callerName(asks.Owner())):
		return nil, errors.New("who waits for the answer may not approve")
	}
	if asks.State().Terminal() {
		return nil, errors.New("nobody can be asked: the task that it is a part of has ended")
	}
	for {
		s.inv.outermost().waits()
		a, err := asks.Ask(ctx, task.Question{
			Text: fmt.Sprintf("The agent %s asks: %s", q.Agent, s.p.clean(s.inv, q.Text)), Parts: s.inv.withoutSecrets(q.Parts), State: q.State, Timeout: s.p.opts.AskTimeout,
			Accept: func(m *a2a.Message) (task.Answer, error) { return task.Answer{Message: m}, nil },
		})
		switch {
		case err == nil:
			return a.Message, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, task.ErrTimeout):
			return nil, fmt.Errorf("nobody answered within %s", s.p.opts.AskTimeout)
		case !errors.Is(err, task.ErrQuestionOpen):
			return nil, errors.New("nobody can be asked any more")
		}
		if err := asks.Wait(ctx, func(st a2a.TaskState) bool { return !st.Interrupted() }); err != nil {
			return nil, err
		}
		if asks.State().Terminal() {
			return nil, errors.New("nobody can be asked: the task that it is a part of has ended")
		}
	}
}

// anonymous stands for a caller without a name among approvers.
const anonymous = "anonymous"

func callerName(owner string) string {
	if owner == "" {
		return anonymous
	}
	return owner
}

// say tells the readers of a call's task what a tool says that it does.
func (s *subagents) say(words string) { s.inv.tell(text.Line(s.p.clean(s.inv, words), messageLimit)) }
