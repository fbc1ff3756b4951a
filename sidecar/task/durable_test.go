package task_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// What clients are told of a status, a message or metadata is durable before
// they are: whatever way they are told. Nothing of it holds the writer up.
func TestNothingIsSeenBeforeItIsDurable(t *testing.T) {
	ways := map[string]func(t *testing.T, r *task.Registry, k *task.Task) error{
		"show": func(t *testing.T, _ *task.Registry, k *task.Task) error {
			_, err := k.Show(t.Context(), nil, true)
			return err
		},
		"durable": func(t *testing.T, _ *task.Registry, k *task.Task) error { return k.Durable(t.Context()) },
		"list": func(t *testing.T, r *task.Registry, _ *task.Task) error {
			_, err := r.List(t.Context(), &a2a.ListRequest{State: a2a.StateCompleted})
			return err
		},
		"subscribe": func(t *testing.T, _ *task.Registry, k *task.Task) error {
			_, err := k.Subscribe().Next(t.Context())
			return err
		},
		"follow": func(t *testing.T, _ *task.Registry, k *task.Task) error {
			_, err := k.Follow(1).Next(t.Context())
			return err
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFakeStore()
				r := open(t, s, task.Options{})
				k := create(r)
				k.Status(a2a.StateWorking, nil, nil)
				show(t, k)
				s.hold()
				k.Finish(a2a.StateCompleted, nil, nil)
				told := make(chan error, 1)
				go func() { told <- way(t, r, k) }()
				synctest.Wait()
				select {
				case err := <-told:
					t.Fatalf("told before it is durable: %v", err)
				default:
				}
				s.let()
				if err := <-told; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Chunks are seen at once; the status after them when it is durable, and they
// are so before it.
func TestChunksAreSeenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		r := open(t, s, task.Options{})
		k := create(r)
		stream := k.Subscribe()
		defer stream.Close()
		if _, err := stream.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.hold()
		write(t, k, "a")
		if events, err := stream.Next(t.Context()); err != nil || text(events) != "a" {
			t.Fatalf("%d events, %v", len(events), err)
		}
		k.Finish(a2a.StateCompleted, nil, nil)
		beat, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := stream.Next(beat); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("the end was seen: %v", err)
		}
		s.let()
		events, err := drain(t.Context(), stream)
		if err != nil || len(events) != 1 || events[0].ID != 2 || events[0].State() != a2a.StateCompleted {
			t.Errorf("after a wait that ended: %v, %v", events, err)
		}
	})
}

// A message that is answered when all is done costs one write.
func TestABlockingSendIsOneWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		r := open(t, s, task.Options{})
		k := create(r)
		k.Status(a2a.StateWorking, nil, nil)
		for range 100 {
			write(t, k, "x")
		}
		k.AddMessage(*message("answer"))
		k.Finish(a2a.StateCompleted, nil, nil)
		if got := show(t, k); got.Status.State != a2a.StateCompleted || len(got.History) != 2 {
			t.Errorf("%+v", got)
		}
		if n := s.wrote(); n != 1 {
			t.Errorf("%d writes", n)
		}
	})
}

// A store that cannot write is told of once an outage, and what runs goes on
// and is seen.
func TestAFaultHoldsNothingUp(t *testing.T) {
	s := newFakeStore()
	var log strings.Builder
	r := open(t, s, task.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	for range 2 {
		s.fail(errDisk)
		k := create(r)
		stream := k.Subscribe()
		write(t, k, "x")
		k.Finish(a2a.StateCompleted, nil, nil)
		if events, err := drain(t.Context(), stream); err != nil || len(events) != 3 || text(events) != "x" {
			t.Errorf("%d events, %v", len(events), err)
		}
		if got := show(t, k); got.Status.State != a2a.StateCompleted {
			t.Errorf("%+v", got)
		}
		s.fail(nil)
		if err := create(r).Durable(t.Context()); err != nil {
			t.Error(err)
		}
		found, err := task.OpenRegistry(t.Context(), task.Options{Store: s.crash()})
		if err != nil {
			t.Fatal(err)
		}
		if got := show(t, get(t, found, k.ID())); got.Status.State != a2a.StateCompleted || partsText(got.Artifacts[0].Parts) != "x" {
			t.Errorf("after the outage: %+v", got)
		}
	}
	if n := strings.Count(log.String(), errDisk.Error()); n != 2 {
		t.Errorf("told %d times of 2 outages:\n%s", n, log.String())
	}
}

// Whatever a client was shown is there after a crash, at any moment, with many
// writers and readers.
func TestCrashLosesNothingThatWasShown(t *testing.T) {
	for range 30 {
		s := newFakeStore()
		r := open(t, s, task.Options{})
		var wg sync.WaitGroup
		var mu sync.Mutex
		var shown []*a2a.Task
		var crashed *fakeStore
		for w := range 4 {
			wg.Go(func() {
				for i := range 20 {
					k := create(r)
					k.Status(a2a.StateWorking, nil, nil)
					write(t, k, "x")
					k.SetMetadata("n", []byte("1"))
					k.AddMessage(*message("said"))
					if i%3 != w%3 {
						k.Finish(a2a.StateCompleted, message("done"), nil)
					}
					got := show(t, k)
					mu.Lock()
					if crashed == nil {
						shown = append(shown, got)
						if len(shown) == 40 {
							crashed = s.crash()
						}
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		again := open(t, crashed, task.Options{})
		for _, want := range shown {
			got := show(t, get(t, again, want.ID))
			if len(got.History) < len(want.History) || got.History[1].ID != want.History[1].ID || string(got.Metadata["n"]) != "1" {
				t.Fatalf("%s: history of %d messages, metadata %s", want.ID, len(got.History), got.Metadata)
			}
			if want.Status.State.Terminal() && (got.Status.State != want.Status.State || got.Status.Message.ID != want.Status.Message.ID ||
				!got.Status.Timestamp.Equal(want.Status.Timestamp) || partsText(got.Artifacts[0].Parts) != "x") {
				t.Fatalf("it ended %+v, and is %+v after the crash", want.Status, got.Status)
			}
			if !want.Status.State.Terminal() && got.Status.State != a2a.StateFailed {
				t.Fatalf("it ran, and is %s after the crash", got.Status.State)
			}
		}
	}
}

// A wait that ends early, as those between heartbeats do, loses nothing: not
// the snapshot, nor what must be read from the store for it.
func TestNextThatEndsEarlyLosesNothing(t *testing.T) {
	for name, bytes := range map[string]int64{"from memory": 1 << 20, "from the store": 1000} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFakeStore()
				r := open(t, s, task.Options{TaskBytes: bytes})
				s.hold()
				k := create(r)
				writeMany(t, k, 5, 1000)
				stream := k.Subscribe()
				write(t, k, "more")
				for range 3 {
					beat, cancel := context.WithTimeout(t.Context(), time.Second)
					if events, err := stream.Next(beat); !errors.Is(err, context.DeadlineExceeded) {
						t.Fatalf("%d events, %v", len(events), err)
					}
					cancel()
				}
				s.let()
				k.Finish(a2a.StateCompleted, nil, nil)
				events, err := drain(t.Context(), stream)
				if err != nil || events[0].Task == nil || events[0].ID != 5 || len(events) != 3 || len(text(events)) != 5004 {
					t.Errorf("%v, %d bytes, %v", eventIDs(events), len(text(events)), err)
				}
			})
		})
	}
}

// A page tells how many tasks there are, those on other pages too.
func TestTotalsAreDurable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		r := open(t, s, task.Options{})
		for range 2 {
			finishedTask(t, r, "ctx", "x")
		}
		q := a2a.ListRequest{PageSize: 1, PageToken: list(t, r, a2a.ListRequest{PageSize: 1}).NextPageToken}
		running := create(r)
		show(t, running)
		s.hold()
		for i, name := range []string{"running", "finished"} {
			states := []a2a.TaskState{a2a.StateWorking, a2a.StateCompleted}
			running.Status(states[i], nil, nil)
			told := make(chan *a2a.TaskList, 1)
			go func() { told <- list(t, r, q) }()
			synctest.Wait()
			if len(told) > 0 {
				t.Errorf("%s: a page was told before it is durable", name)
			}
			s.let()
			if l := <-told; l.TotalSize != 3 || len(l.Tasks) != 1 {
				t.Errorf("%s: %d in all", name, l.TotalSize)
			}
			s.hold()
		}
		s.let()
	})
}
