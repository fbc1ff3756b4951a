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
		r.answer["a"] = downAfter(2)
		k := r.create()
		r.add(k, "a", a2a.V10)
		synctest.Wait()
		r.status(k, a2a.StateWorking)
		synctest.Wait()
		r.status(k, a2a.StateInputRequired)
		time.Sleep(9 * time.Minute)
		r.resume(k)
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
		r.answer["a"] = downWhile(&down)
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
		r.resume(k)
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
