package task_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

func TestCreateFillsIn(t *testing.T) {
	m := message("hi")
	k := task.NewRegistry(task.Options{}).Create("", "", m, a2a.Metadata{"sharedSession": []byte("true")})
	s := k.Snapshot(nil, true)
	if m.ID == "" || m.Role != a2a.RoleUser || m.TaskID != k.ID() || m.ContextID != k.ContextID() || k.ContextID() == "" {
		t.Errorf("message %+v", m)
	}
	if s.Status.State != a2a.StateSubmitted || len(s.History) != 1 || string(s.Metadata["sharedSession"]) != "true" {
		t.Errorf("task %+v", s)
	}
	if s.Artifacts == nil || k.Snapshot(nil, false).Artifacts != nil {
		t.Error("artifacts are there just when asked for")
	}
}

func TestTheFirstFinishWins(t *testing.T) {
	k := newTask(task.Options{})
	if err := k.Finish(a2a.StateCanceled, nil, nil); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"finish":   k.Finish(a2a.StateCompleted, nil, nil),
		"message":  k.FinishMessage(message("x")),
		"status":   k.Status(a2a.StateWorking, nil, nil),
		"artifact": k.Artifact(t.Context(), chunk("x")),
		"history":  k.AddMessage(*message("x")),
	} {
		if !errors.Is(err, task.ErrFinished) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := k.Ask(t.Context(), task.Question{Text: "?"}); !errors.Is(err, task.ErrFinished) {
		t.Errorf("ask: %v", err)
	}
	k.SetMetadata("late", []byte("1"))
	s := k.Snapshot(nil, true)
	if s.Status.State != a2a.StateCanceled || len(s.Artifacts) != 0 || len(s.Metadata) != 0 || len(s.History) != 1 {
		t.Errorf("the task changed: %+v", s)
	}
}

func TestCancelOnlyAsks(t *testing.T) {
	k := newTask(task.Options{})
	k.Status(a2a.StateWorking, nil, nil)
	k.Cancel(task.ErrDeadline)
	k.Cancel(task.ErrCanceled)
	if cause := context.Cause(k.Context()); !errors.Is(cause, task.ErrDeadline) {
		t.Errorf("cause %v", cause)
	}
	if k.State() != a2a.StateWorking {
		t.Errorf("state %q", k.State())
	}
	if err := k.Artifact(t.Context(), chunk("last words")); err != nil {
		t.Errorf("the owner could not write any more: %v", err)
	}
}

func TestRegistryCloseAsksAll(t *testing.T) {
	r := task.NewRegistry(task.Options{})
	a, b := r.Create("", "c", message("a"), nil), r.Create("", "c", message("b"), nil)
	a.Finish(a2a.StateCompleted, nil, nil)
	r.Close()
	if cause := context.Cause(b.Context()); !errors.Is(cause, task.ErrDraining) {
		t.Errorf("running: %v", cause)
	}
	if cause := context.Cause(a.Context()); !errors.Is(cause, task.ErrFinished) {
		t.Errorf("finished: %v", cause)
	}
	if got := r.Running(); len(got) != 1 || got[0] != b {
		t.Errorf("%d running", len(got))
	}
}

func TestBareMessage(t *testing.T) {
	k := newTask(task.Options{})
	s := k.Subscribe()
	if err := k.FinishMessage(message("pong")); err != nil {
		t.Fatal(err)
	}
	if r := k.Reply(); r == nil || r.Role != a2a.RoleAgent || r.Parts[0].Text != "pong" || r.TaskID != k.ID() {
		t.Errorf("reply %+v", r)
	}
	if h := k.Snapshot(nil, false).History; len(h) != 2 || h[1].Parts[0].Text != "pong" {
		t.Errorf("history %+v", h)
	}
	events, err := drain(t.Context(), s)
	if err != nil || events[len(events)-1].Status.Status.Message.Parts[0].Text != "pong" {
		t.Errorf("the stream does not end with the answer: %v", err)
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTask(task.Options{})
		met := make(chan error, 1)
		go func() { met <- k.Wait(t.Context(), a2a.TaskState.Interrupted) }()
		synctest.Wait()
		k.Status(a2a.StateWorking, nil, nil)
		k.Status(a2a.StateInputRequired, nil, nil) // ever so shortly
		k.Status(a2a.StateWorking, nil, nil)
		if err := <-met; err != nil {
			t.Errorf("missed a short state: %v", err)
		}
		go func() { met <- k.Wait(t.Context(), a2a.TaskState.Interrupted) }()
		synctest.Wait()
		k.Finish(a2a.StateCompleted, nil, nil)
		if err := <-met; err != nil {
			t.Errorf("still waits for a finished task: %v", err)
		}
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	k := newTask(task.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := k.Wait(ctx, a2a.TaskState.Terminal); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestHistory(t *testing.T) {
	k := newTask(task.Options{})
	for _, text := range []string{"b", "c", "d"} {
		k.AddMessage(*message(text))
	}
	k.Status(a2a.StateWorking, message("progress is no history"), nil)
	for n, want := range map[int]string{0: "", 1: "d", 3: "bcd", 4: "hellobcd", 9: "hellobcd"} {
		var got strings.Builder
		for _, m := range k.Snapshot(&n, false).History {
			got.WriteString(m.Parts[0].Text)
		}
		if got.String() != want {
			t.Errorf("historyLength %d: %q", n, got.String())
		}
	}
}

func TestHistoryIsBounded(t *testing.T) {
	k := newTask(task.Options{TaskBytes: 10_000})
	for range 50 {
		k.AddMessage(*message(strings.Repeat("x", 1000)))
	}
	s := k.Snapshot(nil, false)
	if n := len(s.History); n < 3 || n > 10 || len(s.Metadata["historyDropped"]) == 0 {
		t.Errorf("%d messages kept, metadata %s", n, s.Metadata)
	}
}

func TestStatusMessageIsClipped(t *testing.T) {
	k := newTask(task.Options{})
	s := k.Subscribe()
	k.Status(a2a.StateWorking, message(strings.Repeat("é", 100<<10)), nil)
	k.Finish(a2a.StateCompleted, nil, nil)
	events, _ := drain(t.Context(), s)
	if n := len(codec.EncodeEvent(events[1], a2a.V10)); n > 64<<10 {
		t.Errorf("a frame of %d bytes", n)
	}
	if m := events[1].Status.Status.Message; string(m.Metadata["truncated"]) != "true" {
		t.Error("clipped without a word")
	}
}
