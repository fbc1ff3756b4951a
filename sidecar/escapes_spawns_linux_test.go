package sidecar_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// kinds is how many kinds of programs start at once: three tools and the turns of the agent.
const kinds = 4

// prepared is how many of them have a start that can be prepared: not one with a network of its own.
const prepared = 2

// threadsOf returns what the kernel says of each thread of a process: whether it is filtered,
// may gain privileges, and which capabilities it has; and how many say so.
func threadsOf(t *testing.T, pid int) map[string]int {
	t.Helper()
	all := map[string]int{}
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	sure(t, err)
	for _, file := range files {
		status, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		var says []string
		for line := range strings.Lines(string(status)) {
			for _, name := range []string{"Seccomp:", "NoNewPrivs:", "CapEff:", "CapPrm:", "Uid:"} {
				if strings.HasPrefix(line, name) {
					says = append(says, strings.Join(strings.Fields(line), " "))
				}
			}
		}
		all[strings.Join(says, ", ")]++
	}
	return all
}

// Tools of different sandboxes and turns of the agent, which has none, start at the same
// time: each has its own, and the sidecar has none then, but for one thread for each tool
// whose next start is prepared.
func TestSpawnsLeaveTheSidecarFree(t *testing.T) {
	confined(t)
	ws, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	writeFile(t, outside, "secret")
	for _, dir := range []string{"a", "b"} {
		sure(t, os.Mkdir(filepath.Join(ws, dir), 0o755))
		writeFile(t, filepath.Join(ws, dir, "in"), strings.ToUpper(dir))
	}
	tools := filepath.Join(t.TempDir(), "tools.json")
	networked := strings.Replace(readingTool("test.net", "a"), `"requires":{`, `"requires":{"net":{"hosts":["example.com"]},`, 1)
	manifest := func(more string) {
		writeFile(t, tools, "["+strings.Join([]string{readingTool("test.a", "a"), readingTool("test.b", "b"), networked}, ",")+more+"]")
	}
	manifest("")
	r := run(t, "--mode", "oneshot", "--workspace", ws, "--manifest", tools, "--max-concurrency", "64", "--queue", "1000", "--",
		"sh", "-c", `cat; cat "$0"; grep -h Seccomp: /proc/self/status`, outside)
	before := threadsOf(t, r.cmd.Process.Pid)
	if len(before) != 1 {
		t.Fatalf("its threads differ before anything was started: %v", before)
	}

	spawns := 100
	if os.Getenv("SIDECAR_ESCAPES") != "" {
		spawns = 400
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	wrong, right := map[string]int{}, map[string]int{}
	for i := range spawns {
		all.Go(func() {
			name, said, want := "a turn", "", "secretSeccomp:\t0"
			if i%kinds == 0 {
				result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: userMessage("x")})
				if err != nil {
					said = err.Error()
				} else {
					said = artifact(result.Task, "response")
				}
			} else {
				kind := []string{"test.net", "test.a", "test.b"}[i%kinds-1]
				name, want = kind, map[string]string{"test.net": `"A no "`, "test.a": `"A no "`, "test.b": `"no B "`}[kind]
				said = r.do(http.MethodPost, "/a2a/tools/"+kind, "application/json", "{}").body
			}
			mu.Lock()
			defer mu.Unlock()
			if strings.Contains(said, want) {
				right[name]++
			} else {
				wrong[name+": "+said]++
			}
		})
	}
	all.Wait()
	t.Logf("each had its own: %v", right)
	for what, n := range wrong {
		t.Errorf("%d × %s", n, what)
	}

	restricted := 0
	for says, n := range threadsOf(t, r.cmd.Process.Pid) {
		t.Logf("%d threads of the sidecar: %s", n, says)
		if before[says] == 0 {
			restricted += n
		}
	}
	if restricted > prepared {
		t.Errorf("%d threads of the sidecar are restricted", restricted)
	}
	leader, err := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/status", r.cmd.Process.Pid))
	if err != nil || !strings.Contains(string(leader), "Seccomp:\t0\n") || !strings.Contains(string(leader), "NoNewPrivs:\t0\n") {
		t.Errorf("the main thread: %v %s", err, leader)
	}
	manifest("," + readingTool("test.late", "a")) // it opens a file, and answers by a socket
	await.True(t, "the new tool", func() bool { return strings.Contains(r.getPath("/a2a/tools").body, "test.late") })
	for range 20 {
		if said := artifact(r.send("x"), "response"); !strings.Contains(said, "secret") {
			t.Errorf("a turn after all that: %q", said)
		}
	}
}
