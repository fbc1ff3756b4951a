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

// Slow receivers hold up neither the task nor receivers elsewhere, and no more
// than so many are sent to at once.
func TestSlowReceivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{Concurrency: 8}, task.Options{})
		slow := func(ctx context.Context, _ int) error {
			select {
			case <-time.After(9 * time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		r.answer["slow"] = slow
		var tasks []*task.Task
		for range 16 {
			k := r.create()
			r.add(k, "slow", a2a.V10)
			tasks = append(tasks, k)
		}
		synctest.Wait()
		if s := r.push.Stats(); s.Sending != 2 || s.Receivers != 16 {
			t.Errorf("one slow host: %+v", s)
		}
		for i := range 8 {
			host := fmt.Sprint("slow", i)
			r.answer[host] = slow
			r.add(tasks[i], host, a2a.V10)
			synctest.Wait()
			if i == 2 {
				begin := time.Now()
				k := r.create()
				r.status(k, a2a.StateCompleted) // before: else the state it had may be told too
				r.add(k, "quick", a2a.V10)
				synctest.Wait()
				r.want("quick", "task:completed")
				if d := time.Since(begin); d != 0 {
					t.Errorf("it took %v", d)
				}
			}
		}
		if s := r.push.Stats(); s.Sending != 8 {
			t.Errorf("many slow hosts: %+v", s)
		}
		begin := time.Now()
		for _, k := range tasks {
			r.status(k, a2a.StateCompleted)
		}
		if d := time.Since(begin); d != 0 {
			t.Errorf("the tasks took %v", d)
		}
	})
}

// Receivers that are down for good do not fill the memory: the one that has
// failed for longest makes room, and is still owed what it was.
func TestManyBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{Concurrency: 4000}, task.Options{})
		r.answer["down"] = isDown
		first := r.create()
		r.status(first, a2a.StateCompleted)
		r.add(first, "down", a2a.V10)
		time.Sleep(time.Minute)
		for range 100 {
			k := r.create()
			r.status(k, a2a.StateCompleted)
			for i := range 16 {
				if _, err := k.SetPush(a2a.PushConfig{ID: fmt.Sprint(i), URL: "https://down"}); err != nil {
					t.Fatal(err)
				}
				r.push.Serve(k, fmt.Sprint(i))
			}
		}
		synctest.Wait()
		if s := r.push.Stats(); s.Receivers != 1000 || s.Dropped != 601 {
			t.Errorf("%+v", s)
		}
		if owed := r.tasks.Undelivered(); len(owed) != 101 {
			t.Errorf("%d tasks owe something", len(owed))
		}
		k := r.create()
		r.add(k, "up", a2a.V10)
		r.status(k, a2a.StateCompleted)
		synctest.Wait()
		if got := r.taken("up"); !strings.HasSuffix(got, "completed") {
			t.Errorf("a receiver that is up took %q", got)
		}
	})
}

// After a restart a great many receivers are gone through a few at a time.
func TestResumeMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{}, task.Options{})
		var under, most atomic.Int32
		r.answer["a"] = func(context.Context, int) error {
			most.Store(max(most.Load(), under.Add(1)))
			defer under.Add(-1)
			time.Sleep(time.Millisecond)
			return nil
		}
		for range 500 {
			k := r.create()
			if _, err := k.SetPush(a2a.PushConfig{URL: "https://a"}); err != nil {
				t.Fatal(err)
			}
			r.status(k, a2a.StateFailed)
		}
		r.push.Resume(r.tasks.Undelivered())
		synctest.Wait()
		if s := r.push.Stats(); s.Receivers < 500 || s.Sending != 4 {
			t.Errorf("at the beginning: %+v", s)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if s := r.push.Stats(); s != (push.Stats{Delivered: 500}) || most.Load() > 4 {
			t.Errorf("at the end: %+v, %d at once", s, most.Load())
		}
	})
}
