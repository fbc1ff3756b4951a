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
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

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

// Who comes back after any event gets what came after it, and no snapshot.
func TestSubscribeAfter(t *testing.T) {
	for name, registry := range registries {
		t.Run(name, func(t *testing.T) {
			const chunks = 50
			r := registry(t, task.Options{})
			k := create(r)
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

// Where the store has lost events, a stream that wants them goes on with a
// snapshot.
func TestHoleInTheStore(t *testing.T) {
	s := newFakeStore()
	r := open(t, s, task.Options{Window: 1024})
	k := create(r)
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
			k := create(r)
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
