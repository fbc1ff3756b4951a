package disk_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/task/disk"
)

// mustOpen opens the store of a directory and closes it with the test.
func mustOpen(t testing.TB, o disk.Options) *disk.Store {
	t.Helper()
	s, err := disk.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func mustClose(t testing.TB, s *disk.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func mustWait(t testing.TB, c task.Commit) {
	t.Helper()
	ctx := await.Context(t)
	if err := c.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if !c.Done() {
		t.Fatal("waited for, and not done")
	}
}

// when is the time of all statuses.
func when() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC) }

// head is a small one.
func head(id string, seq uint64, state a2a.TaskState) *task.Head {
	return &task.Head{ID: id, ContextID: "c-" + id, Turn: 1, Seq: seq, Status: a2a.Status{State: state, Timestamp: when()}}
}

// chunk is an artifact event.
func chunk(id string, place uint64, text string) *task.Stored {
	return &task.Stored{Cont: place > 1, Event: &a2a.Event{ID: place, Artifact: &a2a.ArtifactUpdate{
		TaskID: id, ContextID: "c-" + id, Append: place > 1,
		Artifact: a2a.Artifact{ID: "response", Parts: []a2a.Part{a2a.TextPart(text)}},
	}}}
}

func message(id, text string) *a2a.Message {
	return &a2a.Message{ID: "m-" + text, TaskID: id, ContextID: "c-" + id, Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(text)}}
}

// stored is a task as a store gives it back: its record, and the texts of its
// chunks by their places.
type stored struct {
	*task.Record
	events []*task.Stored
}

func load(t testing.TB, s *disk.Store, id string) stored {
	t.Helper()
	var got stored
	var err error
	got.Record, err = s.Load(id, 1<<30, func(e *task.Stored) bool {
		got.events = append(got.events, e)
		return true
	})
	if err != nil {
		t.Fatalf("load %s: %v", id, err)
	}
	return got
}

// text is all text of the stored chunks. The places must be 1, 2, 3, …
func (s stored) text(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	for i, e := range s.events {
		if e.ID != uint64(i+1) {
			t.Fatalf("event %d of %s is at place %d", i+1, s.ID, e.ID)
		}
		b.WriteString(e.Artifact.Artifact.Parts[0].Text)
	}
	return b.String()
}

func ids(t testing.TB, s *disk.Store) []string {
	t.Helper()
	heads, err := s.Heads()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, h := range heads {
		all = append(all, h.ID)
	}
	return all
}

func dbFile(dir string) string { return filepath.Join(dir, "tasks.db") }

func fileSize(t testing.TB, dir string) int64 {
	t.Helper()
	info, err := os.Stat(dbFile(dir))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func name(i int) string { return fmt.Sprintf("task-%04d", i) }
