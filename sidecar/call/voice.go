package call

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// voice is what the tool of one call may say over the channel (doc.go has what
// each word means). The channel calls it from goroutines of its own.
type voice struct {
	p     *Pipeline
	inv   *Invocation
	grant *channel.Grant // nil: there is no channel
	token string
	end   func() // ends the process by the ladder

	mu     sync.Mutex
	done   *channel.Done
	timer  *time.Timer // the grace after done
	closed bool
}

var _ channel.Owner = (*voice)(nil)

// newVoice grants a token to one call. Without a channel the token only marks
// the call's processes, so that the ladder finds them.
func (p *Pipeline) newVoice(inv *Invocation, end func()) *voice {
	v := &voice{p: p, inv: inv, end: end}
	if p.opts.Channel == nil {
		v.token = a2a.NewID()
		return v
	}
	v.grant = p.opts.Channel.GrantProcess(v)
	v.token = v.grant.Token()
	return v
}

// started says which process the token is for.
func (v *voice) started(child *proc.Child) {
	if v.grant != nil {
		v.grant.Started(child)
	}
}

// drain waits, for a bounded time, until all that the process had sent is
// handled.
func (v *voice) drain(ctx context.Context) {
	if v.grant == nil || ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, channelDrain)
	defer cancel()
	_ = v.grant.Drain(ctx) // what comes later is too late
}

// result is what the tool declared, nil when it declared nothing. Nothing is
// taken any more.
func (v *voice) result() *channel.Done {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	if v.timer != nil {
		v.timer.Stop()
	}
	return v.done
}

func (v *voice) close() {
	v.result()
	if v.grant != nil {
		v.grant.Revoke()
	}
}

// Status reports progress: the text for people, the number in the metadata. What
// the tool says there cannot take the place of what the call says.
func (v *voice) Status(s channel.Status) error {
	meta := v.inv.toolCall(statusExecuting, nil)
	if s.Progress != nil {
		meta["progress"] = strconv.AppendFloat(nil, *s.Progress, 'f', -1, 64)
	}
	r := &result{text: s.Text, parts: s.Parts, metadata: own(s.Metadata), extensions: s.Extensions}
	m := v.inv.explain(r)
	meta = meta.With(r.metadata)
	return asChannel(v.inv.task.Status(v.inv.state(), m, meta))
}

// Artifact adds to the task's artifacts. The names that the call itself uses
// are refused: a tool does not forge its envelope.
func (v *voice) Artifact(ctx context.Context, u a2a.ArtifactUpdate) error {
	if reserved(u.Artifact.ID) {
		return channel.ErrInvalidParams.With("artifactId: %q is kept for the call itself", u.Artifact.ID)
	}
	return asChannel(v.inv.task.Artifact(ctx, u))
}

// Ask puts a question to the call's client.
func (v *voice) Ask(ctx context.Context, q channel.Question) (channel.Answer, error) {
	if v.p.opts.Headless {
		return channel.Answer{}, channel.ErrNobody
	}
	limit := v.p.opts.AskTimeout
	if q.Timeout > 0 {
		limit = min(limit, q.Timeout)
	}
	options := make([]task.Option, len(q.Options))
	for n, o := range q.Options {
		options[n] = task.Option{ID: o.ID, Label: o.Label}
	}
	v.inv.waits()
	a, err := v.inv.task.Ask(ctx, task.Question{
		Text: q.Text, Parts: q.Parts, Options: options, State: a2a.StateInputRequired, Timeout: limit,
		Metadata: q.Metadata, Extensions: q.Extensions,
	})
	answer := channel.Answer{Text: a.Text, OptionID: a.OptionID}
	if m := a.Message; m != nil {
		answer.Parts, answer.Metadata, answer.Extensions = m.Parts, m.Metadata, m.Extensions
	}
	return answer, asChannel(err)
}

// Done fixes the call's result; the process has the grace to end by itself.
func (v *voice) Done(d channel.Done) error {
	switch {
	case d.Message:
		return channel.ErrInvalidParams.With("message: a tool call is answered by its envelope, not by a bare message")
	case d.State != "" && !d.State.Terminal():
		return channel.ErrInvalidParams.With("state: a tool call ends as completed, failed, rejected or canceled")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed || v.done != nil {
		return channel.ErrEnded
	}
	v.done = &d
	v.timer = time.AfterFunc(v.p.opts.CancelGrace, v.end)
	return nil
}

// Usage records what the tool has cost so far.
func (v *voice) Usage(u channel.Usage) error {
	set := v.inv.task.SetMetadata
	if u.InputTokens != nil {
		set("sv.usage.input_tokens", strconv.AppendInt(nil, *u.InputTokens, 10))
	}
	if u.OutputTokens != nil {
		set("sv.usage.output_tokens", strconv.AppendInt(nil, *u.OutputTokens, 10))
	}
	if u.CostUSD != nil {
		set("sv.cost.usd", strconv.AppendFloat(nil, *u.CostUSD, 'f', -1, 64))
	}
	if u.Model != "" {
		set("sv.model", json.RawMessage(quote(u.Model)))
	}
	return nil
}

// asChannel gives a task's errors the codes of the channel.
func asChannel(err error) error {
	switch {
	case errors.Is(err, task.ErrFinished):
		return channel.ErrEnded
	case errors.Is(err, task.ErrTimeout):
		return channel.ErrTimeout
	case errors.Is(err, task.ErrQuestionOpen):
		return channel.ErrQuestionOpen
	}
	return err
}
