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
	a2apush "github.com/a2a-sidecar/sidecar/a2a/push"
	"github.com/a2a-sidecar/sidecar/sidecar/push"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Every receiver gets every event, in order and once.
func TestEventsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{}, task.Options{})
		k := r.create()
		r.add(k, "a", a2a.V10)
		r.add(k, "b", a2a.V10)
		synctest.Wait()
		r.status(k, a2a.StateWorking)
		synctest.Wait()
		for i := range 20 {
			r.write(k, fmt.Sprint(i))
			synctest.Wait()
		}
		r.add(k, "late", a2a.V10) // what happened before is not for it
		synctest.Wait()
		r.status(k, a2a.StateCompleted)
		synctest.Wait()
		want := "task:submitted working 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 completed"
		r.want("a", want)
		r.want("b", want)
		r.want("late", "completed")
		if s := r.push.Stats(); s != (push.Stats{Delivered: 47}) {
			t.Errorf("%+v", s)
		}
	})
}

// A receiver that is down for a minute gets all it missed, in order, once it is
// up; meanwhile it is asked at growing intervals, and nobody else notices.
func TestDownForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{}, task.Options{})
		begin := time.Now()
		up := begin.Add(time.Minute)
		r.answer["down"] = func(context.Context, int) error {
			if time.Now().Before(up) {
				return errDown
			}
			return nil
		}
		k := r.create()
		r.add(k, "down", a2a.V10)
		r.add(k, "up", a2a.V10)
		synctest.Wait()
		r.status(k, a2a.StateWorking)
		r.write(k, "ab") // two would be one or two, as it happens
		r.status(k, a2a.StateCompleted)
		if took := time.Since(begin); took != 0 {
			t.Errorf("the task was held up for %v", took)
		}
		synctest.Wait()
		r.want("up", "task:submitted working ab completed")
		r.want("down", "")
		if s := r.push.Stats(); s.Receivers != 1 || s.Sending != 0 {
			t.Errorf("while it is down: %+v", s)
		}

		time.Sleep(3 * time.Minute)
		synctest.Wait()
		// It begins with the task as it is by then.
		r.want("down", "task:completed:ab")
		all := r.attempts("down")
		jitter := false
		for i := 1; i < len(all); i++ {
			gap, most := all[i].at.Sub(all[i-1].at), min(time.Second<<(i-1), time.Minute)
			if gap > most || gap < most/2 {
				t.Errorf("attempt %d after %v, want %v to %v", i+1, gap, most/2, most)
			}
			jitter = jitter || gap < most
		}
		if !jitter {
			t.Error("receivers that failed together would come back together")
		}
		if len(all) < 6 || len(all) > 9 {
			t.Errorf("%d attempts in a minute", len(all))
		}
		if s := r.push.Stats(); s != (push.Stats{Delivered: 5, Failed: uint64(len(all) - 1)}) {
			t.Errorf("at the end: %+v", s)
		}
	})
}

// What comes while a receiver is down follows what it was sent in vain.
func TestDownInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{}, task.Options{})
		r.answer["a"] = func(_ context.Context, attempt int) error {
			if attempt >= 3 && attempt <= 6 { // 500s
				return &a2apush.Error{Host: "a", Status: 500 + attempt%4}
			}
			return nil
		}
		k := r.create()
		r.add(k, "a", a2a.V10)
		synctest.Wait()
		r.status(k, a2a.StateWorking)
		synctest.Wait()
		for i := range 10 {
			r.write(k, fmt.Sprint(i))
			time.Sleep(100 * time.Millisecond)
		}
		r.status(k, a2a.StateCompleted)
		time.Sleep(time.Minute)
		synctest.Wait()
		r.want("a", "task:submitted working 0123456789 completed")
		last := uint64(0)
		for _, s := range r.attempts("a") {
			if s.id < last {
				t.Errorf("%q came after event %d", s.what, last)
			}
			last = s.id
		}
	})
}

// A receiver that stays down is given up after the time it has; the state that
// the task has reached by then has its own.
func TestGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{RetryFor: 10 * time.Minute}, task.Options{})
		r.answer["a"] = func(_ context.Context, attempt int) error {
			if attempt <= 2 {
				return nil
			}
			return errDown
		}
		k := r.create()
		r.add(k, "a", a2a.V10)
		synctest.Wait()
		r.status(k, a2a.StateWorking)
		synctest.Wait()
		r.status(k, a2a.StateInputRequired)
		time.Sleep(9 * time.Minute)
		if err := k.Continue(&a2a.Message{Parts: []a2a.Part{a2a.TextPart("more")}}); err != nil {
			t.Fatal(err)
		}
		r.write(k, "x")
		r.status(k, a2a.StateCompleted)
		time.Sleep(time.Hour)
		synctest.Wait()
		all := r.attempts("a")
		first, last := all[2], all[len(all)-1]
		if first.what != "input_required" || last.what != "task:completed:x" {
			t.Errorf("from %q to %q", first.what, last.what)
		}
		if d := last.at.Sub(first.at); d < 18*time.Minute || d > 21*time.Minute {
			t.Errorf("it was tried for %v", d)
		}
		if s := r.push.Stats(); s.Dropped != 2 || s.Delivered != 2 || s.Receivers != 0 || s.Failed != uint64(len(all)-2) {
			t.Errorf("%+v", s)
		}
	})
}

// After it was given up a receiver gets what happens next.
func TestBackAfterGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{RetryFor: time.Minute}, task.Options{})
		var down atomic.Bool
		down.Store(true)
		r.answer["a"] = func(context.Context, int) error {
			if down.Load() {
				return errDown
			}
			return nil
		}
		k := r.create()
		r.add(k, "a", a2a.V10)
		synctest.Wait()
		r.status(k, a2a.StateInputRequired)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		down.Store(false)
		attempts := len(r.attempts("a"))
		time.Sleep(10 * time.Minute)
		if n := len(r.attempts("a")); n != attempts {
			t.Errorf("it was sent to %d times although nothing happened", n-attempts)
		}
		if err := k.Continue(&a2a.Message{Parts: []a2a.Part{a2a.TextPart("more")}}); err != nil {
			t.Fatal(err)
		}
		r.status(k, a2a.StateCompleted)
		synctest.Wait()
		if got := r.taken("a"); !strings.HasSuffix(got, " completed") || strings.Contains(got, "task:") {
			t.Errorf("took %q", got)
		}
	})
}

// What is refused for good is dropped at once, and the next event is sent, a
// while later; a wall of refusals is not run against.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{}, task.Options{})
		r.answer["once"] = func(_ context.Context, attempt int) error {
			if attempt == 2 {
				return status(413)
			}
			return nil
		}
		r.answer["always"] = func(context.Context, int) error { return status(404) }
		k := r.create()
		r.add(k, "once", a2a.V10)
		r.add(k, "always", a2a.V10)
		synctest.Wait()
		r.status(k, a2a.StateWorking)
		synctest.Wait()
		for i := range 600 {
			r.write(k, fmt.Sprint(i%10))
			time.Sleep(100 * time.Millisecond)
		}
		r.status(k, a2a.StateCompleted)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if got := r.taken("once"); !strings.HasPrefix(got, "task:submitted 0123") || !strings.HasSuffix(got, " completed") {
			t.Errorf("took %q", got)
		}
		if n := len(r.attempts("once")); n != len(strings.Fields(r.taken("once")))+1 {
			t.Errorf("what was refused was sent again: %d attempts", n)
		}
		all := r.attempts("always")
		if n := len(all); n > 12 || all[n-1].what != "completed" {
			t.Errorf("%d attempts, the last %q", n, all[n-1].what)
		}
	})
}

// Retry-After counts, within bounds.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{}, task.Options{})
		ask := []time.Duration{20 * time.Second, 0, 24 * time.Hour}
		r.answer["a"] = func(_ context.Context, attempt int) error {
			if attempt <= len(ask) {
				return &a2apush.Error{Host: "a", Status: 429, RetryAfter: ask[attempt-1]}
			}
			return nil
		}
		k := r.create()
		r.status(k, a2a.StateCompleted) // before: else the state it had may be told too
		r.add(k, "a", a2a.V10)
		time.Sleep(time.Hour)
		synctest.Wait()
		all := r.attempts("a")
		if len(all) != 4 || !all[3].ok {
			t.Fatalf("%+v", all)
		}
		if gap := all[1].at.Sub(all[0].at); gap != 20*time.Second {
			t.Errorf("20 s were asked for: %v", gap)
		}
		if gap := all[2].at.Sub(all[1].at); gap > 2*time.Second {
			t.Errorf("nothing was asked for: %v", gap)
		}
		if gap := all[3].at.Sub(all[2].at); gap != 5*time.Minute {
			t.Errorf("a day was asked for: %v", gap)
		}
	})
}

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

// A receiver that is deleted gets nothing any more, not even what is under way.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{}, task.Options{})
		r.answer["a"] = func(ctx context.Context, attempt int) error {
			if attempt > 1 {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		k := r.create()
		id := r.add(k, "a", a2a.V10)
		synctest.Wait()
		r.status(k, a2a.StateWorking)
		synctest.Wait()
		if s := r.push.Stats(); s.Sending != 1 {
			t.Fatalf("%+v", s)
		}
		if err := k.DeletePush(id); err != nil {
			t.Fatal(err)
		}
		r.push.Stop(k, id)
		if s := r.push.Stats(); s != (push.Stats{Delivered: 1}) {
			t.Errorf("%+v", s)
		}
		r.status(k, a2a.StateCompleted)
		r.push.Serve(k, id) // too late to come back
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := len(r.attempts("a")); n != 2 {
			t.Errorf("%d attempts", n)
		}
		r.push.Stop(k, "nobody")
	})
}

// A config that replaces another goes on where that one was.
func TestReplace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{}, task.Options{})
		r.answer["old"] = func(_ context.Context, attempt int) error {
			if attempt > 1 {
				return errDown
			}
			return nil
		}
		k := r.create()
		id := r.add(k, "old", a2a.V10)
		synctest.Wait()
		r.status(k, a2a.StateWorking)
		time.Sleep(10 * time.Second)
		if _, err := k.SetPush(a2a.PushConfig{ID: id, URL: "https://new"}); err != nil {
			t.Fatal(err)
		}
		r.push.Serve(k, id)
		synctest.Wait()
		r.status(k, a2a.StateCompleted)
		synctest.Wait()
		r.want("old", "task:submitted")
		r.want("new", "task:working completed")
	})
}

// A receiver of a task that has ended is told how (§4.3.3).
func TestConfiguredAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{}, task.Options{})
		k := r.create()
		r.write(k, "x")
		r.status(k, a2a.StateFailed)
		r.add(k, "a", a2a.V10)
		r.add(k, "b", a2a.V03)
		synctest.Wait()
		r.want("a", "failed")
		r.want("b", "task:failed:x")
	})
}

// A receiver of 0.3 gets the task whenever its status has changed.
func TestWholeTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{}, task.Options{})
		var down atomic.Bool
		r.answer["a"] = func(context.Context, int) error {
			if down.Load() {
				return errDown
			}
			return nil
		}
		k := r.create()
		r.add(k, "a", a2a.V03)
		synctest.Wait()
		r.status(k, a2a.StateWorking)
		synctest.Wait()
		r.write(k, "x")
		synctest.Wait()
		r.status(k, a2a.StateInputRequired)
		synctest.Wait()
		down.Store(true)
		if err := k.Continue(&a2a.Message{Parts: []a2a.Part{a2a.TextPart("more")}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r.write(k, "y")
		r.status(k, a2a.StateWorking)
		r.status(k, a2a.StateCompleted)
		time.Sleep(time.Minute)
		down.Store(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		r.want("a", "task:submitted task:working task:input_required:x task:completed:xy")
	})
}

// A receiver that has fallen behind what is kept gets the task as it is.
func TestFarBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{}, task.Options{Window: 8 << 10})
		var down atomic.Bool
		down.Store(true)
		r.answer["a"] = func(_ context.Context, attempt int) error {
			if down.Load() && attempt > 1 {
				return errDown
			}
			return nil
		}
		k := r.create()
		r.add(k, "a", a2a.V10)
		synctest.Wait()
		r.status(k, a2a.StateWorking)
		synctest.Wait()
		long := strings.Repeat("x", 1000)
		begin := time.Now()
		for range 100 {
			r.write(k, long)
		}
		if d := time.Since(begin); d != 0 {
			t.Errorf("the task was held up for %v", d)
		}
		time.Sleep(time.Minute)
		down.Store(false)
		time.Sleep(time.Minute)
		r.write(k, "end")
		synctest.Wait()
		r.status(k, a2a.StateCompleted)
		synctest.Wait()
		r.want("a", "task:submitted task:working:"+strings.Repeat(long, 100)+" end completed")
	})
}

// A drain gives everybody the end of their tasks: who waits is tried once more.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{}, task.Options{})
		var down atomic.Bool
		down.Store(true)
		r.answer["back"] = func(context.Context, int) error {
			if down.Load() {
				return errDown
			}
			return nil
		}
		r.answer["down"] = func(context.Context, int) error { return errDown }
		r.answer["refuses"] = func(_ context.Context, attempt int) error {
			if attempt == 1 {
				return status(400)
			}
			return nil
		}
		r.answer["hangs"] = func(ctx context.Context, _ int) error {
			<-ctx.Done()
			return ctx.Err()
		}
		k := r.create()
		for _, host := range []string{"up", "back", "down", "refuses"} {
			r.add(k, host, a2a.V10)
		}
		time.Sleep(10 * time.Minute)
		down.Store(false)
		r.status(k, a2a.StateFailed)
		begin := time.Now()
		r.push.Drain(t.Context())
		if d := time.Since(begin); d != 0 {
			t.Errorf("nobody hangs: %v", d)
		}
		r.want("up", "task:submitted failed")
		r.want("back", "task:failed")
		r.want("down", "")
		r.want("refuses", "failed")

		k = r.create()
		r.add(k, "hangs", a2a.V10)
		r.status(k, a2a.StateFailed)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r.push.Drain(ctx)
		if d := time.Since(begin); d != time.Second {
			t.Errorf("somebody hangs: %v", d)
		}
		r.push.Close()
		if s := r.push.Stats(); s.Receivers != 0 || s.Sending != 0 {
			t.Errorf("after Close: %+v", s)
		}
		r.push.Serve(k, "x") // does nothing
	})
}

// Receivers that are down for good do not fill the memory: the one that has
// failed for longest makes room, and is still owed what it was.
func TestManyBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{Concurrency: 4000}, task.Options{})
		r.answer["down"] = func(context.Context, int) error { return errDown }
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
