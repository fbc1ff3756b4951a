package sidecar_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// account is what clients were told of one task.
type account struct {
	final    *a2a.Task       // as it ended, nil: nobody was told so
	state    a2a.TaskState   // how it ended, "": nobody was told so
	messages []string        // the IDs of its history's messages
	text     strings.Builder // of artifact "out"
	solid    int             // how much of that came before the newest status
	envelope string          // of a tool call
	event    uint64          // the newest event's ID
}

// kind is what the task was made for, as far as it can be told.
func (a *account) kind() string {
	switch {
	case a.envelope != "":
		return "call"
	case a.state == a2a.StateCanceled:
		return "cancel"
	case a.state == "":
		return "unfinished"
	case a.text.Len() > 0:
		return "stream"
	case len(a.messages) > 1:
		return "question"
	}
	return "message"
}

// witness notes what clients are told.
type witness struct {
	mu    sync.Mutex
	tasks map[string]*account
	count int
	more  chan struct{} // closed when there is more
	ended []error       // why clients ended before the sidecar did
}

// note has f write down what was told of a task.
func (w *witness) note(id string, f func(*account)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.tasks[id]
	if t == nil {
		t = &account{}
		w.tasks[id] = t
	}
	f(t)
	w.count++
	if w.more != nil {
		close(w.more)
		w.more = nil
	}
}

// waitFor returns when so many things were told.
func (w *witness) waitFor(t *testing.T, n int) {
	t.Helper()
	after := time.After(deadline)
	for {
		w.mu.Lock()
		enough := w.count >= n
		if w.more == nil {
			w.more = make(chan struct{})
		}
		more := w.more
		w.mu.Unlock()
		if enough {
			return
		}
		select {
		case <-more:
		case <-after:
			t.Fatalf("clients were told %d things only; some ended with %v", w.count, w.ended)
		}
	}
}

// snapshot notes a task as an answer has it.
func (w *witness) snapshot(task *a2a.Task) {
	w.note(task.ID, func(t *account) {
		for _, m := range task.History {
			if !slices.Contains(t.messages, m.ID) {
				t.messages = append(t.messages, m.ID)
			}
		}
		if task.Status.State.Terminal() {
			t.final, t.state = task, task.Status.State
		}
	})
}

// event notes an event of a stream, and returns the task's id and state.
func (w *witness) event(e *a2a.Event) (string, a2a.TaskState) {
	switch {
	case e.Task != nil:
		w.snapshot(e.Task)
		return e.Task.ID, e.Task.Status.State
	case e.Status != nil:
		w.note(e.Status.TaskID, func(t *account) {
			t.event, t.solid = e.ID, t.text.Len()
			if s := e.Status.Status.State; s.Terminal() {
				t.state = s
			}
		})
		return e.Status.TaskID, e.Status.Status.State
	case e.Artifact != nil:
		w.note(e.Artifact.TaskID, func(t *account) {
			t.event = e.ID
			if a := e.Artifact.Artifact; a.ID == "out" {
				t.text.WriteString(a.Parts[0].Text)
			}
		})
	}
	return "", ""
}
