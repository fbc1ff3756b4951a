package task_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// TestEverythingCounts: whatever a client puts into a message, and whatever an
// agent puts into an artifact, counts against what is kept.
func TestEverythingCounts(t *testing.T) {
	long := strings.Repeat("x", 40<<10)
	members := a2a.Metadata{}
	list := make([]string, 1000)
	for i := range 500 {
		members[fmt.Sprint(i)] = []byte("1")
	}
	part := func(p a2a.Part) a2a.Message { return a2a.Message{Parts: []a2a.Part{p}} }
	messages := map[string]a2a.Message{
		"text":            part(a2a.TextPart(long)),
		"file name":       part(a2a.Part{Kind: a2a.PartText, Filename: long}),
		"media type":      part(a2a.Part{Kind: a2a.PartText, MediaType: long}),
		"small metadata":  part(a2a.Part{Kind: a2a.PartText, Metadata: members}),
		"id":              {ID: long},
		"extension":       {Extensions: []string{long}},
		"empty strings":   {ReferenceTaskIDs: list},
		"message's small": {Metadata: members},
	}
	for name, m := range messages {
		t.Run(name, func(t *testing.T) {
			o := task.Options{KeepBytes: 80 << 10, TaskBytes: 80 << 10}
			r := task.NewRegistry(o)
			var first *task.Task
			for range 4 {
				k := r.Create("", "", &m, nil)
				if first == nil {
					first = k
				}
				k.Finish(a2a.StateCompleted, nil, nil)
			}
			if _, err := r.Get("", first.ID()); err == nil {
				t.Error("four of them are kept")
			}
			k := newTask(o)
			for i := range 4 {
				u := a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: fmt.Sprint(i), Parts: m.Parts, Extensions: append(m.Extensions, m.ReferenceTaskIDs...), Metadata: m.Metadata, Name: m.ID}}
				if err := k.Artifact(t.Context(), u); err != nil {
					t.Fatal(err)
				}
			}
			got := k.Snapshot(nil, true)
			if n := len(got.Artifacts); n == 4 && got.Artifacts[3].Metadata["truncated"] == nil {
				t.Errorf("%d artifacts are kept whole", n)
			}
		})
	}
}
