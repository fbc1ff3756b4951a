package task_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// TestWaitingTasksAreBounded: tasks that wait for a next turn nobody sends do
// not pile up; one that was gone on with is not counted.
func TestWaitingTasksAreBounded(t *testing.T) {
	r := task.NewRegistry(task.Options{KeepTasks: 3})
	defer r.Close()
	var tasks []*task.Task
	for range 5 {
		tk := r.Create("", "", &a2a.Message{Parts: []a2a.Part{a2a.TextPart("x")}}, nil)
		if err := tk.Status(a2a.StateInputRequired, nil, nil); err != nil {
			t.Fatal(err)
		}
		tasks = append(tasks, tk)
		if len(tasks) == 2 {
			if err := tasks[0].Continue(&a2a.Message{Parts: []a2a.Part{a2a.TextPart("on")}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []a2a.TaskState{a2a.StateWorking, a2a.StateFailed, a2a.StateInputRequired, a2a.StateInputRequired, a2a.StateInputRequired}
	for i, tk := range tasks {
		if tk.State() != want[i] {
			t.Errorf("task %d is %s, want %s", i, tk.State(), want[i])
		}
	}
}

// TestWaitingTasksAreBoundedByBytes: what waiting tasks hold counts, too.
func TestWaitingTasksAreBoundedByBytes(t *testing.T) {
	r := task.NewRegistry(task.Options{KeepBytes: 100 << 10})
	defer r.Close()
	var tasks []*task.Task
	for range 4 {
		k := r.Create("", "", message(strings.Repeat("x", 40<<10)), nil)
		k.Status(a2a.StateInputRequired, nil, nil)
		tasks = append(tasks, k)
	}
	want := []a2a.TaskState{a2a.StateFailed, a2a.StateFailed, a2a.StateInputRequired, a2a.StateInputRequired}
	for i, k := range tasks {
		if k.State() != want[i] {
			t.Errorf("task %d is %s, want %s", i, k.State(), want[i])
		}
	}
}

// TestCancelOfAWaitingTask: nobody runs it, so Cancel ends it, whichever of the
// two came first.
func TestCancelOfAWaitingTask(t *testing.T) {
	for name, steps := range map[string][]func(*task.Task){
		"after":  {wait, cancel},
		"before": {cancel, wait},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTask(task.Options{})
			s := k.Subscribe()
			for _, step := range steps {
				step(k)
			}
			if k.State() != a2a.StateCanceled {
				t.Fatalf("state %q", k.State())
			}
			if err := k.Continue(message("go on")); !errors.Is(err, a2a.ErrUnsupportedOperation) {
				t.Errorf("a message got %v", err)
			}
			if events, err := drain(t.Context(), s); err != nil || len(events) != 3 {
				t.Errorf("%d events, %v; want the task, input-required, canceled", len(events), err)
			}
		})
	}
}

func wait(k *task.Task)   { _ = k.Status(a2a.StateInputRequired, nil, nil) }
func cancel(k *task.Task) { k.Cancel(task.ErrCanceled) }

// TestCancelAndContinueAtOnce: one of the two has the task.
func TestCancelAndContinueAtOnce(t *testing.T) {
	for range 200 {
		k := newTask(task.Options{})
		wait(k)
		var both sync.WaitGroup
		var err error
		both.Go(func() { err = k.Continue(message("go on")) })
		both.Go(func() { cancel(k) })
		both.Wait()
		if goesOn := err == nil; goesOn != (k.State() == a2a.StateWorking) {
			t.Fatalf("continued: %v, state %q", err, k.State())
		}
	}
}

// TestDiscard: a task that was never started is as if it had not been made.
func TestDiscard(t *testing.T) {
	r := task.NewRegistry(task.Options{})
	defer r.Close()
	tk := r.Create("", "", &a2a.Message{Parts: []a2a.Part{a2a.TextPart("x")}}, nil)
	s := tk.Subscribe()
	defer s.Close()
	r.Discard(tk)
	if _, err := r.Get("", tk.ID()); err == nil {
		t.Error("it can still be had")
	}
	if tk.Context().Err() == nil {
		t.Error("its context goes on")
	}
}
