package task_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// pushIDs are a task's receivers, and how far each has got.
func pushIDs(k *task.Task) (ids []string) {
	for _, p := range k.Push() {
		ids = append(ids, fmt.Sprintf("%s:%d", p.Config.ID, p.Delivered))
	}
	return ids
}

func setPush(t testing.TB, k *task.Task, id, url string) a2a.PushConfig {
	t.Helper()
	c, err := k.SetPush(a2a.PushConfig{ID: id, URL: url})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Receivers belong to their task: running, finished, in the store only, and
// after a restart.
func TestPushConfigs(t *testing.T) {
	s := newFakeStore()
	r := open(t, s, task.Options{KeepTasks: 1})
	k := create(r)
	if c := setPush(t, k, "", "https://example.com/1"); c.ID == "" || c.TaskID != k.ID() {
		t.Errorf("%+v", c)
	} else if err := k.DeletePush(c.ID); err != nil {
		t.Error(err)
	}
	setPush(t, k, "a", "https://example.com/a")
	k.Status(a2a.StateWorking, nil, nil)
	setPush(t, k, "b", "https://example.com/b")
	k.Delivered("a", 1)
	setPush(t, k, "a", "https://example.com/other")
	k.Delivered("gone", 1)
	k.Delivered("a", 0)
	if got := fmt.Sprint(pushIDs(k)); got != "[a:1 b:1]" || k.Push()[0].Config.URL != "https://example.com/other" {
		t.Errorf("%s", got)
	}
	if err := k.DeletePush("c"); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("deleted what is not there: %v", err)
	}
	k.Finish(a2a.StateCompleted, message("done"), nil)
	k.Delivered("b", 2)
	finishedTask(t, r, "ctx", "other") // k leaves the memory
	for _, where := range []string{"evicted", "restarted"} {
		if where == "restarted" {
			r = open(t, s.crash(), task.Options{})
			k = get(t, r, k.ID())
		}
		if got := fmt.Sprint(pushIDs(k)); got != "[a:1 b:2]" {
			t.Errorf("%s: %s", where, got)
		}
		owed := r.Undelivered()
		if len(owed) != 1 || owed[0] != k {
			t.Errorf("%s: %d tasks owe something", where, len(owed))
		}
	}
	k.Delivered("a", 2)
	if owed := r.Undelivered(); len(owed) != 0 {
		t.Errorf("%d tasks owe something", len(owed))
	}
	if err := k.DeletePush("a"); err != nil {
		t.Error(err)
	}
	setPush(t, k, "late", "https://example.com")
	if got := fmt.Sprint(pushIDs(k)); got != "[b:2 late:1]" {
		t.Errorf("%s", got)
	}
	if got := show(t, k); got.Status.Message.Parts[0].Text != "done" || len(got.History) != 1 {
		t.Errorf("a push config changed the task: %+v", got)
	}
}

func TestPushConfigsAreLimited(t *testing.T) {
	k := newTask(task.Options{})
	for i := range 16 {
		setPush(t, k, fmt.Sprint(i), "https://example.com")
	}
	if _, err := k.SetPush(a2a.PushConfig{ID: "16"}); !errors.Is(err, a2a.ErrInvalidParams) {
		t.Errorf("got %v", err)
	}
	setPush(t, k, "3", "https://example.com/3")
	if k.Push()[3].Config.URL != "https://example.com/3" || len(k.Push()) != 16 {
		t.Error("one of them was not replaced")
	}
}

// Whoever changes the receivers, and the task, at the same time: nothing of
// either is lost.
func TestPushAndStatusAtOnce(t *testing.T) {
	s := newFakeStore()
	r := open(t, s, task.Options{})
	k := create(r)
	setPush(t, k, "d", "https://example.com")
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 50 {
			k.Status(a2a.StateWorking, nil, nil)
		}
		k.Finish(a2a.StateCompleted, nil, nil)
	})
	wg.Go(func() {
		for i := range 60 {
			k.Delivered("d", uint64(i))
		}
	})
	for i := range 10 {
		wg.Go(func() { setPush(t, k, fmt.Sprint(i), "https://example.com") })
	}
	wg.Wait()
	show(t, k)
	k = get(t, open(t, s.crash(), task.Options{}), k.ID())
	if k.State() != a2a.StateCompleted || len(k.Push()) != 11 || !slices.Contains(pushIDs(k), "d:59") {
		t.Errorf("%s, %v", k.State(), pushIDs(k))
	}
}

// A task that was forgotten does not come back by what its receivers took.
func TestDeliveredToAForgottenTask(t *testing.T) {
	s := newFakeStore()
	r := open(t, s, task.Options{RetainTasks: 1})
	k := finishedTask(t, r, "ctx", "x")
	setPush(t, k, "a", "https://example.com")
	finishedTask(t, r, "ctx", "y")
	k.Delivered("a", 9)
	if _, err := k.SetPush(a2a.PushConfig{ID: "b"}); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("got %v", err)
	}
	if heads, _ := s.Heads(); len(heads) != 1 {
		t.Errorf("%d tasks in the store", len(heads))
	}
}

// Receivers are kept for as long as their task is: what they may hold is
// bounded, whatever they are made of.
func TestPushBytes(t *testing.T) {
	k := create(task.NewRegistry(task.Options{}))
	long := strings.Repeat("x", 8<<10)
	for i := range 3 {
		if _, err := k.SetPush(a2a.PushConfig{ID: fmt.Sprint(i), URL: "https://example.com", Scheme: "Bearer", Credentials: long}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []a2a.PushConfig{{ID: "3", URL: long}, {ID: "3", Credentials: long}, {ID: "3", Token: long}, {ID: "0", Token: long, Credentials: long}} {
		if _, err := k.SetPush(c); !errors.Is(err, a2a.ErrInvalidParams) {
			t.Errorf("%.20v: %v", c, err)
		}
	}
	setPush(t, k, "0", "https://example.com") // a shorter one in its place
	if _, err := k.SetPush(a2a.PushConfig{ID: "3", Token: long}); err != nil || len(k.Push()) != 4 {
		t.Errorf("%v, %d receivers", err, len(k.Push()))
	}
}

// How far a receiver has got is nothing that a client is told: nobody waits for
// that to be durable.
func TestDeliveredHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		r := open(t, s, task.Options{})
		k := create(r)
		k.SetPush(a2a.PushConfig{ID: "p", URL: "https://example.com"})
		k.Status(a2a.StateWorking, nil, nil)
		show(t, k)
		s.hold()
		k.Delivered("p", 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := k.Show(ctx, nil, true); err != nil {
			t.Error(err)
		}
		wrote := s.wrote()
		s.let()
		k.Delivered("p", 1) // again: there is nothing to write
		k.Delivered("gone", 1)
		<-time.After(time.Second)
		if n := s.wrote() - wrote; n != 1 {
			t.Errorf("%d writes for one delivery", n)
		}
	})
}
