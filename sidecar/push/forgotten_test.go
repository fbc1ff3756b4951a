package push_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/push"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/task/disk"
)

// What a receiver is owed goes with its task when that is forgotten. It is told
// of, and counted: nobody should look for it.
func TestForgotten(t *testing.T) {
	store, err := disk.Open(disk.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := task.OpenRegistry(t.Context(), task.Options{Store: store, KeepTasks: 1, RetainTasks: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := &receivers{answer: map[string]answer{"a": isDown}}
	var log bytes.Buffer // read once the dispatcher has been closed
	d := push.New(push.Options{Sender: r, Concurrency: 16, RetryFor: time.Hour, Log: slog.New(slog.NewTextHandler(&log, nil))})
	finish := func(receiver bool) {
		t.Helper()
		k := tasks.Create("", "ctx", &a2a.Message{Parts: []a2a.Part{a2a.TextPart("hello")}}, nil)
		if receiver {
			c, err := k.SetPush(a2a.PushConfig{URL: "https://a", Version: a2a.V10})
			if err != nil {
				t.Fatal(err)
			}
			d.Serve(k, c.ID)
		}
		if err := k.Finish(a2a.StateCompleted, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	finish(true)
	await.True(t, "a failure", func() bool { return d.Stats().Failed > 0 })
	finish(false)
	finish(false)
	await.True(t, "the end", func() bool { return d.Stats().Receivers == 0 })
	if s := d.Stats(); s.Dropped != 1 || s.Delivered != 0 {
		t.Errorf("%+v", s)
	}
	d.Close()
	tasks.Close()
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "the task has been forgotten") {
		t.Errorf("the log:\n%s", log.String())
	}
}
