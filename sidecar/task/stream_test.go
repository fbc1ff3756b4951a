package task_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Whenever somebody subscribes, the snapshot and the events after it make up
// everything exactly once, in order.
func TestEverySubscriberSeesAllOnceInOrder(t *testing.T) {
	const chunks, subscribers = 3000, 100
	k := newTask(task.Options{})
	var want strings.Builder
	for i := range chunks {
		fmt.Fprintf(&want, "%d,", i)
	}
	progress := make([]chan struct{}, chunks)
	for i := range progress {
		progress[i] = make(chan struct{})
	}
	var wg sync.WaitGroup
	for range subscribers {
		at := rand.IntN(chunks)
		wg.Go(func() {
			<-progress[at]
			events, err := drain(t.Context(), k.Subscribe())
			if err != nil {
				t.Errorf("subscribed at %d: %v", at, err)
			} else if got := text(events); got != want.String() {
				t.Errorf("subscribed at %d: %d bytes instead of %d, or in another order", at, len(got), want.Len())
			} else if last := events[len(events)-1].State(); last != a2a.StateCompleted {
				t.Errorf("subscribed at %d: the last event says %q", at, last)
			}
		})
	}
	for i := range chunks {
		close(progress[i])
		write(t, k, fmt.Sprintf("%d,", i))
	}
	if err := k.Finish(a2a.StateCompleted, nil, nil); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
}

func TestSubscribersShareOneOrderOfEvents(t *testing.T) {
	k := newTask(task.Options{})
	a, b := k.Subscribe(), k.Subscribe()
	k.Status(a2a.StateWorking, nil, nil)
	write(t, k, "x")
	k.Finish(a2a.StateFailed, message("exit status 3"), nil)
	first, _ := drain(t.Context(), a)
	second, _ := drain(t.Context(), b)
	if len(first) != 4 || len(second) != 4 {
		t.Fatalf("%d and %d events, want 4: task, working, artifact, failed", len(first), len(second))
	}
	for i := range first {
		if first[i] != second[i] {
			t.Errorf("event %d was made twice", i)
		}
	}
	if got := first[3].Status.Status.Message.Parts[0].Text; got != "exit status 3" {
		t.Errorf("the reason is %q", got)
	}
}

func TestSubscribeToTerminalTask(t *testing.T) {
	k := newTask(task.Options{})
	write(t, k, "x")
	k.Finish(a2a.StateCompleted, nil, nil)
	events, err := drain(t.Context(), k.Subscribe())
	if err != nil || len(events) != 1 || events[0].State() != a2a.StateCompleted || text(events) != "x" {
		t.Errorf("got %d events, %v", len(events), err)
	}
}

func TestNextEndsWithItsContext(t *testing.T) {
	k := newTask(task.Options{})
	s := k.Subscribe()
	defer s.Close()
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if _, err := s.Next(ctx); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
	if k.Context().Err() != nil {
		t.Error("a client that went away stopped the task")
	}
}

// A stalled reader costs the writer one stall limit, once, and the others
// nothing of what they should get.
func TestStalledSubscriberIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTask(task.Options{Window: 64 << 10, Stall: 250 * time.Millisecond})
		stalled, reading := k.Subscribe(), k.Subscribe()
		defer stalled.Close()
		var events []*a2a.Event
		var err error
		var wg sync.WaitGroup
		wg.Go(func() { events, err = drain(t.Context(), reading) })

		start := time.Now()
		line := strings.Repeat("x", 1024)
		for range 1000 {
			write(t, k, line)
		}
		k.Finish(a2a.StateCompleted, nil, nil)
		wg.Wait()
		if took := time.Since(start); took != 250*time.Millisecond {
			t.Errorf("the writer lost %v, want one stall limit", took)
		}
		if err != nil || len(text(events)) != 1000*1024 {
			t.Errorf("the other subscriber got %d bytes, %v", len(text(events)), err)
		}
		if _, err := stalled.Next(t.Context()); !errors.Is(err, a2a.ErrStalled) {
			t.Errorf("the stalled one got %v", err)
		}
		again, err := drain(t.Context(), k.Subscribe())
		if err != nil || len(text(again)) != 1000*1024 {
			t.Errorf("subscribed again: %d bytes, %v", len(text(again)), err)
		}
	})
}

// A reader that takes something within every stall limit is waited for, however
// much it has to take before there is room.
func TestReaderThatMakesProgressIsNotCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTask(task.Options{Window: 1 << 20, Stall: 250 * time.Millisecond})
		s := k.Subscribe()
		defer s.Close()
		writeMany(t, k, 32, 31<<10)
		var wg sync.WaitGroup
		wg.Go(func() {
			for events := 0; events < 34; {
				<-time.After(200 * time.Millisecond)
				batch, err := s.Next(t.Context())
				if err != nil {
					t.Errorf("after %d events: %v", events, err)
					return
				}
				events += len(batch)
			}
		})
		big := a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: "raw", Parts: []a2a.Part{{Kind: a2a.PartRaw, Raw: make([]byte, 2<<20)}}}}
		if err := k.Artifact(t.Context(), big); err != nil {
			t.Error(err)
		}
		wg.Wait()
	})
}

// An event longer than the whole window goes to a reader that has read
// everything, and to one that has not after it was waited for.
func TestFrameLongerThanTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTask(task.Options{Window: 1024})
		s := k.Subscribe()
		defer s.Close()
		big := a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: "raw", Parts: []a2a.Part{{Kind: a2a.PartRaw, Raw: make([]byte, 100<<10)}}}}
		start := time.Now()
		if err := k.Artifact(t.Context(), big); err != nil {
			t.Fatal(err)
		}
		if time.Since(start) != 0 {
			t.Error("waited for a reader that was not behind")
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			<-time.After(100 * time.Millisecond)
			if events, err := s.Next(t.Context()); err != nil || len(events) != 2 {
				t.Errorf("%d events, %v; want the snapshot and the artifact", len(events), err)
			}
		})
		if err := k.Artifact(t.Context(), big); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 100*time.Millisecond {
			t.Errorf("room came after %v", took)
		}
		wg.Wait()
		if events, err := s.Next(t.Context()); err != nil || len(events) != 1 {
			t.Errorf("%d events, %v", len(events), err)
		}
	})
}

// A reader that leaves while the writer waits for it ends the wait.
func TestClosedSubscriberMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTask(task.Options{Window: 1024})
		s := k.Subscribe()
		write(t, k, strings.Repeat("x", 1000))
		time.AfterFunc(time.Millisecond, s.Close)
		start := time.Now()
		write(t, k, strings.Repeat("y", 1000))
		if took := time.Since(start); took != time.Millisecond {
			t.Errorf("waited %v", took)
		}
	})
}

// A canceled writer gives up the wait for room and writes nothing.
func TestArtifactEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTask(task.Options{Window: 1024})
		s := k.Subscribe()
		defer s.Close()
		write(t, k, strings.Repeat("x", 1000))
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, task.ErrDeadline)
		defer cancel()
		if err := k.Artifact(ctx, chunk("lost")); !errors.Is(err, task.ErrDeadline) {
			t.Errorf("got %v", err)
		}
		if got := partsText(k.Snapshot(nil, true).Artifacts[0].Parts); strings.Contains(got, "lost") {
			t.Error("half written")
		}
		k.Finish(a2a.StateCanceled, nil, nil)
	})
}

// Several goroutines of an owner may write; readers still agree.
func TestConcurrentWritersTakeTurns(t *testing.T) {
	k := newTask(task.Options{Window: 4096, Stall: time.Minute})
	streams := []a2a.Stream{k.Subscribe(), k.Subscribe(), k.Subscribe()}
	texts := make([]string, len(streams))
	var readers, writers sync.WaitGroup
	for i, s := range streams {
		readers.Go(func() {
			events, err := drain(t.Context(), s)
			if err != nil {
				t.Error(err)
			}
			texts[i] = text(events)
		})
	}
	for w := range 8 {
		writers.Go(func() {
			for range 200 {
				write(t, k, string(rune('a'+w)))
				k.Status(a2a.StateWorking, message("busy"), nil)
				k.SetMetadata("n", []byte("1"))
			}
		})
	}
	writers.Wait()
	k.Finish(a2a.StateCompleted, nil, nil)
	readers.Wait()
	want := partsText(k.Snapshot(nil, true).Artifacts[0].Parts)
	for i, got := range texts {
		if got != want {
			t.Errorf("subscriber %d saw another order", i)
		}
	}
}
