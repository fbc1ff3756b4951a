package task_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// After a restart on a disk that is full, everything says of an interrupted
// task what the list says: that it has failed, and why.
func TestInterruptedOnAFullDisk(t *testing.T) {
	s := newFakeStore()
	k := create(open(t, s, task.Options{}))
	k.Status(a2a.StateWorking, nil, nil)
	write(t, k, "half")
	show(t, k)
	s.let()
	s = s.crash()
	s.fail(errDisk)
	r := open(t, s, task.Options{})
	told := map[string]*a2a.Task{"got": show(t, get(t, r, k.ID()))}
	if l := list(t, r, a2a.ListRequest{State: a2a.StateFailed, IncludeArtifacts: true}); len(l.Tasks) == 1 {
		told["listed"] = l.Tasks[0]
	}
	for how, after := range map[string]uint64{"subscribed": 0, "came back": 2} {
		events, err := drain(t.Context(), get(t, r, k.ID()).SubscribeAfter(after))
		if err != nil || len(events) != 1 {
			t.Fatalf("%s: %v, %v", how, eventIDs(events), err)
		}
		told[how] = events[0].Task
	}
	for _, how := range []string{"got", "listed", "subscribed", "came back"} {
		got := told[how]
		if got == nil || got.Status.State != a2a.StateFailed || got.Status.Message == nil ||
			got.Status.Message.Parts[0].Text != "interrupted by restart" || partsText(got.Artifacts[0].Parts) != "half" {
			t.Errorf("%s: %+v", how, got)
		}
	}
	// Nor does a receiver that is configured or served meanwhile bring back what
	// the store has.
	if _, err := get(t, r, k.ID()).SetPush(a2a.PushConfig{ID: "p", URL: "https://example.com"}); err != nil {
		t.Fatal(err)
	}
	s.fail(nil)
	want := show(t, get(t, r, k.ID()))
	if want.Status.State != a2a.StateFailed {
		t.Errorf("when the disk can write again: %s", want.Status.State)
	}
	if diff := cmp.Diff(want, show(t, get(t, open(t, s.crash(), task.Options{}), k.ID()))); diff != "" {
		t.Errorf("after one more restart: %s", diff)
	}
}

// However little is retained, who waits for a task is told how it ended, and who
// follows it sees it end.
func TestForgottenWhileItIsShown(t *testing.T) {
	s := newFakeStore()
	r := open(t, s, task.Options{RetainTasks: 1})
	k := create(r)
	stream := k.Subscribe()
	write(t, k, "all of it")
	k.Finish(a2a.StateCompleted, nil, nil)
	finishedTask(t, r, "ctx", "the newest")
	if _, err := r.Get("", k.ID()); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Fatalf("it is kept: %v", err)
	}
	if got := show(t, k); got.Status.State != a2a.StateCompleted || partsText(got.Artifacts[0].Parts) != "all of it" {
		t.Errorf("%+v", got)
	}
	events, err := drain(t.Context(), stream)
	if err != nil || len(events) == 0 || events[len(events)-1].State() != a2a.StateCompleted || !strings.Contains(text(events[len(events)-1:]), "all of it") {
		t.Errorf("%v, %v", eventIDs(events), err)
	}
}

// A client that comes back while the disk hangs waits for it, over heartbeats
// too: it does not get everything again.
func TestComingBackToAHungDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		r := open(t, s, task.Options{ReplayBytes: 1})
		k := create(r)
		write(t, k, "one")
		show(t, k)
		s.hold()
		write(t, k, "two")
		k.Status(a2a.StateWorking, nil, nil)
		stream := k.SubscribeAfter(1)
		defer stream.Close()
		for range 3 {
			beat, cancel := context.WithTimeout(t.Context(), time.Second)
			if events, err := stream.Next(beat); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("%v, %v", eventIDs(events), err)
			}
			cancel()
		}
		s.let()
		k.Finish(a2a.StateCompleted, nil, nil)
		events, err := drain(t.Context(), stream)
		if got := fmt.Sprint(eventIDs(events)); err != nil || got != "[2 3 4]" || events[0].Task != nil {
			t.Errorf("%s, %v", got, err)
		}
	})
}

// What tasks in memory have in the store beyond what memory keeps counts
// towards a page, too.
func TestPagesOfCutTasksAreBounded(t *testing.T) {
	r := open(t, newFakeStore(), task.Options{TaskBytes: 1000, KeepBytes: 100_000})
	for range 10 {
		k := create(r)
		writeMany(t, k, 40, 1000)
		show(t, k)
	}
	total := 0
	for _, k := range list(t, r, a2a.ListRequest{IncludeArtifacts: true}).Tasks {
		for _, a := range k.Artifacts {
			total += len(partsText(a.Parts))
		}
	}
	if total > 140_000 {
		t.Errorf("%d bytes on one page", total)
	}
}
