package push_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/push"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// A caller whose receivers hang, at whatever hosts, holds up nobody else's, at
// the same host neither.
func TestCallersShareSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{Concurrency: 8}, task.Options{})
		for i := range 20 {
			r.answer[fmt.Sprint("slow", i)] = hangs
		}
		for i := range 20 {
			k := r.of("eve")
			r.add(k, fmt.Sprint("slow", i), a2a.V10)
			r.add(k, "shared", a2a.V10)
		}
		synctest.Wait()
		if s := r.push.Stats(); s.Sending != 4 {
			t.Errorf("one caller: %+v", s)
		}
		begin := time.Now()
		k := r.of("bob")
		r.add(k, "shared", a2a.V10)
		r.add(k, "own", a2a.V10)
		synctest.Wait()
		r.status(k, a2a.StateCompleted)
		synctest.Wait()
		r.want("own", "task:submitted completed")
		if got := r.taken("shared"); !strings.HasSuffix(got, " completed") || time.Since(begin) != 0 {
			t.Errorf("at a host that the other one uses: %q", got)
		}
	})
}

// All ports of a machine are one host.
func TestPortsShareSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{Concurrency: 8}, task.Options{})
		k := r.create()
		for port := range 8 {
			r.answer[fmt.Sprint("slow:", 8000+port)] = hangs
		}
		for port := range 8 {
			r.add(k, fmt.Sprint("slow:", 8000+port), a2a.V10)
		}
		synctest.Wait()
		if s := r.push.Stats(); s.Sending != 2 {
			t.Errorf("%+v", s)
		}
	})
}

// Of too many receivers that are behind those of the caller go who has most of
// them, not those that somebody else waits for.
func TestCallersShareRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{Concurrency: 4000}, task.Options{})
		var down atomic.Bool
		down.Store(true)
		r.answer["down"] = isDown
		r.answer["bob"] = downWhile(&down)
		k := r.of("bob")
		r.add(k, "bob", a2a.V10)
		synctest.Wait()
		r.status(k, a2a.StateCompleted)
		time.Sleep(time.Minute)
		for range 100 {
			k := r.of("eve")
			r.status(k, a2a.StateCompleted)
			for range 16 {
				r.add(k, "down", a2a.V10)
			}
		}
		synctest.Wait()
		if s := r.push.Stats(); s.Receivers != 1000 || s.Dropped != 601 {
			t.Errorf("%+v", s)
		}
		down.Store(false)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		r.want("bob", "task:completed")
	})
}

// Deleting a receiver does not end the one that was made in the same moment
// under the same id.
func TestStopOfOneThatIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{}, task.Options{})
		k := r.create()
		id := r.add(k, "a", a2a.V10)
		synctest.Wait()
		if err := k.DeletePush(id); err != nil {
			t.Fatal(err)
		}
		if _, err := k.SetPush(a2a.PushConfig{ID: id, URL: "https://b"}); err != nil {
			t.Fatal(err)
		}
		r.push.Serve(k, id)
		r.push.Stop(k, id)
		r.status(k, a2a.StateCompleted)
		synctest.Wait()
		if got := r.taken("b"); !strings.HasSuffix(got, "completed") {
			t.Errorf("it took %q", got)
		}
	})
}

// Those that wait for a slot are bounded as those that wait for another attempt
// are: a host that hangs does not fill the memory, and costs others nothing.
func TestManyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{Concurrency: 8}, task.Options{})
		r.answer["hangs"] = hangs
		var down atomic.Bool
		down.Store(true)
		r.answer["down"] = downWhile(&down)
		first := r.create()
		r.status(first, a2a.StateCompleted)
		r.add(first, "down", a2a.V10)
		time.Sleep(time.Minute)
		for range 100 {
			k := r.create()
			r.status(k, a2a.StateCompleted)
			for range 16 {
				r.add(k, "hangs", a2a.V10)
			}
		}
		synctest.Wait()
		if s := r.push.Stats(); s.Receivers != 1002 || s.Sending != 2 || s.Dropped != 599 {
			t.Errorf("%+v", s)
		}
		down.Store(false)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		r.want("down", "task:completed")
	})
}

// Who has waited for a slot and got it is not behind any more, while its task
// goes on.
func TestWaitedAndServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{Concurrency: 4}, task.Options{})
		r.answer["a"] = func(context.Context, int) error {
			time.Sleep(time.Millisecond)
			return nil
		}
		for range 3 {
			for range 25 {
				k := r.create()
				for range 16 {
					r.add(k, "a", a2a.V10)
				}
			}
			time.Sleep(time.Second)
			synctest.Wait()
		}
		if s := r.push.Stats(); s != (push.Stats{Delivered: 1200, Receivers: 1200}) {
			t.Errorf("%+v", s)
		}
	})
}
