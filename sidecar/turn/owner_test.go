package turn_test

import (
	"errors"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// by submits a text of a named caller.
func (r *rig) by(caller, contextID, text string) (*task.Task, error) {
	r.t.Helper()
	k := r.tasks.Create(caller, contextID, &a2a.Message{ID: a2a.NewID(), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(text)}}, nil)
	return k, r.Submit(k, turn.Request{})
}

// The session belongs to the caller of its first turn, others get
// busy: what alice told it is hers.
func TestSessionBelongsToItsFirstCaller(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r := session(t, "python3", "-q")
	secret, err := r.by("alice", "a", "secret = 6*7")
	if err != nil {
		t.Fatal(err)
	}
	want(t, r.end(secret), a2a.StateCompleted, "")
	spied, err := r.by("bob", "b", "print(secret)")
	if !errors.Is(err, a2a.ErrBusy) {
		t.Errorf("bob was let into alice's session: %v", err)
	}
	if res, err := r.Call(t.Context(), driver.Call{Task: spied, ID: "1", Tool: "x.y", Prompt: "print(secret)"}); !errors.Is(err, a2a.ErrBusy) {
		t.Errorf("bob's call was typed into it: %q, %v", res.Output, err)
	}
	again, err := r.by("alice", "other", "print(secret)")
	if err != nil {
		t.Fatal(err)
	}
	want(t, r.end(again), a2a.StateCompleted, "42")
}

// A turn that was never taken leaves the session free.
func TestRefusedTurnTakesNoSession(t *testing.T) {
	t.Parallel()
	r := session(t, "cat")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.by("alice", "a", "hello"); !errors.Is(err, a2a.ErrUnavailable) {
		t.Fatalf("a turn after the end: %v", err)
	}
	if _, err := r.by("bob", "b", "hello"); !errors.Is(err, a2a.ErrUnavailable) {
		t.Errorf("nothing of alice's was taken, and bob is told %v", err)
	}
}

// With a session per context, a context that comes to be somebody else's gets
// another session.
func TestPoolKeepsCallersApart(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r := newRig(t, func(o *turn.Options) { o.Mode, o.Command, o.Sessions = turn.ModePTY, []string{"python3", "-q"}, 2 })
	secret, err := r.by("alice", "same", "secret = 6*7")
	if err != nil {
		t.Fatal(err)
	}
	want(t, r.end(secret), a2a.StateCompleted, "")
	spied, err := r.by("bob", "same", "print('secret' in globals())")
	if err != nil {
		t.Fatal(err)
	}
	want(t, r.end(spied), a2a.StateCompleted, "False")
	again, err := r.by("alice", "same", "print(secret)")
	if err != nil {
		t.Fatal(err)
	}
	want(t, r.end(again), a2a.StateCompleted, "42")
}
