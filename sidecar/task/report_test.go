package task_test

import (
	"errors"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// TestReportLeavesTheStatus: a question stays open, with its words, and the task is not one that waits
// for its next turn.
func TestReportLeavesTheStatus(t *testing.T) {
	k := newTask(task.Options{})
	_ = k.Status(a2a.StateWorking, &a2a.Message{Parts: []a2a.Part{a2a.TextPart("thinking")}}, nil)
	if err := k.Report(a2a.Metadata{"x": []byte("1")}); err != nil {
		t.Fatal(err)
	}
	if s := k.Snapshot(nil, false).Status; s.State != a2a.StateWorking || s.Message != nil {
		t.Errorf("the status is %+v", s)
	}

	asked := make(chan error, 1)
	go func() { _, err := k.Ask(t.Context(), task.Question{Text: "really?"}); asked <- err }()
	if err := k.Wait(await.Context(t), a2a.TaskState.Interrupted); err != nil {
		t.Fatal(err)
	}
	was := k.Snapshot(nil, false).Status.Message
	if err := k.Report(a2a.Metadata{"x": []byte("2")}); err != nil {
		t.Fatal(err)
	}
	s := k.Snapshot(nil, false).Status
	if s.State != a2a.StateInputRequired || s.Message == nil || s.Message.ID != was.ID {
		t.Errorf("the question became %+v", s)
	}
	_ = k.Status(a2a.StateInputRequired, nil, nil) // as one who tells of progress meanwhile
	k.Cancel(task.ErrCanceled)
	if err := await.One(t, asked, "the question's end"); !errors.Is(err, task.ErrCanceled) {
		t.Error(err)
	}
	if state := k.State(); state != a2a.StateWorking {
		t.Errorf("the task is %s before its owner has settled it", state)
	}
	_ = k.Finish(a2a.StateCanceled, nil, nil)
	if err := k.Report(nil); !errors.Is(err, task.ErrFinished) {
		t.Error(err)
	}
}
