package disk_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/task/disk"
)

// asWriter makes this test binary a process that writes tasks into the
// directory it names until it is killed.
const asWriter = "TEST_WRITER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asWriter); dir != "" {
		writeForEver(dir)
	}
	os.Exit(m.Run())
}

// writeForEver prints "task events" when that much of a task is durable.
func writeForEver(dir string) {
	s, err := disk.Open(disk.Options{Dir: dir})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	ctx := context.Background()
	var out sync.Mutex
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("p%d-w%d-%d", os.Getpid(), w, i)
				s.Append(ctx, &task.Change{TaskID: id, Head: head(id, 1, a2a.StateWorking)})
				for e := range uint64(20) {
					c := s.Append(ctx, &task.Change{TaskID: id, Event: chunk(id, e+1, fmt.Sprint(e, ";")), Messages: []*a2a.Message{message(id, fmt.Sprint(e))}})
					if e%5 != 4 {
						continue
					}
					if err := c.Wait(ctx); err != nil {
						fmt.Println("error", err)
						os.Exit(1)
					}
					out.Lock()
					fmt.Println(id, e+1)
					out.Unlock()
				}
				if i >= 2 {
					s.Forget(fmt.Sprintf("p%d-w%d-%d", os.Getpid(), w, i-2))
				}
			}
		})
	}
	wg.Wait()
}

// TestKilled kills a writing process at random moments: what it said to be
// durable is there, each task without a gap, and nothing twice.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for round := range 40 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), asWriter+"="+dir)
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(stdout)
		acked := map[string]int{}
		for kill := time.AfterFunc(time.Minute, func() {}); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "error") {
				t.Fatal(lines.Text())
			}
			if len(acked) == 0 {
				kill.Stop()
				kill = time.AfterFunc(time.Duration(rand.Int64N(int64(40*time.Millisecond))), func() { cmd.Process.Kill() })
				defer kill.Stop()
			}
			var id string
			var n int
			if _, err := fmt.Sscan(lines.Text(), &id, &n); err == nil { // else the line was cut
				acked[id] = n
			}
		}
		cmd.Wait()
		verify(t, dir, round, acked)
	}
}

func verify(t *testing.T, dir string, round int, acked map[string]int) {
	t.Helper()
	s := mustOpen(t, disk.Options{Dir: dir})
	defer s.Close()
	newest := map[string]int{} // of each writer
	for id := range acked {
		var pid, w, i int
		fmt.Sscanf(id, "p%d-w%d-%d", &pid, &w, &i)
		newest[fmt.Sprintf("p%d-w%d", pid, w)] = max(newest[fmt.Sprintf("p%d-w%d", pid, w)], i)
	}
	kept := map[string]bool{}
	for _, id := range ids(t, s) {
		kept[id] = true
		got := load(t, s, id)
		var want strings.Builder
		for e := range got.events {
			fmt.Fprint(&want, e, ";")
		}
		if text := got.text(t); text != want.String() {
			t.Fatalf("round %d: %s has %q", round, id, text)
		}
		if len(got.History) != len(got.events) || got.LastEvent != uint64(len(got.events)) {
			t.Fatalf("round %d: %s has %d events and %d messages, the last event is %d", round, id, len(got.events), len(got.History), got.LastEvent)
		}
		if len(got.events) < acked[id] {
			t.Fatalf("round %d: %s has %d events, %d were durable", round, id, len(got.events), acked[id])
		}
	}
	for id := range acked {
		var pid, w, i int
		fmt.Sscanf(id, "p%d-w%d-%d", &pid, &w, &i)
		if forgotten := i+2 < newest[fmt.Sprintf("p%d-w%d", pid, w)]+1; !kept[id] && !forgotten {
			t.Fatalf("round %d: %s was durable and is not there", round, id)
		}
	}
	for id := range kept { // so that it does not grow
		s.Forget(id)
	}
}
