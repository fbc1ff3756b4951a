package task_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// A finished task is after a restart what it was before.
func TestFinishedTasksSurvive(t *testing.T) {
	s := newFakeStore()
	r := open(t, s, task.Options{})
	k := r.Create("", "ctx", message("hello"), a2a.Metadata{"a": []byte("1")})
	k.Status(a2a.StateWorking, message("on it"), nil)
	for _, u := range []a2a.ArtifactUpdate{
		chunk("one "), chunk("two"),
		{Append: true, Artifact: a2a.Artifact{ID: "response", Parts: []a2a.Part{a2a.DataPart([]byte(`{"n":1}`)), a2a.TextPart("apart")}}},
		{Artifact: a2a.Artifact{ID: "raw", Name: "n", Parts: []a2a.Part{{Kind: a2a.PartRaw, Raw: []byte{1, 2}, MediaType: "x/y"}}}},
	} {
		if err := k.Artifact(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	long := chunk(strings.Repeat("é", 100<<10))
	if err := k.Artifact(t.Context(), long); err != nil {
		t.Fatal(err)
	}
	k.SetMetadata("b", []byte(`"2"`))
	k.AddMessage(*message("said"))
	k.FinishMessage(message("pong"))
	want := show(t, k)
	before, err := drain(t.Context(), k.SubscribeAfter(1))
	if err != nil {
		t.Fatal(err)
	}

	r = open(t, s.crash(), task.Options{})
	k = get(t, r, k.ID())
	if diff := cmp.Diff(want, show(t, k)); diff != "" {
		t.Error(diff)
	}
	if k.State() != a2a.StateCompleted || k.Context().Err() == nil || len(r.Running()) != 0 {
		t.Errorf("state %s", k.State())
	}
	after, err := drain(t.Context(), k.SubscribeAfter(1))
	if err != nil || !slices.EqualFunc(before, after, func(a, b *a2a.Event) bool {
		return a.ID == b.ID && string(codec.EncodeEvent(a, a2a.V10)) == string(codec.EncodeEvent(b, a2a.V10))
	}) {
		t.Errorf("%d events instead of %d, %v", len(after), len(before), err)
	}
	if events, err := drain(t.Context(), k.Subscribe()); err != nil || len(events) != 1 || text(events) != text([]*a2a.Event{{Task: want}}) || events[0].ID != before[len(before)-1].ID {
		t.Errorf("subscribed: %v, %v", eventIDs(events), err)
	}
	if err := k.Status(a2a.StateWorking, nil, nil); !errors.Is(err, task.ErrFinished) {
		t.Errorf("it could be written: %v", err)
	}
}

// What had not finished has failed, says why, and keeps what it had. IDs of
// events that were seen and lost are not given out again.
func TestInterruptedByRestart(t *testing.T) {
	s := newFakeStore()
	r := open(t, s, task.Options{})
	asking := create(r)
	asking.SetPush(a2a.PushConfig{ID: "p", URL: "https://example.com"})
	write(t, asking, "half")
	asking.Status(a2a.StateInputRequired, message("more?"), nil)
	fresh := r.Create("", "ctx", message("new"), nil)
	show(t, fresh)
	s.hold()
	write(t, asking, "seen and lost")
	seen := asking.SubscribeAfter(2)
	if events := next(t, seen); events[0].ID != 3 {
		t.Fatal(eventIDs(events))
	}

	s = s.crash()
	r = open(t, s, task.Options{})
	for _, k := range []*task.Task{asking, fresh} {
		got := show(t, get(t, r, k.ID()))
		if got.Status.State != a2a.StateFailed || got.Status.Message.Parts[0].Text != "interrupted by restart" || len(got.History) != 1 {
			t.Errorf("%+v", got)
		}
	}
	k := get(t, r, asking.ID())
	if got := partsText(show(t, k).Artifacts[0].Parts); got != "half" {
		t.Errorf("it has %q", got)
	}
	if p := k.Push(); len(p) != 1 || p[0].Config.URL != "https://example.com" {
		t.Errorf("push configs: %+v", p)
	}
	for after, want := range map[uint64]string{1: "[2 1048578]", 2: "[1048578]", 3: "[1048578]"} {
		events, err := drain(t.Context(), k.SubscribeAfter(after))
		if got := fmt.Sprint(eventIDs(events)); err != nil || got != want {
			t.Errorf("after %d: %s, %v", after, got, err)
		}
		if lost := after == 3; lost != (events[0].Task != nil) {
			t.Errorf("after %d: a snapshot: %v", after, !lost)
		}
	}
	if l := list(t, r, a2a.ListRequest{State: a2a.StateFailed}); l.TotalSize != 2 || len(list(t, r, a2a.ListRequest{State: a2a.StateInputRequired}).Tasks) != 0 {
		t.Errorf("%d listed", l.TotalSize)
	}
	if own, all := r.Open(""); own != 0 || all != 0 {
		t.Errorf("%d, %d open", own, all)
	}
	// It is durable: the next restart changes nothing.
	want := show(t, k)
	r = open(t, s.crash(), task.Options{})
	if diff := cmp.Diff(want, show(t, get(t, r, k.ID()))); diff != "" {
		t.Error(diff)
	}
}

// Pages go on over a restart, and new tasks come before the old ones.
func TestListOverARestart(t *testing.T) {
	s := newFakeStore()
	r := open(t, s, task.Options{})
	var want []string
	for i := range 25 {
		k := r.Create("", "ctx", message(fmt.Sprint(i)), nil)
		k.Finish(a2a.StateCompleted, nil, nil)
		want = append([]string{k.ID()}, want...)
	}
	first := list(t, r, a2a.ListRequest{PageSize: 10})
	r = open(t, s.crash(), task.Options{})
	k := r.Create("", "ctx", message("new"), nil)
	second := list(t, r, a2a.ListRequest{PageSize: 100, PageToken: first.NextPageToken})
	if got := append(ids(first), ids(second)...); !slices.Equal(got, want) {
		t.Errorf("%d of %d over the pages", len(got), len(want))
	}
	if l := list(t, r, a2a.ListRequest{}); l.TotalSize != 26 || l.Tasks[0].ID != k.ID() || l.Tasks[1].ID != want[0] {
		t.Errorf("%d in all, first %s", l.TotalSize, l.Tasks[0].ID)
	}
}

func TestOpenRegistryReportsTheStore(t *testing.T) {
	s := &brokenStore{newFakeStore()}
	if _, err := task.OpenRegistry(t.Context(), task.Options{Store: s}); !errors.Is(err, errDisk) {
		t.Errorf("got %v", err)
	}
	if r, err := task.OpenRegistry(t.Context(), task.Options{}); err != nil || r == nil {
		t.Errorf("without a store: %v", err)
	}
	// A disk that is full delays nothing: what was interrupted has failed all
	// the same.
	full := newFakeStore()
	k := create(open(t, full, task.Options{}))
	show(t, k)
	slow := full.crash()
	full = full.crash()
	full.fail(errDisk)
	r := open(t, full, task.Options{})
	if got := get(t, r, k.ID()).State(); got != a2a.StateFailed {
		t.Errorf("it is %s", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	slow.hold()
	if _, err := task.OpenRegistry(ended, task.Options{Store: slow}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// brokenStore cannot be read.
type brokenStore struct{ *fakeStore }

func (*brokenStore) Heads() ([]task.Head, error) { return nil, errDisk }
