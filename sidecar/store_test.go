package sidecar_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// waiting is an agent that answers a line with the same, and "wait" not before
// the file $GATE is there.
var waiting = []string{"sh", "-c", `read -r l; if [ "$l" = wait ]; then printf began; while ! [ -e "$GATE" ]; do sleep 0.01; done; fi; printf %s "$l"`}

func runWaiting(t *testing.T, gate string, args ...string) *running {
	t.Helper()
	args = append(append([]string{"--mode", "oneshot"}, args...), "--")
	return runWith(t, []string{"GATE=" + gate}, append(args, waiting...)...)
}

// kill ends the sidecar as a crash does.
func (r *running) kill() {
	r.cmd.Process.Kill()
	<-r.done
}

// TestTasksOutliveACrash: what has ended can be read as it was, what has not has
// failed, and lists show both.
func TestTasksOutliveACrash(t *testing.T) {
	t.Parallel()
	state, gate := filepath.Join(t.TempDir(), "state"), filepath.Join(t.TempDir(), "gate")
	r := runWaiting(t, gate, "--state-dir", state)
	ended := r.send("hello")
	before := r.get(ended.ID)
	stays := r.begin("wait")
	await.True(r.t, "the agent has begun", func() bool { return artifact(r.get(stays.ID), "response") == "began" })
	later := r.send("later") // what came before its end is durable with it
	r.kill()
	writeFile(t, gate, "") // nobody is left who waits for ever

	r = runWaiting(t, gate, "--state-dir", state)
	r.log.Says(t, `"msg":"tasks are kept on disk","dir":"`+state+`"`)
	r.log.Says(t, `"msg":"tasks restored","tasks":3,"interrupted":1`)
	if diff := cmp.Diff(before, r.get(ended.ID)); diff != "" {
		t.Errorf("the task that had ended (-before +after):\n%s", diff)
	}
	failed := r.get(stays.ID)
	if failed.Status.State != a2a.StateFailed || says(failed) != "interrupted by restart" {
		t.Errorf("the task that had not is %s, %q", failed.Status.State, says(failed))
	}
	if got := artifact(failed, "response"); got != "began" {
		t.Errorf("its artifact is %q", got)
	}
	list, err := r.client().List(r.context(), &a2a.ListRequest{PageSize: 10})
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, task := range list.Tasks {
		listed = append(listed, task.ID)
	}
	if want := []string{stays.ID, later.ID, ended.ID}; list.TotalSize != 3 || !slices.Equal(listed, want) {
		t.Errorf("listed: %v of %d, want %v", listed, list.TotalSize, want)
	}
	r.send("more")
	if code := r.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if r = runWaiting(t, gate, "--state-dir", state); len(r.get(stays.ID).History) != 1 {
		t.Error("the history of the failed task is lost with the second restart")
	}
}

// TestStateDirInUse: the second sidecar ends and says whose the directory is.
func TestStateDirInUse(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	run(t, "--state-dir", state, "--mode", "oneshot", "--", "cat")
	second := startOnly(t, nil, "--state-dir", state, "--mode", "oneshot", "--", "cat")
	if code := second.wait(); code != 125 {
		t.Errorf("exit %d", code)
	}
	second.log.Says(t, state+" is in use")
}

// TestDamagedStore: the sidecar does not start, does not touch the file, and
// says what to do; then it starts.
func TestDamagedStore(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	file := filepath.Join(state, "tasks.db")
	writeFile(t, file, strings.Repeat("not a database ", 10_000))
	r := startOnly(t, nil, "--state-dir", state, "--mode", "oneshot", "--", "cat")
	if code := r.wait(); code != 125 {
		t.Errorf("exit %d", code)
	}
	r.log.Says(t, file+" is damaged")
	r.log.Says(t, "move it away")
	if err := os.Rename(file, file+".bad"); err != nil {
		t.Fatal(err)
	}
	run(t, "--state-dir", state, "--mode", "oneshot", "--", "cat").send("hello")
}

// TestReadOnlyStateDir: the platform's workspace may be read-only, and the
// sidecar serves from memory and says so. A directory that was asked for may
// not be.
func TestReadOnlyStateDir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if os.Getuid() == 0 { // whom permissions do not stop
		mount(t, dir, "tmpfs", "ro")
	} else if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	r := runWith(t, []string{"SPRING_WORKSPACE_PATH=" + dir}, "--mode", "oneshot", "--", "cat")
	r.send("hello")
	if got := strings.Count(r.log.String(), "in memory only"); got != 1 {
		t.Errorf("%d lines say that tasks are in memory only", got)
	}
	r.stop()

	asked := startOnly(t, nil, "--state-dir", filepath.Join(dir, "state"), "--mode", "oneshot", "--", "cat")
	if code := asked.wait(); code != 125 {
		t.Errorf("exit %d", code)
	}
	asked.log.Says(t, "cannot be written")
}

// TestPlatformWorkspaceKeepsTasks below .spring/bridge, and no other directory
// gets any.
func TestPlatformWorkspaceKeepsTasks(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	runWith(t, []string{"SPRING_WORKSPACE_PATH=" + dir}, "--mode", "oneshot", "--", "cat").send("hello")
	if _, err := os.Stat(filepath.Join(dir, ".spring", "bridge", "tasks.db")); err != nil {
		t.Error(err)
	}
	run(t, "--workspace", other, "--mode", "oneshot", "--", "cat").send("hello")
	if left, err := os.ReadDir(other); err != nil || len(left) != 0 {
		t.Errorf("left in a workspace that is not the platform's: %v, %v", left, err)
	}
}

// mount puts a file system at dir for the test, which needs root.
func mount(t testing.TB, dir, kind, options string) {
	t.Helper()
	if out, err := exec.Command("mount", "-t", kind, "-o", options, kind, dir).CombinedOutput(); err != nil {
		t.Skipf("needs to be root and to mount: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
}

// TestFullDisk: readiness says it and new work is refused, what runs goes on and
// can be read, and all of it is stored when there is room again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir, gate := t.TempDir(), filepath.Join(t.TempDir(), "gate")
	mount(t, dir, "tmpfs", "size=1m")
	state := filepath.Join(dir, "state")
	r := runWaiting(t, gate, "--state-dir", state)
	running := r.begin("wait")
	await.True(r.t, "the agent has begun", func() bool { return artifact(r.get(running.ID), "response") == "began" })
	stream, err := r.client().Subscribe(r.context(), &a2a.SubscribeRequest{ID: running.ID})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()

	sent := 0
	text := strings.Repeat("x", 100_000)
	var refused error
	await.True(r.t, "new work is refused", func() bool {
		_, refused = r.client().Send(r.context(), &a2a.SendRequest{Message: userMessage(text)})
		sent++
		return refused != nil
	})
	if !errors.Is(refused, a2a.ErrUnavailable) || sent < 2 {
		t.Errorf("message %d was refused: %v", sent, refused)
	}
	if ready := r.getPath("/readyz"); ready.status != http.StatusServiceUnavailable || !strings.Contains(ready.body, "stored") {
		t.Errorf("/readyz: %d %s", ready.status, ready.body)
	}
	if live := r.getPath("/livez"); live.status != http.StatusOK {
		t.Errorf("/livez: %d", live.status)
	}
	writeFile(t, gate, "")
	last := r.settle(running.ID)
	if last.Status.State != a2a.StateCompleted || artifact(last, "response") != "beganwait" {
		t.Errorf("the running task is %s with %q", last.Status.State, artifact(last, "response"))
	}
	for ended := false; !ended; { // its subscriber has heard it too
		events, err := stream.Next(r.context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			ended = ended || e.State() == a2a.StateCompleted
		}
	}

	if out, err := exec.Command("mount", "-o", "remount,size=64m", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	await.True(r.t, "ready again", func() bool { return r.getPath("/readyz").status == http.StatusOK })
	r.send("more")
	for text, want := range map[string]int{"tasks cannot be stored": 1, "tasks are stored again": 1} {
		if got := strings.Count(r.log.String(), fmt.Sprintf(`"msg":"%s`, text)); got != want {
			t.Errorf("%q was logged %d times", text, got)
		}
	}
	r.kill()
	r = runWaiting(t, gate, "--state-dir", state)
	if diff := cmp.Diff(last, r.get(running.ID)); diff != "" {
		t.Errorf("after a crash (-before +after):\n%s", diff)
	}
	r.stop()
}

// TestDrainedTasksAreKept as they ended: a restart that was asked for
// interrupts nothing behind anybody's back.
func TestDrainedTasksAreKept(t *testing.T) {
	t.Parallel()
	state, gate := t.TempDir(), filepath.Join(t.TempDir(), "gate")
	r := runWaiting(t, gate, "--state-dir", state, "--drain-timeout", "0s", "--cancel-grace", "100ms")
	task := r.begin("wait")
	await.True(r.t, "the agent has begun", func() bool { return artifact(r.get(task.ID), "response") == "began" })
	if code := r.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	r = runWaiting(t, gate, "--state-dir", state)
	if got := r.get(task.ID); got.Status.State != a2a.StateFailed || says(got) != "shutting down" || artifact(got, "response") != "began" {
		t.Errorf("%s, %q, artifact %q", got.Status.State, says(got), artifact(got, "response"))
	}
}

// TestRetention: the newest finished tasks are kept, in number and in bytes, and
// the file does not grow for ever.
func TestRetention(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	args := []string{"--state-dir", state, "--keep-bytes", "128KiB", "--retain-bytes", "1000KiB", "--mode", "oneshot", "--",
		"sh", "-c", `read -r n; head -c "$n" /dev/zero | tr '\0' x`}
	r := run(t, args...)
	list := func() (ids []string) {
		t.Helper()
		page, err := r.client().List(r.context(), &a2a.ListRequest{PageSize: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range page.Tasks {
			ids = append(ids, task.ID)
		}
		if page.TotalSize != len(ids) {
			t.Errorf("%d tasks are listed of %d", len(ids), page.TotalSize)
		}
		return ids
	}
	var sent []string // the newest first
	send := func(n string) { sent = append([]string{r.send(n + "\n").ID}, sent...) }
	for range 13 {
		send("10")
	}
	if got := list(); !slices.Equal(got, sent[:10]) {
		t.Errorf("kept %v\nwant %v", got, sent[:10])
	}
	for _, id := range sent[:10] {
		if got := artifact(r.get(id), "response"); got != strings.Repeat("x", 10) {
			t.Errorf("%s has %q", id, got)
		}
	}
	if _, err := r.client().Get(r.context(), &a2a.GetRequest{ID: sent[10]}); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("the eleventh: %v", err)
	}
	for range 30 {
		send("250000")
	}
	kept := list()
	if len(kept) < 2 || len(kept) > 4 || !slices.Equal(kept, sent[:len(kept)]) {
		t.Errorf("%d tasks of 250 kB are kept in 1000 KiB: %v of %v", len(kept), kept, sent[:5])
	}
	if info, err := os.Stat(filepath.Join(state, "tasks.db")); err != nil || info.Size() > 5<<20 {
		t.Errorf("the file has %d bytes after 30 tasks of 250 kB, %v", info.Size(), err)
	}
	r.stop()
	r = run(t, args...)
	if got := list(); !slices.Equal(got, kept) {
		t.Errorf("kept after a restart: %v, before: %v", got, kept)
	}
	r.stop()
}

// TestStoreHasWhatMemoryCuts: an artifact larger than a task may keep in memory
// is whole where there is a store, now and later.
func TestStoreHasWhatMemoryCuts(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	args := []string{"--state-dir", state, "--task-bytes", "100KiB", "--mode", "oneshot", "--", "sh", "-c", `head -c 3000000 /dev/zero | tr '\0' x`}
	r := run(t, args...)
	id := r.send("go").ID
	if got := len(artifact(r.get(id), "response")); got != 3_000_000 {
		t.Errorf("%d bytes", got)
	}
	r.stop()
	r = run(t, args...)
	if got := len(artifact(r.get(id), "response")); got != 3_000_000 {
		t.Errorf("%d bytes after a restart", got)
	}
}

// TestStopOnAFullDisk: what could not be stored is lost then, and the exit code
// and the last line say so.
func TestStopOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mount(t, dir, "tmpfs", "size=1m")
	r := run(t, "--state-dir", filepath.Join(dir, "state"), "--mode", "oneshot", "--", "cat")
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	await.True(r.t, "new work is refused", func() bool {
		_, err := r.client().Send(r.context(), &a2a.SendRequest{Message: userMessage(strings.Repeat("x", 100_000))})
		return err != nil
	})
	if code := r.stop(); code != 125 {
		t.Errorf("exit %d", code)
	}
	r.log.Says(t, "were not stored")
	r.log.Says(t, "no space left on device")
}
