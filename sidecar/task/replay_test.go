package task_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/task/disk"
)

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

// next reads one batch.
func next(t testing.TB, s a2a.Stream) []*a2a.Event {
	t.Helper()
	events, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// Events have the places 1, 2, 3 …, and a snapshot that of the last one it
// holds.
func TestEventIDs(t *testing.T) {
	k := newTask(task.Options{})
	s := k.Subscribe()
	k.Status(a2a.StateWorking, nil, nil)
	write(t, k, "a")
	late := k.Subscribe()
	k.Finish(a2a.StateCompleted, nil, nil)
	for name, c := range map[string]struct {
		s    a2a.Stream
		want string
	}{"from the start": {s, "[0 1 2 3]"}, "late": {late, "[2 3]"}, "at the end": {k.Subscribe(), "[3]"}} {
		events, err := drain(t.Context(), c.s)
		if got := fmt.Sprint(eventIDs(events)); got != c.want || err != nil {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

func eventIDs(events []*a2a.Event) (ids []uint64) {
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	return ids
}

// Who comes back after any event gets what came after it, and no snapshot.
func TestSubscribeAfter(t *testing.T) {
	for name, registry := range registries {
		t.Run(name, func(t *testing.T) {
			const chunks = 50
			r := registry(t, task.Options{})
			k := r.Create("", "ctx", message("hello"), nil)
			k.Status(a2a.StateWorking, nil, nil)
			var open []a2a.Stream
			for i := range chunks {
				open = append(open, k.SubscribeAfter(uint64(i+1)))
				write(t, k, fmt.Sprint(i%10))
			}
			k.Finish(a2a.StateCompleted, nil, nil)
			for i := range chunks + 1 {
				streams := []a2a.Stream{k.SubscribeAfter(uint64(i + 1)), k.Follow(uint64(i + 1))}
				if i < chunks {
					streams = append(streams, open[i])
				}
				for _, s := range streams {
					events, err := drain(t.Context(), s)
					if err != nil || len(events) != chunks-i+1 || events[0].Task != nil || events[0].ID != uint64(i+2) {
						t.Fatalf("after %d: %v, %v", i+1, eventIDs(events), err)
					}
				}
			}
			for name, after := range map[string]uint64{"the last": chunks + 2, "one that never was": chunks + 3} {
				if events, err := drain(t.Context(), k.SubscribeAfter(after)); err != nil || len(events) != 0 {
					t.Errorf("after %s: %v, %v", name, eventIDs(events), err)
				}
			}
		})
	}
}

// An ID that the running task has not given out gets a snapshot.
func TestSubscribeAfterAnUnknownEvent(t *testing.T) {
	k := newTask(task.Options{})
	k.Status(a2a.StateWorking, nil, nil)
	s := k.SubscribeAfter(7)
	defer s.Close()
	if events := next(t, s); len(events) != 1 || events[0].Task == nil || events[0].ID != 1 {
		t.Errorf("%v", eventIDs(events))
	}
}

// In memory the newest events are at hand, as many as the window holds: who
// wants more gets a snapshot. With a store they all are.
func TestReplayIsBounded(t *testing.T) {
	for name, registry := range registries {
		t.Run(name, func(t *testing.T) {
			r := registry(t, task.Options{Window: 64 << 10})
			k := r.Create("", "ctx", message("hello"), nil)
			for range 200 {
				write(t, k, strings.Repeat("x", 1000))
			}
			k.Finish(a2a.StateCompleted, nil, nil)
			for after, snapshot := range map[uint64]bool{1: name == "memory", 190: false} {
				events, err := drain(t.Context(), k.SubscribeAfter(after))
				want := 201 - int(after)
				if snapshot {
					want = 1
				}
				if err != nil || len(events) != want || (events[0].Task != nil) != snapshot {
					t.Errorf("after %d: %d events, %v", after, len(events), err)
				}
			}
		})
	}
}

// All tasks together keep ReplayBytes, the oldest finished give up first, and a
// reader that needs its events has them all the same.
func TestReplayOfAllTasksIsBounded(t *testing.T) {
	r := task.NewRegistry(task.Options{ReplayBytes: 1 << 20})
	before := heap()
	line := strings.Repeat("x", 1<<10)
	var all []*task.Task
	var reading a2a.Stream
	for i := range 40 {
		k := r.Create("", "ctx", message("hello"), nil)
		if i == 0 {
			reading = k.Subscribe()
		}
		for range 100 {
			write(t, k, line)
		}
		if i != 20 {
			k.Finish(a2a.StateCompleted, nil, nil)
		}
		all = append(all, k)
	}
	if grown := heap() - before; grown > 40*(100<<10)*3/2+2<<20 {
		t.Errorf("the heap grew by %d KiB for 4 MiB of artifacts and 1 MiB of events", grown>>10)
	}
	all[20].Finish(a2a.StateCompleted, nil, nil)
	for i, want := range map[int]bool{1: false, 20: true, 39: true} {
		events, err := drain(t.Context(), all[i].SubscribeAfter(1))
		if err != nil || (events[0].Task == nil) != want {
			t.Errorf("task %d: %d events from %d on, %v", i, len(events), events[0].ID, err)
		}
	}
	if events, err := drain(t.Context(), reading); err != nil || text(events) != strings.Repeat(line, 100) || events[0].ID != 0 {
		t.Errorf("the reader got %d bytes, %v", len(text(events)), err)
	}
}

// With a store nobody is cut and nobody holds the writer up: who is behind
// reads from there, everything once and in order.
func TestSlowReaderOverAStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		r := open(t, s, task.Options{Window: 64 << 10, TaskBytes: 64 << 10})
		k := r.Create("", "ctx", message("hello"), nil)
		slow, following := k.Subscribe(), k.Follow(0)
		if events := next(t, slow); len(events) != 1 {
			t.Fatal("no snapshot")
		}
		var want strings.Builder
		start := time.Now()
		for i := range 3000 {
			line := fmt.Sprintf("%d:%s\n", i, strings.Repeat("x", 500))
			want.WriteString(line)
			write(t, k, line)
			if i%100 == 0 {
				next(t, slow) // some, now and then: far too little
			}
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("the writer lost %v", took)
		}
		k.Finish(a2a.StateCompleted, nil, nil)
		again, err := drain(t.Context(), slow)
		if err != nil || again[len(again)-1].State() != a2a.StateCompleted {
			t.Errorf("the slow one ended with %v", err)
		}
		for i := range again[1:] {
			if again[i+1].ID != again[i].ID+1 {
				t.Fatalf("%d follows %d", again[i+1].ID, again[i].ID)
			}
		}
		if again[len(again)-1].ID != 3001 || again[0].Task != nil {
			t.Errorf("it missed something: %d … %d", again[0].ID, again[len(again)-1].ID)
		}
		events, err := drain(t.Context(), following)
		if err != nil || text(events) != want.String() {
			t.Errorf("the follower got %d bytes of %d, %v", len(text(events)), want.Len(), err)
		}
		if s.bytes < 500<<10 {
			t.Errorf("only %d bytes were read from the store", s.bytes)
		}
	})
}

// In memory a follower that falls behind gets a new snapshot instead, and the
// writer does not know it.
func TestFollowerInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTask(task.Options{Window: 64 << 10})
		s := k.Follow(0)
		defer s.Close()
		if events := next(t, s); len(events) != 1 || events[0].Task == nil {
			t.Fatal("no snapshot")
		}
		write(t, k, "first")
		start := time.Now()
		for range 1000 {
			write(t, k, strings.Repeat("x", 1000))
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("the writer lost %v", took)
		}
		events := next(t, s)
		if events[0].Task == nil || events[0].ID != 1001 || len(text(events)) != 5+1000*1000 {
			t.Errorf("%v, %d bytes", eventIDs(events), len(text(events)))
		}
		k.Finish(a2a.StateCompleted, nil, nil)
		if rest, err := drain(t.Context(), s); err != nil || len(rest) != 1 || rest[0].ID != 1002 {
			t.Errorf("%v, %v", eventIDs(rest), err)
		}
	})
}

// Where the store has lost events, a stream that wants them goes on with a
// snapshot.
func TestHoleInTheStore(t *testing.T) {
	s := newFakeStore()
	r := open(t, s, task.Options{Window: 1024})
	k := r.Create("", "ctx", message("hello"), nil)
	for i := range 100 {
		write(t, k, fmt.Sprintf("%100d", i))
	}
	if err := k.Status(a2a.StateWorking, nil, nil); err != nil {
		t.Fatal(err)
	}
	show(t, k)
	s.lose(k.ID(), 40)
	stream := k.SubscribeAfter(30)
	defer stream.Close()
	var all []*a2a.Event
	for len(all) == 0 || all[len(all)-1].ID < 101 {
		all = append(all, next(t, stream)...)
	}
	if got := fmt.Sprint(eventIDs(all)); got != "[31 32 33 34 35 36 37 38 39 101]" || all[9].Task == nil || len(text(all[9:])) != 10_000 {
		t.Errorf("%s, then %d bytes", got, len(text(all[9:])))
	}
}

// Many writers, and readers that go away in the middle and come back after the
// last event they have: everything exactly once, in order.
func TestReconnectingReaders(t *testing.T) {
	for name, registry := range registries {
		t.Run(name, func(t *testing.T) {
			const events = 4000
			o := task.Options{Window: 8 << 20}
			if name != "memory" {
				o.Window = 8 << 10 // most of it is read from there
			}
			r := registry(t, o)
			k := r.Create("", "ctx", message("hello"), nil)
			var readers, writers sync.WaitGroup
			got := make([]strings.Builder, 8)
			for i := range got {
				readers.Go(func() { reconnect(t, k, &got[i]) })
			}
			for w := range 4 {
				writers.Go(func() {
					for range events / 4 {
						write(t, k, string(rune('a'+w)))
					}
				})
			}
			writers.Wait()
			k.Finish(a2a.StateCompleted, nil, nil)
			readers.Wait()
			want := partsText(show(t, k).Artifacts[0].Parts)
			for i := range got {
				if got[i].String() != want {
					t.Errorf("reader %d got %d bytes of %d, or in another order", i, got[i].Len(), len(want))
				}
			}
		})
	}
}

// reconnect reads a task to its end over many connections.
func reconnect(t *testing.T, k *task.Task, into *strings.Builder) {
	after := uint64(0)
	for {
		s := k.SubscribeAfter(after)
		for range 1 + rand.IntN(4) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			events, err := s.Next(ctx)
			cancel()
			if errors.Is(err, io.EOF) {
				s.Close()
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			for _, e := range events {
				if e.Task != nil && after > 0 || e.Task == nil && e.ID != after+1 {
					t.Errorf("event %d came after %d", e.ID, after)
				}
				after = e.ID
			}
			into.WriteString(text(events))
		}
		s.Close()
	}
}

// Tasks that are forgotten or discarded give up what they kept.
func TestForgottenTasksKeepNoEvents(t *testing.T) {
	for name, registry := range registries {
		t.Run(name, func(t *testing.T) {
			r := registry(t, task.Options{ReplayBytes: 1 << 20, KeepTasks: 2})
			for range 60 {
				for _, end := range []func(*task.Task){func(k *task.Task) { k.Finish(a2a.StateCompleted, nil, nil) }, r.Discard} {
					k := r.Create("", "ctx", message("hello"), nil)
					for range 20 {
						write(t, k, strings.Repeat("x", 1<<10))
					}
					end(k)
				}
			}
			k := r.Create("", "ctx", message("hello"), nil)
			for range 100 {
				write(t, k, strings.Repeat("x", 1<<10))
			}
			s := k.Follow(1)
			defer s.Close()
			if events := next(t, s); events[0].Task != nil {
				t.Error("there is no room for a new task's events")
			}
		})
	}
}

// Tasks that run are bounded, too: each gives up its own oldest events.
func TestReplayOfRunningTasksIsBounded(t *testing.T) {
	r := task.NewRegistry(task.Options{ReplayBytes: 1 << 20})
	whole := 0
	for range 20 {
		k := r.Create("", "ctx", message("hello"), nil)
		for range 100 {
			write(t, k, strings.Repeat("x", 1<<10))
		}
		s := k.SubscribeAfter(1)
		if next(t, s)[0].Task == nil {
			whole++
		}
		s.Close()
	}
	if whole < 1 || whole > 5 {
		t.Errorf("%d of 20 tasks keep 100 KiB each of 1 MiB", whole)
	}
}

// A follower that reads makes no room for those that the writer waits for.
func TestFollowerMakesNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTask(task.Options{Window: 64 << 10})
		s, following := k.Subscribe(), k.Follow(0)
		defer s.Close()
		var reading sync.WaitGroup
		reading.Go(func() {
			<-time.After(100 * time.Millisecond) // the writer waits by then
			if events, err := drain(t.Context(), following); err != nil || len(events) < 2 {
				t.Errorf("%d events, %v", len(events), err)
			}
		})
		start := time.Now()
		for range 200 {
			write(t, k, strings.Repeat("x", 1000))
		}
		if took := time.Since(start); took != 250*time.Millisecond {
			t.Errorf("the writer waited %v for one that reads nothing", took)
		}
		k.Finish(a2a.StateCompleted, nil, nil)
		reading.Wait()
	})
}

// What only a reader still needs goes with it.
func TestReaderThatLeavesFreesItsEvents(t *testing.T) {
	r := task.NewRegistry(task.Options{ReplayBytes: 1 << 20})
	long := r.Create("", "ctx", message("hello"), nil)
	s := long.Subscribe()
	for range 900 {
		write(t, long, strings.Repeat("x", 1<<10))
	}
	long.Finish(a2a.StateCompleted, nil, nil)
	keeps := func() bool {
		k := r.Create("", "ctx", message("hello"), nil)
		for range 10 {
			write(t, k, strings.Repeat("x", 1<<10))
		}
		s := k.SubscribeAfter(1)
		defer s.Close()
		return next(t, s)[0].Task == nil
	}
	if keeps() {
		t.Error("there is room beside what the reader needs")
	}
	s.Close()
	if !keeps() {
		t.Error("there is no room though the reader has left")
	}
}
