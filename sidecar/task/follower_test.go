package task_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// With a store nobody is cut and nobody holds the writer up: who is behind
// reads from there, everything once and in order.
func TestSlowReaderOverAStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		r := open(t, s, task.Options{Window: 64 << 10, TaskBytes: 64 << 10})
		k := create(r)
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
		writeMany(t, k, 1000, 1000)
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
		writeMany(t, k, 200, 1000)
		if took := time.Since(start); took != 250*time.Millisecond {
			t.Errorf("the writer waited %v for one that reads nothing", took)
		}
		k.Finish(a2a.StateCompleted, nil, nil)
		reading.Wait()
	})
}
