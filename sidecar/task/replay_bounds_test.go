package task_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// In memory the newest events are at hand, as many as the window holds: who
// wants more gets a snapshot. With a store they all are.
func TestReplayIsBounded(t *testing.T) {
	for name, registry := range registries {
		t.Run(name, func(t *testing.T) {
			r := registry(t, task.Options{Window: 64 << 10})
			k := create(r)
			writeMany(t, k, 200, 1000)
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
		k := create(r)
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

// Tasks that run are bounded, too: each gives up its own oldest events.
func TestReplayOfRunningTasksIsBounded(t *testing.T) {
	r := task.NewRegistry(task.Options{ReplayBytes: 1 << 20})
	whole := 0
	for range 20 {
		k := create(r)
		writeMany(t, k, 100, 1<<10)
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

// Tasks that are forgotten or discarded give up what they kept.
func TestForgottenTasksKeepNoEvents(t *testing.T) {
	for name, registry := range registries {
		t.Run(name, func(t *testing.T) {
			r := registry(t, task.Options{ReplayBytes: 1 << 20, KeepTasks: 2})
			for range 60 {
				for _, end := range []func(*task.Task){func(k *task.Task) { k.Finish(a2a.StateCompleted, nil, nil) }, r.Discard} {
					k := create(r)
					writeMany(t, k, 20, 1<<10)
					end(k)
				}
			}
			k := create(r)
			writeMany(t, k, 100, 1<<10)
			s := k.Follow(1)
			defer s.Close()
			if events := next(t, s); events[0].Task != nil {
				t.Error("there is no room for a new task's events")
			}
		})
	}
}

// What only a reader still needs goes with it.
func TestReaderThatLeavesFreesItsEvents(t *testing.T) {
	r := task.NewRegistry(task.Options{ReplayBytes: 1 << 20})
	long := create(r)
	s := long.Subscribe()
	writeMany(t, long, 900, 1<<10)
	long.Finish(a2a.StateCompleted, nil, nil)
	keeps := func() bool {
		k := create(r)
		writeMany(t, k, 10, 1<<10)
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
