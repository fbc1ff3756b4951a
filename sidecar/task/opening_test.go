package task_test

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Who comes back without saying what it has never sees the task go backwards: no
// snapshot is older than what anybody was told before.
func TestOpeningIsNeverOld(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a shared one is kept until the next collection
	k := newTask(task.Options{})
	for i := range 100 {
		write(t, k, fmt.Sprint(i, " "))
		s := k.Subscribe()
		events, err := s.Next(t.Context())
		s.Close()
		if err != nil || !strings.HasSuffix(text(events[:1]), fmt.Sprint(i, " ")) {
			t.Fatalf("after %d: %q, %v", i, text(events), err)
		}
	}
}

// Somebody who comes back while the writer waits for another is waited for too,
// and does not stand in for the other.
func TestJoinWhileTheWriterWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTask(task.Options{Window: 200 << 10})
		stopped := k.Subscribe()
		defer stopped.Close()
		for _, n := range []int{10, 37, 37, 37, 37, 37} {
			write(t, k, strings.Repeat("x", n<<10))
		}
		begin := time.Now()
		wrote := make(chan time.Duration)
		go func() {
			write(t, k, strings.Repeat("x", 40<<10))
			wrote <- time.Since(begin)
		}()
		synctest.Wait() // the writer waits now
		back := k.SubscribeAfter(1)
		defer back.Close()
		if events, err := back.Next(t.Context()); err != nil || events[0].ID != 2 {
			t.Errorf("%v, %v", events, err)
		}
		if took := <-wrote; took < 250*time.Millisecond {
			t.Errorf("the writer waited %v for who had stopped", took)
		}
	})
}
