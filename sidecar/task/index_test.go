package task_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// A context belongs to the owner of the tasks in it, as long as any is kept:
// in memory, in the store, or after a restart.
func TestClaim(t *testing.T) {
	s := newFakeStore()
	r := open(t, s, task.Options{KeepTasks: 1, RetainTasks: 2})
	claim := func(owner, ctxID string, free bool) {
		t.Helper()
		if err := r.Claim(owner, ctxID); (err == nil) != free || !free && !errors.Is(err, a2a.ErrInvalidParams) {
			t.Errorf("%s claims %s: %v", owner, ctxID, err)
		}
	}
	ann := r.Create("ann", "a", message("x"), nil)
	r.Create("ben", "b", message("x"), nil)
	claim("ann", "a", true)
	claim("ann", "b", false)
	claim("ben", "a", false)
	claim("", "a", false)
	claim("ben", "new", true)
	ann.Finish(a2a.StateCompleted, nil, nil)
	show(t, ann)
	finishedTask(t, r, "c", "x") // ann's leaves the memory
	claim("ben", "a", false)
	r = open(t, s.crash(), task.Options{RetainTasks: 2, KeepTasks: 1})
	claim("ben", "a", true) // the oldest of three
	claim("ann", "b", false)
	refused := r.Create("ann", "d", message("x"), nil)
	claim("ben", "d", false)
	r.Discard(refused)
	claim("ben", "d", true)
}

// Of a context whose last task was forgotten it is told, and whose it was: by number, by age, after a restart, or because it was
// refused. One of which a task is kept is not gone.
func TestContextGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var gone []string
		o := task.Options{RetainTasks: 2, ContextGone: func(owner, contextID string) {
			mu.Lock()
			defer mu.Unlock()
			gone = append(gone, owner+" "+contextID)
		}}
		told := func(want ...string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(gone, want) {
				t.Errorf("%q are gone, want %q", gone, want)
			}
			gone = nil
		}
		s := newFakeStore()
		r := open(t, s, o)
		end := func(owner, ctxID string) {
			one := r.Create(owner, ctxID, message("x"), nil)
			one.Finish(a2a.StateCompleted, nil, nil)
			show(t, one)
		}
		end("ann", "a")
		end("ben", "b")
		end("ben", "b")
		told("ann a")
		end("cat", "c") // one of ben's is kept
		told()
		r.Discard(r.Create("dan", "d", message("x"), nil))
		told("dan d")
		o.RetainTasks = 1
		s = s.crash()
		open(t, s, o)
		told("ben b")
		o.RetainTasks, o.RetainFor = 0, time.Minute
		r = open(t, s.crash(), o)
		time.Sleep(30 * time.Second)
		end("eve", "e")
		time.Sleep(29 * time.Second)
		told()
		time.Sleep(2 * time.Second)
		told("cat c")
		r.Close()
	})
}

func TestOpenCounts(t *testing.T) {
	for name, registry := range registries {
		t.Run(name, func(t *testing.T) {
			r := registry(t, task.Options{KeepTasks: 1})
			count := func(owner string, own, all int) {
				t.Helper()
				if o, a := r.Open(owner); o != own || a != all {
					t.Errorf("%s: %d of %d, want %d of %d", owner, o, a, own, all)
				}
			}
			a, b, c := r.Create("ann", "", message("x"), nil), r.Create("ann", "", message("x"), nil), r.Create("ben", "", message("x"), nil)
			count("ann", 2, 3)
			count("ben", 1, 3)
			count("cat", 0, 3)
			a.Finish(a2a.StateCompleted, nil, nil)
			a.Finish(a2a.StateFailed, nil, nil)
			r.Discard(a)
			count("ann", 1, 2)
			r.Discard(b)
			count("ann", 0, 1)
			c.Status(a2a.StateInputRequired, nil, nil)
			count("ben", 1, 1)
			c.Cancel(task.ErrCanceled)
			count("ben", 0, 0)
		})
	}
}
