package sidecar

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// channelDoor is the door for tool calls over the channel: those of the agent and of the
// programs of tools.
type channelDoor struct{ h *handler }

var _ channel.Caller = channelDoor{}

// CallTool implements channel.Caller. Unlike POST /a2a/tools/{name} it waits for the end of a
// call that waits for an answer itself: its caller cannot give that answer.
func (d channelDoor) CallTool(ctx context.Context, o channel.Owner, c channel.Call, canceled <-chan struct{}) (channel.Called, error) {
	inv, err := d.admit(ctx, o, c)
	if err != nil {
		return channel.Called{}, channelFault(err)
	}
	t := inv.Task()
	if c.Answers != nil {
		c.Answers(func(_ context.Context, question, answer string) error {
			return channelFault(answerTool(t, question, answer))
		})
	}
	var told chan struct{}
	if c.Progress != nil {
		told = make(chan struct{})
		stream := t.Follow(0)
		go func() { // ends with the task, or with the connection
			defer close(told)
			defer stream.Close()
			tellProgress(ctx, stream, c.Progress)
		}()
	}
	inv.Start()
	select {
	case <-inv.Done():
	case <-canceled:
		t.Cancel(task.ErrCanceled)
	case <-ctx.Done():
	}
	select {
	case <-inv.Done():
	case <-ctx.Done():
		t.Cancel(task.ErrCanceled)
		if told != nil {
			<-told
		}
		return channel.Called{}, context.Cause(ctx)
	}
	if told != nil {
		<-told // nothing is told after the answer
	}
	if err := t.Durable(ctx); err != nil {
		return channel.Called{}, err
	}
	called := channel.Called{TaskID: t.ID(), Envelope: inv.Envelope()}
	if c.Artifacts {
		if called.Artifacts, err = artifactsOf(ctx, t); err != nil {
			return channel.Called{}, err
		}
	}
	return called, nil
}

// admit makes the call an invocation of the owner's.
func (d channelDoor) admit(ctx context.Context, o channel.Owner, c channel.Call) (*call.Invocation, error) {
	if err := d.h.gate.Enter(ctx); err != nil {
		return nil, err
	}
	if _, lasts := o.(channel.SessionOwner); !lasts && turn.TaskOf(o) == nil {
		return nil, channel.ErrEnded
	}
	batch, err := batchOf(c.Batch, c.OnFailure)
	if err != nil {
		return nil, err
	}
	return d.h.admit(context.WithValue(ctx, grantKey{}, o), call.Request{
		ID: c.ID, Tool: c.Name, Arguments: c.Arguments, Timeout: c.Timeout, Batch: batch,
		MaxEnvelope: c.MaxEnvelope, Door: "channel", TraceParent: c.TraceParent,
	})
}

// tellProgress passes on the status updates of a call until its last one, which the answer
// makes needless.
func tellProgress(ctx context.Context, stream a2a.Stream, tell func(json.RawMessage)) {
	for {
		events, err := stream.Next(ctx)
		if err != nil {
			return // the end, or nobody listens
		}
		for _, e := range events {
			if e.Status != nil && !e.State().Terminal() {
				tell(codec.EncodeEvent(e, a2a.V10))
			}
		}
	}
}

// answerTool answers the question of a call's task that a message asked: never one that asks for a
// permission.
func answerTool(t *task.Task, question, answer string) error {
	return t.AnswerQuestion(question, &a2a.Message{ID: a2a.NewID(), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(answer)}})
}

// channelFault returns an error of ours as the channel has it.
func channelFault(err error) error {
	for _, one := range []struct {
		ours   error
		theirs *channel.Error
	}{
		{a2a.ErrBusy, channel.ErrBusy},
		{a2a.ErrUnavailable, channel.ErrUnavailable},
		{a2a.ErrInvalidParams, channel.ErrInvalidParams},
		{a2a.ErrUnsupportedOperation, channel.ErrInvalidParams},
	} {
		if errors.Is(err, one.ours) {
			return one.theirs.With("%s", err)
		}
	}
	return err
}
