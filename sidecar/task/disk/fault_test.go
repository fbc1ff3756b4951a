package disk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/task/disk"
)

// fill appends chunks of a task until the store says that it cannot write. It
// waits now and then: the queue is far from full by then.
func fill(t testing.TB, s *disk.Store, id string) (chunks uint64) {
	t.Helper()
	s.Append(t.Context(), &task.Change{TaskID: id, Head: head(id, 1, a2a.StateWorking)})
	for s.Err() == nil {
		chunks++
		if chunks > 100_000 {
			t.Fatal("the disk is never full")
		}
		c := s.Append(t.Context(), &task.Change{TaskID: id, Event: chunk(id, chunks, strings.Repeat("x", 1000))})
		if chunks%50 == 0 {
			_ = c.Wait(t.Context()) // the fault is in Err, too
		}
	}
	return chunks
}

// full opens a store whose file cannot grow far.
func full(t testing.TB, o disk.Options) *disk.Store {
	t.Helper()
	s := mustOpen(t, o)
	if err := s.SetMaxSize(1 << 20); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFullDisk: nobody is held up, the fault is told, once, and when there is
// room again everything is written that was queued, in order.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	var log await.Log
	dir := t.TempDir()
	s := full(t, disk.Options{Dir: dir, Log: log.Logger()})
	n := fill(t, s, "a")
	c := s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 2, a2a.StateCompleted), Messages: []*a2a.Message{message("a", "end")}})
	if err := c.Wait(t.Context()); err == nil || c.Done() {
		t.Fatalf("Wait on a full disk: %v", err)
	}
	await.True(t, "it was tried again", func() bool { return s.Stats().Faults > 1 })
	if got := len(log.Lines("level=ERROR")); got != 1 {
		t.Errorf("%d errors were logged, not one", got)
	}
	if err := s.SetMaxSize(0); err != nil {
		t.Fatal(err)
	}
	await.True(t, "the store has recovered", func() bool { return s.Err() == nil })
	mustWait(t, c)
	if got := len(log.Lines("stored again")); got != 1 {
		t.Errorf("the recovery was logged %d times", got)
	}
	if stats := s.Stats(); stats.Dropped != 0 || stats.Queued != 0 {
		t.Errorf("%d dropped, %d bytes queued", stats.Dropped, stats.Queued)
	}
	mustClose(t, s)
	got := load(t, mustOpen(t, disk.Options{Dir: dir}), "a")
	if text := got.text(t); len(text) != int(n)*1000 || got.Status.State != a2a.StateCompleted || len(got.History) != 1 {
		t.Errorf("%d bytes of %d chunks, %s, %d messages", len(text), n, got.Status.State, len(got.History))
	}
	if got.Metadata != nil {
		t.Errorf("metadata %s", got.Metadata)
	}
}

// TestFullDiskFullQueue: beyond the queue's bound events go, heads never, and
// the task says how many.
func TestFullDiskFullQueue(t *testing.T) {
	t.Parallel()
	var log await.Log
	s := full(t, disk.Options{Dir: t.TempDir(), Queue: 256 << 10, Log: log.Logger()})
	n := fill(t, s, "a")
	for s.Stats().Dropped < 1000 {
		n++
		s.Append(t.Context(), &task.Change{TaskID: "a", Event: chunk("a", n, strings.Repeat("x", 1000))})
	}
	if queued := s.Stats().Queued; queued > 512<<10 {
		t.Errorf("%d bytes are queued", queued)
	}
	var last task.Commit
	for i := range 500 { // heads replace each other
		h := head("a", uint64(i+2), a2a.StateCompleted)
		h.LastEvent = n
		last = s.Append(t.Context(), &task.Change{TaskID: "a", Head: h})
	}
	s.Append(t.Context(), &task.Change{TaskID: "b", Head: head("b", 1000, a2a.StateFailed)})
	if queued := s.Stats().Queued; queued > 512<<10 {
		t.Errorf("%d bytes are queued with the heads", queued)
	}
	if got := len(log.Lines("are dropped")); got != 1 {
		t.Errorf("%d lines say that something is dropped", got)
	}
	if err := s.SetMaxSize(0); err != nil {
		t.Fatal(err)
	}
	await.True(t, "the store has recovered", func() bool { return s.Err() == nil })
	mustWait(t, last)
	got := load(t, s, "a")
	dropped := s.Stats().Dropped
	if string(got.Metadata["eventsDropped"]) != fmt.Sprint(dropped) || uint64(len(got.events)) != n-dropped || got.LastEvent != n {
		t.Errorf("%d of %d events are there, %d were dropped, the last is %d, metadata %s", len(got.events), n, dropped, got.LastEvent, got.Metadata)
	}
	if got.Status.State != a2a.StateCompleted || got.Seq != 501 || load(t, s, "b").Status.State != a2a.StateFailed {
		t.Errorf("a is %s at %d", got.Status.State, got.Seq)
	}
}

// TestQueueIsBounded: while the disk is only slow, who appends waits for it.
func TestQueueIsBounded(t *testing.T) {
	s := mustOpen(t, disk.Options{Dir: t.TempDir(), Queue: 64 << 10})
	release := disk.Hold(s)
	var appended atomic.Int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 1, a2a.StateWorking)})
		for i := range 1000 {
			s.Append(t.Context(), &task.Change{TaskID: "a", Event: chunk("a", uint64(i+1), strings.Repeat("x", 1000))})
			appended.Add(1)
		}
	}()
	await.True(t, "the queue is full", func() bool { return s.Stats().Queued >= 64<<10 })
	if stats := s.Stats(); stats.Queued > 70<<10 {
		t.Errorf("%d bytes are queued", stats.Queued)
	}
	before := appended.Load()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	c := s.Append(gone, &task.Change{TaskID: "b", Head: head("b", 2, a2a.StateWorking)}) // does not wait, and is not lost
	if appended.Load() > before+1 {
		t.Error("the writer went on with a full queue")
	}
	release()
	<-ended
	mustWait(t, c)
	mustWait(t, s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 3, a2a.StateCompleted)}))
	if got := load(t, s, "a"); len(got.text(t)) != 1_000_000 {
		t.Errorf("%d bytes came through", len(got.text(t)))
	}
}

// TestWaitEndsWithItsContext.
func TestWaitEndsWithItsContext(t *testing.T) {
	s := mustOpen(t, disk.Options{Dir: t.TempDir()})
	release := disk.Hold(s)
	defer release()
	c := s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 1, a2a.StateWorking)})
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the client has gone")
	cancel(gone)
	if err := c.Wait(ctx); !errors.Is(err, gone) {
		t.Errorf("Wait: %v", err)
	}
}

// TestCloseOnAFullDisk ends, and says that something is lost.
func TestCloseOnAFullDisk(t *testing.T) {
	s := full(t, disk.Options{Dir: t.TempDir()})
	fill(t, s, "a")
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "not stored") {
		t.Errorf("Close: %v", err)
	}
}

// TestDamageWhileItRuns: a file that somebody writes over is an error for those
// who read and those who write, not the end of the process.
func TestDamageWhileItRuns(t *testing.T) {
	for name, damage := range map[string]func(path string, size int64) error{
		"written over": func(path string, size int64) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			junk := []byte(strings.Repeat("\xa5junk", int(size)/5))
			_, err = f.WriteAt(junk[:size-8192], 8192) // all but the two pages of bbolt's own
			return err
		},
		"cut": func(path string, size int64) error { return os.Truncate(path, 8192) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := mustOpen(t, disk.Options{Dir: dir})
			c := s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 1, a2a.StateWorking)})
			for i := range 500 {
				c = s.Append(t.Context(), &task.Change{TaskID: "a", Event: chunk("a", uint64(i+1), strings.Repeat("x", 1000))})
			}
			mustWait(t, c)
			if err := damage(dbFile(dir), fileSize(t, dir)); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Load("a", 1<<30, func(*task.Stored) bool { return true }); !errors.Is(err, disk.ErrDamaged) {
				t.Errorf("load: %v", err)
			}
			c = s.Append(t.Context(), &task.Change{TaskID: "a", Event: chunk("a", 501, "x")})
			if err := c.Wait(t.Context()); !errors.Is(err, disk.ErrDamaged) {
				t.Errorf("wait: %v", err)
			}
			if err := s.Err(); !errors.Is(err, disk.ErrDamaged) || !strings.Contains(err.Error(), dbFile(dir)) {
				t.Errorf("err: %v", err)
			}
			if err := s.Close(); !errors.Is(err, disk.ErrDamaged) {
				t.Errorf("close: %v", err)
			}
		})
	}
}

// TestDiskThatDoesNotAnswer: it is a fault like any other, until it answers, and
// Close does not wait for it for ever.
func TestDiskThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	var log await.Log
	s, err := disk.Open(disk.Options{Dir: t.TempDir(), Log: log.Logger(), Patience: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	answer := disk.Hold(s)
	c := s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 1, a2a.StateWorking)})
	if err := c.Wait(t.Context()); err == nil || s.Err() == nil || c.Done() {
		t.Fatalf("while it does not answer: %v, %v", err, s.Err())
	}
	answer()
	await.True(t, "it is no fault any more", func() bool { return s.Err() == nil })
	mustWait(t, c)
	if len(log.Lines("level=ERROR")) != 1 || len(log.Lines("stored again")) != 1 {
		t.Errorf("the log: %d faults, %d ends", len(log.Lines("level=ERROR")), len(log.Lines("stored again")))
	}
	answer = disk.Hold(s)
	s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 2, a2a.StateCompleted)})
	if err := s.Close(); err == nil {
		t.Error("Close says that all was written")
	}
	answer()
}
