package task_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/task/disk"
)

// message returns a client's message of one text.
func message(text string) *a2a.Message {
	return &a2a.Message{Parts: []a2a.Part{a2a.TextPart(text)}}
}

// newTask returns a task of a registry of its own.
func newTask(o task.Options) *task.Task {
	return create(task.NewRegistry(o))
}

// create makes a task of a registry.
func create(r *task.Registry) *task.Task {
	return r.Create("", "ctx", message("hello"), nil)
}

// registries are the kinds that a reader may not tell apart.
var registries = map[string]func(t testing.TB, o task.Options) *task.Registry{
	"memory": func(_ testing.TB, o task.Options) *task.Registry { return task.NewRegistry(o) },
	"store":  func(t testing.TB, o task.Options) *task.Registry { return open(t, newFakeStore(), o) },
	"disk":   onDisk,
}

func onDisk(t testing.TB, o task.Options) *task.Registry {
	s, err := disk.Open(disk.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	o.Store = s
	r, err := task.OpenRegistry(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// chunk is an update that goes on with artifact "response".
func chunk(text string) a2a.ArtifactUpdate {
	return a2a.ArtifactUpdate{
		Append:   true,
		Artifact: a2a.Artifact{ID: "response", Name: "response", Parts: []a2a.Part{a2a.TextPart(text)}},
	}
}

func write(t testing.TB, k *task.Task, text string) {
	t.Helper()
	if err := k.Artifact(t.Context(), chunk(text)); err != nil {
		t.Fatalf("artifact: %v", err)
	}
}

// writeMany writes n chunks of so many bytes each.
func writeMany(t testing.TB, k *task.Task, n, size int) {
	t.Helper()
	for range n {
		write(t, k, strings.Repeat("x", size))
	}
}

// next reads one batch.
func next(t testing.TB, s a2a.Stream) []*a2a.Event {
	t.Helper()
	events, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// drain reads a stream to its end.
func drain(ctx context.Context, s a2a.Stream) (events []*a2a.Event, err error) {
	defer s.Close()
	for {
		batch, err := s.Next(ctx)
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, batch...)
	}
}

func eventIDs(events []*a2a.Event) (ids []uint64) {
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	return ids
}

// text is all the text of an artifact that events tell, the snapshot included.
func text(events []*a2a.Event) string {
	var b strings.Builder
	for _, e := range events {
		if e.Task != nil {
			for _, a := range e.Task.Artifacts {
				b.WriteString(partsText(a.Parts))
			}
		}
		if e.Artifact != nil {
			b.WriteString(partsText(e.Artifact.Artifact.Parts))
		}
	}
	return b.String()
}

func partsText(parts []a2a.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}
