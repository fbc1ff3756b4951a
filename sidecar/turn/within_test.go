package turn_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// callWithin calls the agent from a turn that waits for the call.
func (r *rig) callWithin(outer *task.Task) (driver.CallResult, error) {
	k := r.tasks.Create("", outer.ContextID(), &a2a.Message{ID: a2a.NewID(), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("x")}}, nil)
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	return r.Call(ctx, driver.Call{Task: k, ID: "1", Tool: "x.y", Prompt: "inner", Within: outer.ID()})
}

// A call that the running turn waits for runs beside it, in the same context and with no
// place free, and does not wait for what came before it.
func TestCallWithinATurn(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "go on")
	r := newRig(t, func(o *turn.Options) {
		o.Command = sh(`read -r line; if [ "$line" = outer ]; then until [ -e "$1" ]; do sleep 0.01; done; fi; printf "did $line"`, file)
		o.MaxConcurrency = 1
	})
	outer := r.sendTo("c", "outer")
	r.until(outer, func(s a2a.TaskState) bool { return s == a2a.StateWorking })
	queued := r.sendTo("c", "next")
	res, err := r.callWithin(outer)
	if err != nil || string(res.Output) != "did inner" {
		t.Fatalf("%q, %v", res.Output, err)
	}
	if queued.State() != a2a.StateSubmitted {
		t.Errorf("what came before is %s", queued.State())
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, k := range []*task.Task{outer, queued} {
		if got := r.end(k); got.Status.State != a2a.StateCompleted {
			t.Errorf("%s: %s", got.Status.State, status(got))
		}
	}
}

// An agent that lives through many turns cannot take a call that its turn waits for: it is
// refused at once.
func TestCallWithinATurnOfASession(t *testing.T) {
	t.Parallel()
	r := linesRig(t, func(*turn.Options) {})
	outer := r.sendTo("c", "outer")
	if _, err := r.callWithin(outer); !errors.Is(err, a2a.ErrUnavailable) {
		t.Errorf("%v", err)
	}
}
