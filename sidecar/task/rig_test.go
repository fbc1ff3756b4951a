package task_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// message returns a client's message of one text.
func message(text string) *a2a.Message {
	return &a2a.Message{Parts: []a2a.Part{a2a.TextPart(text)}}
}

// newTask returns a task of a registry of its own.
func newTask(o task.Options) *task.Task {
	return task.NewRegistry(o).Create("", "ctx", message("hello"), nil)
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
