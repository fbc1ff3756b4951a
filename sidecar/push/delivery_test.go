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

// A receiver of 0.3 gets the task whenever its status has changed.
func TestWholeTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{}, task.Options{})
		var down atomic.Bool
		r.answer["a"] = downWhile(&down)
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
		r.resume(k)
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
