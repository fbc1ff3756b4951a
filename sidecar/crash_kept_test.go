package sidecar_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// check looks for everything that was told.
func (w *witness) check(t *testing.T, r *running) {
	t.Helper()
	resumed := 0
	for id, told := range w.tasks {
		task, err := r.client().Get(r.context(), &a2a.GetRequest{ID: id})
		if err != nil {
			t.Errorf("a task that clients were told of (%q, %d messages): %v", told.state, len(told.messages), err)
			continue
		}
		told.check(t, task)
		if told.state == "" && told.event > 0 && resumed < 3 {
			resumed++
			told.resume(t, r, id)
		}
	}
}

func (told *account) check(t *testing.T, task *a2a.Task) {
	t.Helper()
	if told.final != nil {
		if diff := cmp.Diff(told.final, task); diff != "" {
			t.Errorf("task %s (-told +there):\n%s", task.ID, diff)
		}
	}
	if told.state != "" && task.Status.State != told.state {
		t.Errorf("task %s is %s, its client was told %s", task.ID, task.Status.State, told.state)
	}
	for _, id := range told.messages {
		if !slices.ContainsFunc(task.History, func(m a2a.Message) bool { return m.ID == id }) {
			t.Errorf("task %s (%s): message %s is missing, %d are there", task.ID, task.Status.State, id, len(task.History))
		}
	}
	text := artifact(task, "out")
	if want := told.text.String(); !strings.HasPrefix(text, want[:told.solid]) || told.state != "" && told.solid > 0 && text != want {
		t.Errorf("task %s (%s, told %q) has text\n%q, its client saw\n%q, of which %d bytes before the newest status", task.ID, task.Status.State, told.state, text, want, told.solid)
	}
	if told.envelope != "" && !sameJSON(artifact(task, "result"), told.envelope) {
		t.Errorf("call %s has the result %s, told was %s", task.ID, artifact(task, "result"), told.envelope)
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && cmp.Equal(x, y)
}

// resume comes back to a task that was interrupted: what comes is new, and ends
// with its end.
func (told *account) resume(t *testing.T, r *running, id string) {
	t.Helper()
	stream, err := r.client().Subscribe(r.context(), &a2a.SubscribeRequest{ID: id, After: told.event})
	if err != nil {
		t.Errorf("coming back to %s after event %d: %v", id, told.event, err)
		return
	}
	defer stream.Close()
	last, state := told.event, a2a.TaskState("")
	for err == nil {
		var events []*a2a.Event
		events, err = stream.Next(r.context())
		for _, e := range events {
			if e.ID <= last {
				t.Errorf("task %s: event %d comes after event %d", id, e.ID, last)
			}
			last = e.ID
			if s := e.State(); s != "" {
				state = s
			}
		}
	}
	if !state.Terminal() {
		t.Errorf("coming back to %s ended with %q, %v", id, state, err)
	}
}

// keepsake is all that was ever seen after a restart. None of it may change.
type keepsake struct{ tasks map[string]*a2a.Task }

// check reads all pages of the list and compares.
func (k *keepsake) check(t *testing.T, r *running) {
	t.Helper()
	seen := map[string]*a2a.Task{}
	total, token := -1, ""
	for {
		page, err := r.client().List(r.context(), &a2a.ListRequest{PageSize: 100, PageToken: token, IncludeArtifacts: true})
		if err != nil {
			t.Fatalf("list: %v", err)
		}
		if total >= 0 && total != page.TotalSize {
			t.Errorf("one page says that there are %d tasks, the next %d", total, page.TotalSize)
		}
		total = page.TotalSize
		for _, task := range page.Tasks {
			if seen[task.ID] != nil {
				t.Errorf("task %s is listed twice", task.ID)
			}
			seen[task.ID] = task
		}
		if token = page.NextPageToken; token == "" {
			break
		}
	}
	if total != len(seen) {
		t.Errorf("%d tasks are listed, the total says %d", len(seen), total)
	}
	for id, before := range k.tasks {
		if diff := cmp.Diff(before, seen[id]); diff != "" {
			t.Errorf("task %s after one more restart (-before +after):\n%s", id, diff)
		}
	}
	var errs []error
	for id, task := range seen {
		if k.tasks[id] != nil {
			continue
		}
		if !task.Status.State.Terminal() {
			errs = append(errs, fmt.Errorf("task %s is %s, and nobody runs it", id, task.Status.State))
		}
		alone, err := r.client().Get(r.context(), &a2a.GetRequest{ID: id})
		if err != nil {
			errs = append(errs, fmt.Errorf("task %s is listed, and %w", id, err))
		} else if diff := cmp.Diff(alone, task); diff != "" {
			errs = append(errs, fmt.Errorf("task %s (-alone +listed):\n%s", id, diff))
		}
	}
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	maps.Copy(k.tasks, seen)
}
