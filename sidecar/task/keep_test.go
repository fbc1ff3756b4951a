package task_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// finishedTask makes a finished task with one artifact.
func finishedTask(t testing.TB, r *task.Registry, ctxID, content string) *task.Task {
	t.Helper()
	k := r.Create("", ctxID, message("hello"), nil)
	write(t, k, content)
	k.Finish(a2a.StateCompleted, message("done"), nil)
	show(t, k)
	return k
}

// With a store the tasks that leave the memory are known as ever.
func TestEvictedTasksAreKnown(t *testing.T) {
	s := newFakeStore()
	r := open(t, s, task.Options{KeepTasks: 2})
	var held []*task.Task
	var want []*a2a.Task
	for i := range 10 {
		k := finishedTask(t, r, fmt.Sprint("ctx", i%2), fmt.Sprint(i))
		held = append(held, k)
		want = append(want, show(t, k))
	}
	for i, k := range held {
		for how, k := range map[string]*task.Task{"held": k, "got": get(t, r, k.ID())} {
			if diff := cmp.Diff(want[i], show(t, k)); diff != "" {
				t.Errorf("task %d, %s: %s", i, how, diff)
			}
			events, err := drain(t.Context(), k.Subscribe())
			if err != nil || len(events) != 1 || text(events) != fmt.Sprint(i) || events[0].ID != 2 {
				t.Errorf("task %d, %s: %v, %v", i, how, eventIDs(events), err)
			}
			events, err = drain(t.Context(), k.SubscribeAfter(1))
			if err != nil || fmt.Sprint(eventIDs(events)) != "[2]" || events[0].Status.Status.Message.Parts[0].Text != "done" {
				t.Errorf("task %d, %s: %v, %v", i, how, eventIDs(events), err)
			}
		}
	}
	if _, err := r.Get("somebody", held[0].ID()); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("somebody else's: %v", err)
	}
	running := r.Create("", "ctx1", message("hello"), nil)
	l := list(t, r, a2a.ListRequest{ContextID: "ctx1", IncludeArtifacts: true, PageSize: 4})
	if l.TotalSize != 6 || l.Tasks[0].ID != running.ID() || l.NextPageToken == "" {
		t.Errorf("%d in all, %v", l.TotalSize, ids(l))
	}
	l.Tasks = append(l.Tasks[1:], list(t, r, a2a.ListRequest{ContextID: "ctx1", IncludeArtifacts: true, PageToken: l.NextPageToken}).Tasks...)
	slices.Reverse(l.Tasks)
	for i, got := range l.Tasks {
		if diff := cmp.Diff(want[2*i+1], got); diff != "" {
			t.Errorf("listed: %s", diff)
		}
	}
	if l := list(t, r, a2a.ListRequest{State: a2a.StateCompleted, StatusAfter: want[0].Status.Timestamp.Add(time.Hour).Format(time.RFC3339)}); l.TotalSize != 0 {
		t.Errorf("%d in an hour", l.TotalSize)
	}
}

// What is not durable yet does not leave the memory.
func TestOnlyWhatIsDurableLeavesTheMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		r := open(t, s, task.Options{KeepTasks: 1})
		s.fail(errDisk)
		var all []*task.Task
		for i := range 5 {
			all = append(all, finishedTask(t, r, "ctx", fmt.Sprint(i)))
		}
		for i, k := range all {
			if got := show(t, get(t, r, k.ID())); partsText(got.Artifacts[0].Parts) != fmt.Sprint(i) {
				t.Errorf("task %d: %+v", i, got)
			}
		}
	})
}

// 30 answers of 1 MiB take no more memory than KeepBytes, and all can be had.
func TestMemoryIsBoundedOverAStore(t *testing.T) {
	const keep = 4 << 20
	s := newFakeStore()
	r := open(t, s, task.Options{KeepBytes: keep, ReplayBytes: 1 << 20})
	line := strings.Repeat("x", 16<<10)
	var all []*task.Task
	for range 30 {
		k := create(r)
		for range 64 {
			write(t, k, line)
		}
		k.Finish(a2a.StateCompleted, nil, nil)
		show(t, k)
		all = append(all, k) // who holds them holds little
	}
	with := heap()
	s.mu.Lock()
	kept := s.kept
	s.kept = nil
	s.mu.Unlock()
	rows := int64(0)
	for _, k := range kept {
		for _, e := range k.events {
			rows += int64(cap(e.raw))
		}
	}
	if got := with - rows; got > 3*keep {
		t.Errorf("%d KiB beside the store for %d KiB kept", got>>10, keep>>10)
	}
	s.mu.Lock()
	s.kept = kept
	s.mu.Unlock()
	var readers sync.WaitGroup
	for _, k := range all[:8] {
		readers.Go(func() {
			got, err := k.Show(t.Context(), nil, true)
			if err != nil || len(partsText(got.Artifacts[0].Parts)) != 1<<20 {
				t.Error(err)
			}
		})
	}
	readers.Wait()
	runtime.KeepAlive(r)
}

// What TaskBytes cuts is whole in the store: up to KeepBytes of it are shown,
// while it runs and afterwards, to who gets it and to who subscribes.
func TestCutArtifactsAreWholeInTheStore(t *testing.T) {
	s := newFakeStore()
	r := open(t, s, task.Options{TaskBytes: 10_000, KeepBytes: 100_000, KeepTasks: 1})
	k := create(r)
	var want strings.Builder
	put := func(line string) {
		want.WriteString(line)
		write(t, k, line)
	}
	whole := func(when string, k *task.Task) {
		t.Helper()
		a := show(t, k).Artifacts[0]
		if partsText(a.Parts) != want.String() || a.Metadata["truncated"] != nil {
			t.Errorf("%s: %d bytes of %d, metadata %s", when, len(partsText(a.Parts)), want.Len(), a.Metadata)
		}
		s := k.Subscribe()
		defer s.Close()
		if got := text(next(t, s)); got != want.String() {
			t.Errorf("%s: subscribed to %d bytes of %d", when, len(got), want.Len())
		}
	}
	for i := range 50 {
		put(fmt.Sprintf("%d:%s\n", i, strings.Repeat("é", 500)))
	}
	whole("running", k)
	put("more")
	whole("running on", k)
	k.Finish(a2a.StateCompleted, nil, nil)
	whole("finished", k)
	finishedTask(t, r, "ctx", "other")
	whole("evicted", k)

	big := create(r)
	writeMany(t, big, 200, 1000)
	big.Finish(a2a.StateCompleted, nil, nil)
	a := show(t, big).Artifacts[0]
	if n := len(partsText(a.Parts)); n < 90_000 || n > 100_000 || string(a.Metadata["truncated"]) != "true" || string(a.Metadata["totalBytes"]) != "200000" {
		t.Errorf("%d bytes beyond KeepBytes, metadata %s", n, a.Metadata)
	}
}

// A page takes no more artifact content out of the store than KeepBytes. However
// little that is, a task shows as much there as it did in memory.
func TestPagesAreBounded(t *testing.T) {
	r := open(t, newFakeStore(), task.Options{KeepBytes: 100_000, TaskBytes: 100_000, KeepTasks: 1})
	for range 10 {
		finishedTask(t, r, "ctx", strings.Repeat("x", 40_000))
	}
	total, short := 0, 0
	for _, k := range list(t, r, a2a.ListRequest{IncludeArtifacts: true}).Tasks {
		n := 0
		for _, a := range k.Artifacts {
			n += len(partsText(a.Parts))
		}
		if n < 40_000 {
			short++
		}
		total += n
	}
	if total > 100_000 || short != 8 {
		t.Errorf("%d bytes, %d of 10 cut", total, short)
	}
	r = open(t, newFakeStore(), task.Options{KeepBytes: 1000, KeepTasks: 1})
	k := finishedTask(t, r, "ctx", strings.Repeat("x", 40_000))
	finishedTask(t, r, "ctx", "other")
	if n := len(partsText(show(t, k).Artifacts[0].Parts)); n != 40_000 {
		t.Errorf("%d bytes of 40,000", n)
	}
}

// The store keeps so many, so many bytes and for so long: the oldest finished
// go first, unfinished ones and the newest finished never.
func TestRetention(t *testing.T) {
	for name, c := range map[string]struct {
		o    task.Options
		want int
	}{
		"tasks": {task.Options{RetainTasks: 3, KeepTasks: 2}, 3},
		"bytes": {task.Options{RetainBytes: 1000, KeepTasks: 2}, 1},
		"time":  {task.Options{RetainFor: time.Hour, KeepTasks: 2}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFakeStore()
				r := open(t, s, c.o)
				running := create(r)
				var all []*task.Task
				for range 6 {
					all = append(all, finishedTask(t, r, "ctx", strings.Repeat("x", 1000)))
				}
				<-time.After(time.Hour)
				synctest.Wait()
				left := func(r *task.Registry) {
					t.Helper()
					for i, k := range all {
						_, err := r.Get("", k.ID())
						if gone := i < len(all)-c.want; gone != errors.Is(err, a2a.ErrTaskNotFound) {
							t.Errorf("task %d: %v", i, err)
						}
					}
					if got := list(t, r, a2a.ListRequest{State: a2a.StateCompleted}).TotalSize; got != c.want {
						t.Errorf("%d are listed", got)
					}
				}
				left(r)
				if _, err := all[0].Show(t.Context(), nil, true); c.o.RetainBytes == 0 && !errors.Is(err, a2a.ErrTaskNotFound) {
					t.Errorf("who holds a task that had left the memory and was forgotten: %v", err)
				}
				show(t, running)
				if got, _ := s.Heads(); len(got) != c.want+1 {
					t.Errorf("%d in the store", len(got))
				}
				// A registry that is opened sees to the same.
				left(open(t, s.crash(), task.Options{}))
				again := open(t, s.crash(), task.Options{RetainTasks: 1})
				if got := list(t, again, a2a.ListRequest{}); got.TotalSize != 1 || got.Tasks[0].ID != running.ID() {
					t.Errorf("%d are kept of 1", got.TotalSize)
				}
			})
		})
	}
}

// The history of a task is as long in the store as it was in memory.
func TestHistoryOfAnEvictedTask(t *testing.T) {
	r := open(t, newFakeStore(), task.Options{KeepTasks: 1, TaskBytes: 10_000})
	k := create(r)
	for i := range 50 {
		k.AddMessage(*message(fmt.Sprint(i, strings.Repeat("x", 1000))))
	}
	k.Finish(a2a.StateCompleted, nil, nil)
	want := show(t, k)
	finishedTask(t, r, "ctx", "other")
	if diff := cmp.Diff(want, show(t, k)); diff != "" {
		t.Error(diff)
	}
	two := 2
	if got, err := k.Show(t.Context(), &two, false); err != nil || len(got.History) != 2 || got.History[1].ID != want.History[len(want.History)-1].ID || got.Artifacts != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// Close does not wait for what would expire later.
func TestCloseStopsRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		r := open(t, s, task.Options{RetainFor: time.Hour})
		for range 2 {
			finishedTask(t, r, "ctx", "x")
		}
		start := time.Now()
		r.Close()
		if took := time.Since(start); took != 0 {
			t.Errorf("it took %v", took)
		}
		<-time.After(2 * time.Hour)
		if heads, _ := s.Heads(); len(heads) != 2 {
			t.Errorf("%d tasks are left", len(heads))
		}
	})
}
