package task_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// seen is an observer for one goroutine.
type seen struct {
	created, cut int
	finished     []task.Finished
	traces       []string
}

func (s *seen) TaskCreated()         { s.created++ }
func (s *seen) SubscribersCut(n int) { s.cut += n }
func (s *seen) TaskFinished(t *task.Task, f task.Finished) {
	s.finished = append(s.finished, f)
	s.traces = append(s.traces, t.TraceParent())
}

// TestObserver: it learns of every end once, with what it cost, and of nothing
// that was discarded.
func TestObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o seen
		r := task.NewRegistry(task.Options{Observer: &o})
		k := create(r)
		k.SetTraceParent("00-1")
		time.Sleep(3 * time.Second)
		k.Artifact(t.Context(), a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: "response", Parts: []a2a.Part{a2a.TextPart("1234567")}}})
		k.Finish(a2a.StateCompleted, &a2a.Message{Parts: []a2a.Part{a2a.TextPart("done")}}, nil)
		k.Finish(a2a.StateFailed, nil, nil)
		r.Discard(r.Create("", "ctx", message("never"), nil))
		if o.created != 2 || len(o.finished) != 1 {
			t.Fatalf("%d created, %+v finished", o.created, o.finished)
		}
		if f := o.finished[0]; f.State != a2a.StateCompleted || f.Duration != 3*time.Second || f.Bytes != 11 || o.traces[0] != "00-1" {
			t.Errorf("%+v, trace %q", f, o.traces[0])
		}
	})
}
