package turn_test

import (
	"context"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// asker is the tests' agent if it asks for a permission before it answers.
type asker struct{ *talkPeer }

func (a asker) Prompt(ctx context.Context, id string, m peer.Message, on peer.Events) (peer.Ending, error) {
	if _, err := on.Permit(ctx, peer.Action{Kind: peer.Think}); err != nil {
		return peer.Ending{Canceled: true}, nil
	}
	return a.talkPeer.Prompt(ctx, id, m, on)
}

// court is a judge that says yes once it may, and notes how the task was when it was closed.
type court struct {
	driver.Judge
	task   *task.Task
	asked  chan struct{}
	may    chan struct{}
	closed chan a2a.TaskState
}

func (c *court) Permit(ctx context.Context, _ peer.Action) (peer.Answer, error) {
	close(c.asked)
	select {
	case <-c.may:
		return peer.Answer{Allowed: true}, nil
	case <-ctx.Done():
		return peer.Answer{}, context.Cause(ctx)
	}
}

func (c *court) Close() { c.closed <- c.task.State() }

// The judge of a turn, which ends what the agent has running through us, is closed before the end is told.
func TestJudgeIsClosedBeforeTheEndIsTold(t *testing.T) {
	t.Parallel()
	for _, want := range []a2a.TaskState{a2a.StateCompleted, a2a.StateCanceled} {
		c := &court{asked: make(chan struct{}), may: make(chan struct{}), closed: make(chan a2a.TaskState, 2)}
		r := talks(t, t.TempDir(), nil, func(o *turn.Options) {
			o.ACP = func(p peer.Process) peer.Peer { return asker{newTalkPeer(nil)(p).(*talkPeer)} }
			o.Judges = func(k *task.Task) driver.Judge {
				c.task = k
				return c
			}
		})
		k := r.sendTo("x", "hello")
		await.One(t, c.asked, "the permission")
		if want == a2a.StateCompleted {
			close(c.may)
		} else {
			k.Cancel(task.ErrCanceled)
		}
		if got := r.end(k); got.Status.State != want {
			t.Errorf("the task is %s: %s", got.Status.State, status(got))
		}
		if was := await.One(t, c.closed, "the judge's end"); was.Terminal() {
			t.Errorf("the judge was closed when the task was %s", was)
		}
		if len(c.closed) > 0 {
			t.Error("the judge was closed twice")
		}
	}
}
