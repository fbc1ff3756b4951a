package task_test

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// A snapshot of a large task takes long to make. Who comes while another begins
// with one begins with the same, as long as events tell what has changed since.
func TestOpeningIsShared(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it is kept until the next collection
	k := newTask(task.Options{})
	write(t, k, "begin ")
	first := k.Subscribe()
	defer first.Close()
	one, err := first.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		write(t, k, fmt.Sprint(i, " "))
	}
	second := k.Subscribe()
	if err := k.AddMessage(*message("an answer")); err != nil {
		t.Fatal(err)
	}
	third := k.Subscribe()
	if err := k.Finish(a2a.StateCompleted, nil, nil); err != nil {
		t.Fatal(err)
	}
	two, err := drain(t.Context(), second)
	if err != nil || two[0] != one[0] {
		t.Errorf("another snapshot for the second, %v", err)
	}
	three, err := drain(t.Context(), third)
	if err != nil || three[0] == one[0] || len(three[0].Task.History) != 2 {
		t.Errorf("the third has the history %v, %v", three[0].Task.History, err)
	}
	if a, b := text(two), text(three); a != b || !strings.HasPrefix(a, "begin 0 1 2 ") || !strings.HasSuffix(a, " 98 99 ") {
		t.Errorf("the second read %q, the third %q", a, b)
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
