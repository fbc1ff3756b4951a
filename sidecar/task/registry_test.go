package task_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

func list(t *testing.T, r *task.Registry, q a2a.ListRequest) *a2a.TaskList {
	t.Helper()
	l, err := r.List(t.Context(), &q)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func ids(l *a2a.TaskList) (out []string) {
	for _, t := range l.Tasks {
		out = append(out, t.ID)
	}
	return out
}

func TestListNewestStatusFirst(t *testing.T) {
	r := task.NewRegistry(task.Options{})
	a, b, c := r.Create("", "x", message("a"), nil), r.Create("", "y", message("b"), nil), r.Create("", "x", message("c"), nil)
	write(t, a, "result")
	a.Status(a2a.StateWorking, nil, nil)
	for name, want := range map[string]struct {
		q   a2a.ListRequest
		ids []string
	}{
		"all":     {a2a.ListRequest{}, []string{a.ID(), c.ID(), b.ID()}},
		"context": {a2a.ListRequest{ContextID: "x"}, []string{a.ID(), c.ID()}},
		"state":   {a2a.ListRequest{State: a2a.StateSubmitted}, []string{c.ID(), b.ID()}},
		"both":    {a2a.ListRequest{State: a2a.StateSubmitted, ContextID: "y"}, []string{b.ID()}},
		"none":    {a2a.ListRequest{ContextID: "z"}, nil},
	} {
		l := list(t, r, want.q)
		if !slices.Equal(ids(l), want.ids) || l.TotalSize != len(want.ids) || l.NextPageToken != "" || l.Tasks == nil {
			t.Errorf("%s: %v, total %d, next %q", name, ids(l), l.TotalSize, l.NextPageToken)
		}
	}
	zero := 0
	l := list(t, r, a2a.ListRequest{HistoryLength: &zero})
	if l.Tasks[0].Artifacts != nil || len(l.Tasks[0].History) != 0 || l.PageSize != 50 {
		t.Errorf("not asked for: %+v", l.Tasks[0])
	}
	if l := list(t, r, a2a.ListRequest{IncludeArtifacts: true}); len(l.Tasks[0].Artifacts) != 1 || len(l.Tasks[0].History) != 1 {
		t.Errorf("asked for and missing: %+v", l.Tasks[0])
	}
}

// Pages stay in step while tasks come and change between them.
func TestPageTokensAreStable(t *testing.T) {
	r := task.NewRegistry(task.Options{})
	var all []*task.Task
	for i := range 25 {
		all = append(all, r.Create("", "c", message(fmt.Sprint(i)), nil))
	}
	var seen []string
	q := a2a.ListRequest{PageSize: 10}
	for {
		l := list(t, r, q)
		seen = append(seen, ids(l)...)
		if l.NextPageToken == "" {
			break
		}
		q.PageToken = l.NextPageToken
		r.Create("", "c", message("new"), nil)
		all[24].Status(a2a.StateWorking, nil, nil) // was on the first page
	}
	want := make([]string, 25)
	for i, k := range all {
		want[24-i] = k.ID()
	}
	if !slices.Equal(seen, want) {
		t.Errorf("saw %d tasks over the pages, want each of the 25 once, in order", len(seen))
	}
}

func TestListAfterTimestamp(t *testing.T) {
	r := task.NewRegistry(task.Options{})
	k := r.Create("", "c", message("a"), nil)
	at := k.Snapshot(nil, false).Status.Timestamp
	for offset, want := range map[time.Duration]int{-time.Millisecond: 1, 0: 1, time.Millisecond: 0} {
		l := list(t, r, a2a.ListRequest{StatusAfter: at.Add(offset).Format("2006-01-02T15:04:05.000Z07:00")})
		if l.TotalSize != want {
			t.Errorf("after %v: %d tasks", offset, l.TotalSize)
		}
	}
}

func TestListRefusesWhatItCannotRead(t *testing.T) {
	r := task.NewRegistry(task.Options{})
	for name, q := range map[string]a2a.ListRequest{
		"pageToken":            {PageToken: "nonsense"},
		"statusTimestampAfter": {StatusAfter: "yesterday"},
	} {
		if _, err := r.List(t.Context(), &q); !errors.Is(err, a2a.ErrInvalidParams) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOldestFinishedAreEvicted(t *testing.T) {
	r := task.NewRegistry(task.Options{KeepTasks: 3})
	running := r.Create("", "c", message("running"), nil)
	var done []*task.Task
	for range 5 {
		k := r.Create("", "c", message("x"), nil)
		done = append(done, k)
	}
	for _, i := range []int{4, 0, 1, 2, 3} { // the order of finishing counts
		done[i].Finish(a2a.StateCompleted, nil, nil)
	}
	for i, k := range append(done, running) {
		_, err := r.Get("", k.ID())
		if gone := i == 4 || i == 0; gone != errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("task %d: %v", i, err)
		}
	}
	if l := list(t, r, a2a.ListRequest{}); l.TotalSize != 4 {
		t.Errorf("%d tasks listed", l.TotalSize)
	}
	if done[0].Snapshot(nil, true).Status.State != a2a.StateCompleted {
		t.Error("who holds an evicted task cannot read it")
	}
}

// Who has been told that a task ended finds the tasks within their limits.
func TestEvictedBeforeTheEndIsTold(t *testing.T) {
	r := task.NewRegistry(task.Options{KeepTasks: 1})
	for range 2000 {
		k := r.Create("", "c", message("x"), nil)
		told := make(chan int)
		go func() {
			if err := k.Wait(t.Context(), a2a.TaskState.Terminal); err != nil {
				t.Error(err)
			}
			told <- list(t, r, a2a.ListRequest{}).TotalSize
		}()
		if err := k.Finish(a2a.StateCompleted, nil, nil); err != nil {
			t.Fatal(err)
		}
		if n := <-told; n != 1 {
			t.Fatalf("%d tasks kept of 1", n)
		}
	}
}

func TestTheNewestFinishedStays(t *testing.T) {
	r := task.NewRegistry(task.Options{KeepBytes: 100})
	k := r.Create("", "c", message("x"), nil)
	write(t, k, strings.Repeat("x", 1000))
	k.Finish(a2a.StateCompleted, nil, nil)
	if _, err := r.Get("", k.ID()); err != nil {
		t.Errorf("the client cannot fetch its answer: %v", err)
	}
}

// 200 answers of 1 MiB, with and without readers, keep no more than KeepBytes.
func TestMemoryIsBounded(t *testing.T) {
	const keep = 8 << 20
	r := task.NewRegistry(task.Options{KeepBytes: keep})
	before := heap()
	line := strings.Repeat("x", 16<<10)
	for i := range 200 {
		k := r.Create("", "c", message("go"), nil)
		var s a2a.Stream
		if i%2 == 0 {
			s = k.Subscribe()
		}
		for range 64 {
			write(t, k, line)
		}
		k.Finish(a2a.StateCompleted, nil, nil)
		if s != nil {
			if _, err := drain(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := list(t, r, a2a.ListRequest{}).TotalSize; n < 6 || n > 8 {
		t.Errorf("%d tasks of 1 MiB are kept", n)
	}
	if grown := heap() - before; grown > keep+keep/2 {
		t.Errorf("the heap grew by %d KiB for %d KiB kept", grown>>10, keep>>10)
	}
	runtime.KeepAlive(r)
}

// Events that nobody reads, and those that all have read, are not kept.
func TestEventsAreNotKept(t *testing.T) {
	k := newTask(task.Options{TaskBytes: 1 << 20})
	s := k.Subscribe()
	before := heap()
	line := strings.Repeat("x", 32<<10)
	for i := range 512 {
		write(t, k, line)
		if i < 256 {
			if _, err := s.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
		} else {
			s.Close()
		}
	}
	if grown := heap() - before; grown > 3<<20 {
		t.Errorf("16 MiB of events left %d KiB behind", grown>>10)
	}
	runtime.KeepAlive(k)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
