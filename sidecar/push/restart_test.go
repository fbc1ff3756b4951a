package push_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/push"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/task/disk"
)

// life opens the store in dir and what stands on it, as one start of the
// sidecar does.
func life(t *testing.T, dir string, sender push.Sender) (*task.Registry, *push.Dispatcher, func()) {
	t.Helper()
	store, err := disk.Open(disk.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := task.OpenRegistry(t.Context(), task.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	d := push.New(push.Options{Sender: sender, Concurrency: 16, RetryFor: time.Hour})
	d.Resume(tasks.Undelivered())
	return tasks, d, func() {
		d.Close()
		tasks.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}

// After a restart a receiver gets what it is still owed, how an interrupted
// task ended too, in the dialect it was configured in; what it had does not come
// again.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	r := &receivers{answer: make(map[string]answer)}
	var down atomic.Bool
	r.answer["a"] = downWhile(&down)
	tasks, d, end := life(t, dir, r)
	k := tasks.Create("", "ctx", &a2a.Message{Parts: []a2a.Part{a2a.TextPart("hello")}}, nil)
	for host, v := range map[string]a2a.Version{"a": a2a.V10, "b": a2a.V03, "gone": a2a.V10} {
		c, err := k.SetPush(a2a.PushConfig{ID: host, URL: "https://" + host, Version: v})
		if err != nil {
			t.Fatal(err)
		}
		d.Serve(k, c.ID)
	}
	await.True(t, "the beginning", func() bool { return len(r.attempts("a"))*len(r.attempts("b")) > 0 })
	if err := k.Status(a2a.StateWorking, nil, nil); err != nil {
		t.Fatal(err)
	}
	await.True(t, "working", func() bool { return r.taken("a") == "task:submitted working" })
	down.Store(true)
	for i := range 5 {
		if err := k.Artifact(t.Context(), a2a.ArtifactUpdate{Append: true, Artifact: a2a.Artifact{ID: "x", Parts: []a2a.Part{a2a.TextPart(fmt.Sprint(i))}}}); err != nil {
			t.Fatal(err)
		}
	}
	await.True(t, "a failure", func() bool { return d.Stats().Failed > 0 })
	if err := k.DeletePush("gone"); err != nil {
		t.Fatal(err)
	}
	d.Stop(k, "gone")
	goneHad := len(r.attempts("gone"))
	if err := k.Durable(t.Context()); err != nil {
		t.Fatal(err)
	}
	end()

	down.Store(false)
	tasks, d, end = life(t, dir, r)
	await.True(t, "the end", func() bool { return d.Stats().Receivers == 0 })
	if got := r.taken("a"); got != "task:submitted working 01234 failed" {
		t.Errorf("1.0 took %q", got)
	}
	b := r.attempts("b")
	if last := b[len(b)-1].what; last != "task:failed:01234" {
		t.Errorf("0.3 took %q last", last)
	}
	if n := len(r.attempts("gone")); n != goneHad {
		t.Errorf("a deleted receiver got %d more", n-goneHad)
	}
	if k, err := tasks.Get("", k.ID()); err != nil || len(k.Push()) != 2 {
		t.Errorf("the receivers are not kept: %v", err)
	}
	end()

	before := len(r.attempts("a")) + len(r.attempts("b"))
	_, d, end = life(t, dir, r)
	await.True(t, "nothing to do", func() bool { return d.Stats().Receivers == 0 })
	end()
	if n := len(r.attempts("a")) + len(r.attempts("b")); n != before {
		t.Errorf("all was delivered, and %d came again", n-before)
	}
}
