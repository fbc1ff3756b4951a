package call

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// approve waits until somebody allows this one call, and returns what was allowed; nil, if
// what was asked for has changed meanwhile. The call keeps a place in the schedule, so that
// an approved call is never told busy.
func (p *Pipeline) approve(ctx context.Context, inv *Invocation, d policy.Decision) (*approval.Approval, *result) {
	if why := p.nobody(inv); why != "" {
		return nil, ended(Denied, fmt.Sprintf("%q needs an approval and %s: %s", inv.tool.Name, why, reason(d)))
	}
	if p.definition(inv) != inv.tool.Digest { // what would be shown is not what would run
		return nil, p.redefined(inv)
	}
	if inv.own == nil {
		if err := inv.place.Ask(); err != nil {
			return nil, ended(Busy, err.Error())
		}
	}
	a, err := p.opts.Approvals.Open(p.question(inv, d))
	if err != nil {
		return nil, ended(Busy, err.Error())
	}
	ctx, cancel := p.unstarted(ctx)
	defer cancel()
	if inv.own == nil {
		inv.reportApproval(a.ID())
	}
	answer, err := p.ask(ctx, inv, a)
	return p.answered(ctx, inv, a, answer, err)
}

// answered returns what an answer means for the call.
func (p *Pipeline) answered(ctx context.Context, inv *Invocation, a *approval.Approval, answer approval.Answer, err error) (*approval.Approval, *result) {
	inv.answeredBy(a, answer, err)
	changed := p.definition(inv) != inv.tool.Digest
	switch {
	case ctx.Err() != nil:
		return nil, notStarted(context.Cause(ctx))
	case stops(err): // the work that the call is a part of
		return nil, notStarted(err)
	case errors.Is(err, approval.ErrTimeout):
		return nil, ended(Denied, fmt.Sprintf("%q needs an approval and nobody answered within %s", inv.tool.Name, p.opts.AskTimeout))
	case err == nil && answer.Option == approval.Reject:
		return nil, ended(Rejected, rejected(inv, answer))
	case (err == nil || errors.Is(err, approval.ErrOvertaken)) && changed:
		return nil, p.redefined(inv)
	case errors.Is(err, approval.ErrOvertaken):
		return nil, nil
	case err != nil:
		return nil, ended(Denied, fmt.Sprintf("%q needs an approval and nobody could be asked: %s", inv.tool.Name, err))
	}
	inv.approved = &answer
	return a, nil
}

// redefined is how a call ends that must be allowed and whose tool is not what it was.
func (p *Pipeline) redefined(inv *Invocation) *result {
	if p.definition(inv) == noDefinition && p.opts.Absent != nil {
		if reason, text := p.opts.Absent(&inv.request, inv.tool.Name); reason != "" {
			return absent(inv.tool.Name, reason, text)
		}
	}
	return ended(Denied, fmt.Sprintf("the definition of %q has changed since its call came, which needs an approval: call it again", inv.tool.Name))
}

// rejected returns what the caller is told of a no.
func rejected(inv *Invocation, answer approval.Answer) string {
	said := fmt.Sprintf("the call of %q was not approved", inv.tool.Name)
	if inv.own != nil {
		said = "this was not approved"
	}
	if answer.Reason != "" {
		said += ": " + answer.Reason
	}
	return said
}

// nobody returns why nobody can be asked, "" if somebody can.
func (p *Pipeline) nobody(inv *Invocation) string {
	switch {
	case p.opts.Headless:
		return "nobody can be asked"
	case inv.asks() == nil && p.opts.Person == nil && len(p.approvers()) == 0:
		return "nobody can be asked: the agent made it outside of a turn, and nobody is at its terminal"
	}
	return ""
}

// approvers returns the callers that the policy names, nil for none.
func (p *Pipeline) approvers() []string {
	if p.opts.Approvers == nil {
		return nil
	}
	return p.opts.Approvers()
}

// question returns what is asked for a call. Those who answer judge it as it was when it was
// asked for: the call itself may have gone on when the second of two answers comes.
func (p *Pipeline) question(inv *Invocation, d policy.Decision) approval.Request {
	q := inv.permission()
	return approval.Request{
		Subject: p.subject(inv, q, d), Approvers: p.approvers(), Person: inv.asks() == nil, Confirms: inv.confirms(),
		Clean: func(s string) string { return p.clean(inv, s) },
		Now: func(ctx context.Context) approval.Subject {
			return p.subject(inv, q, inv.judge(ctx, q))
		},
	}
}

// subject returns the call as it would be shown now: with the tool's definition of this
// moment. It may be called from any goroutine.
func (p *Pipeline) subject(inv *Invocation, q policy.Request, d policy.Decision) approval.Subject {
	asks := inv.task
	if t := inv.asks(); t != nil {
		asks = t
	}
	sub := subject(&q, p.definition(inv))
	if inv.own != nil {
		sub.Own = inv.own.shown
	}
	sub.CallID, sub.TaskID = inv.id, asks.ID()
	sub.Scope, sub.Rule, sub.File, sub.Line, sub.Reason, sub.Revision = d.Scope, d.Rule, d.File, d.Line, d.Reason, d.Revision
	return sub
}

// subject returns what is judged of a call, with the digest of its tool's definition.
func subject(q *policy.Request, definition string) approval.Subject {
	return approval.Subject{
		Tool: q.Tool.Name, Source: q.Source, Definition: definition, Effects: string(q.Tool.Effects),
		Arguments: q.Arguments, Uses: q.Uses, Caller: q.Caller, Agent: q.Agent, ContextID: q.ContextID,
	}
}

// noDefinition stands for the digest of a tool that is not there any more.
const noDefinition = "none"

// definition returns the digest that the tool's definition has now, or noDefinition.
func (p *Pipeline) definition(inv *Invocation) string {
	if inv.own != nil {
		return inv.tool.Digest
	}
	tool, ok := p.surfaceOf(&inv.request).Lookup(inv.tool.Name)
	if !ok {
		return noDefinition
	}
	return tool.Digest
}

// confirms reports whether the client that is asked speaks gemini-cli's confirmations.
func (i *Invocation) confirms() bool {
	t := i.asks()
	return t != nil && slices.Contains(t.Extensions(), approval.DevelopmentToolURI)
}

// ask shows an approval wherever somebody may see it and waits for the answer. What it
// shows is withdrawn when it returns.
func (p *Pipeline) ask(ctx context.Context, inv *Invocation, a *approval.Approval) (approval.Answer, error) {
	asks := inv.asks()
	if asks == nil {
		if p.opts.Person != nil {
			defer p.opts.Person(a)()
		}
		return a.Wait(ctx)
	}
	ctx, stop := context.WithCancelCause(ctx)
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		if err := p.askTask(ctx, inv, asks, a); err != nil {
			stop(err)
		}
	}()
	answer, err := a.Wait(ctx)
	stop(nil)
	<-shown
	return answer, err
}

// askTask asks in a task until the approval has ended. A task asks one question at a time:
// this one waits until there is no other. The error says that the task cannot ask.
func (p *Pipeline) askTask(ctx context.Context, inv *Invocation, asks *task.Task, a *approval.Approval) error {
	q := p.shown(inv, a)
	for {
		inv.outermost().waits()
		_, err := asks.Ask(ctx, q)
		switch {
		case err == nil, ctx.Err() != nil:
			return nil
		case !errors.Is(err, task.ErrQuestionOpen):
			return err
		}
		if asks.Wait(ctx, func(s a2a.TaskState) bool { return !s.Interrupted() }) != nil {
			return nil // ctx has ended
		}
	}
}

// shown returns an approval as a task's question.
func (p *Pipeline) shown(inv *Invocation, a *approval.Approval) task.Question {
	q := task.Question{
		Text: a.Text(), Parts: []a2a.Part{a.Part()}, State: a2a.StateAuthRequired, Extensions: []string{approval.URI},
		Accept: func(m *a2a.Message) (task.Answer, error) { return p.accept(inv, a, m) },
	}
	for _, o := range approval.Options() {
		q.Options = append(q.Options, task.Option{ID: string(o), Label: o.Label(), Kind: o.Kind()})
	}
	if inv.confirms() {
		part, meta := a.Confirmation()
		q.Parts, q.Metadata = append(q.Parts, part), meta
		q.Extensions = append(q.Extensions, approval.DevelopmentToolURI)
		q.State = a2a.StateInputRequired // that extension's clients answer in this state
	}
	return q
}

// accept takes a message to the task that asks as an answer. Only the task's caller can
// send one.
func (p *Pipeline) accept(inv *Invocation, a *approval.Approval, m *a2a.Message) (task.Answer, error) {
	reply, err := a.Read(m)
	if err != nil {
		return task.Answer{}, err
	}
	by := approval.By{Caller: inv.asks().Owner()}
	if err := p.opts.Approvals.Answer(inv.task.Context(), by, reply.ID, reply); err != nil {
		return task.Answer{}, err
	}
	return task.Answer{Text: reply.Option.Label(), OptionID: string(reply.Option)}, nil
}
