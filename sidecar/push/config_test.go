package push_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/push"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

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
		r.answer["old"] = downAfter(1)
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
