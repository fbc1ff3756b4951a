package call_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
)

// conversation calls background in one conversation.
type conversation struct {
	*rig
	caller, id string
}

func (r *rig) conversation(id string) *conversation { return &conversation{rig: r, id: id} }

func (c *conversation) do(pairs ...any) ended {
	c.t.Helper()
	q := callOf("core.background", pairs...)
	q.Caller, q.ContextID = c.caller, c.id
	return c.ended(c.p.Start(q))
}

// until reads on until the process is where it says, and returns all that was read.
func (c *conversation) until(id, words string) string {
	c.t.Helper()
	return c.wait(id, "", words)
}

// start starts a line, reads until it has said something, and returns the process's id and all that was read.
func (c *conversation) start(line, words string) (id, all string) {
	c.t.Helper()
	all = c.do("action", "start", "command", line).said()
	id, _, _ = strings.Cut(strings.TrimPrefix(all, "["), " ")
	return id, c.wait(id, all, words)
}

func (c *conversation) wait(id, all, words string) string {
	c.t.Helper()
	for range 20 {
		if strings.Contains(all, words) {
			return all
		}
		all += c.do("action", "read", "id", id, "wait", 1000).said()
	}
	c.t.Fatalf("%s: %q", words, all)
	return ""
}

// A process goes on after its call, says what it says in parts, and ends by itself or is stopped.
func TestBackground(t *testing.T) {
	r, dir := shellRig(t)
	c := r.conversation("a")
	if got := c.do("action", "list").said(); got != "No process of this conversation was started here.\n" {
		t.Errorf("%q", got)
	}
	id, first := c.start("echo one; echo two >&2; while ! test -e go; do sleep 0.01; done; echo three; exit 3", "two\n")
	if id != "bg-1" || !strings.HasPrefix(first, "[bg-1 runs") {
		t.Errorf("%q", first)
	}
	put(t, filepath.Join(dir, "go"), "")
	rest := c.until("bg-1", "has ended")
	if !strings.Contains(first, "one\n") || !strings.Contains(rest, "three\n") {
		t.Errorf("%q, then %q", first, rest)
	}
	if got := c.do("action", "read", "id", "bg-1").said(); got != "[bg-1 has ended: exit status 3; it has said nothing new]\n" {
		t.Errorf("%q", got)
	}
	c.start("echo $$ > pid2; trap 'echo bye; exit 0' TERM; echo up; sleep 600 & wait", "up\n")
	if got := c.do("action", "stop", "id", "bg-2").said(); got != "[bg-2 was stopped: exit status 0]\nbye\n" {
		t.Errorf("%q", got)
	}
	pid, err := os.ReadFile(filepath.Join(dir, "pid2"))
	if err != nil || alive(number(t, pid)) {
		t.Errorf("%s lives, %v", pid, err)
	}
	list := c.do("action", "list").said()
	for _, want := range []string{"bg-1 has ended: exit status 3, began ", "bg-2 was stopped: exit status 0, began ", " ago: echo $$ > pid2; trap 'echo bye;"} {
		if !strings.Contains(list, want) {
			t.Errorf("%q has no %q", list, want)
		}
	}
	if got := r.conversation("b").do("action", "read", "id", "bg-1"); got.text() != `there is no process "bg-1" in this conversation: it has none` {
		t.Errorf("%s", got.inv.Envelope())
	}
	if got := c.do("action", "stop", "id", "bg-7"); got.text() != `there is no process "bg-7" in this conversation: it has bg-1 and bg-2` {
		t.Errorf("%s", got.inv.Envelope())
	}
}

// What is said before it is read is bounded, and what is lost is counted.
func TestBackgroundLosesTheOldest(t *testing.T) {
	r, _ := shellRig(t, withOutputs(t, 1<<20))
	c := r.conversation("a")
	c.do("action", "start", "command", "head -c 1000000 /dev/zero | tr '\\0' y; echo; touch done")
	c.ended(c.p.Start(callOf("core.bash", "command", "while ! test -e done; do sleep 0.01; done")))
	e := c.do("action", "read", "id", "bg-1", "wait", 5000)
	if !strings.Contains(string(e.env.Data), "bytes before this are lost]") || !e.env.Metadata.Truncated {
		t.Errorf("%.200s", e.inv.Envelope())
	}
}

// There are only so many at once, and what has ended makes room.
func TestBackgroundIsBounded(t *testing.T) {
	r, _ := shellRig(t)
	c := r.conversation("a")
	for i := range 8 {
		if got := c.do("action", "start", "command", "exec sleep 600").said(); !strings.HasPrefix(got, fmt.Sprintf("[bg-%d runs", i+1)) {
			t.Fatalf("%q", got)
		}
	}
	c.do("action", "start", "command", "true").says("8 processes of this conversation run already, which is the most: stop one of them first")
	c.do("action", "stop", "id", "bg-3")
	if got := c.do("action", "start", "command", "exec sleep 600").said(); !strings.HasPrefix(got, "[bg-9 runs") {
		t.Errorf("%q", got)
	}
	c.do("action", "read", "id", "bg-3").says("there is no process")
	fill := func(caller string, conversations ...string) {
		for _, id := range conversations {
			c := &conversation{r, caller, id}
			for range 8 {
				if got := c.do("action", "start", "command", "exec sleep 600").said(); !strings.Contains(got, " runs") {
					t.Fatalf("%q", got)
				}
			}
		}
	}
	fill("", "b", "c", "d")
	r.conversation("e").do("action", "start", "command", "true").says("32 processes of this caller's conversations run already, which is the most: stop one of them first")
	fill("ann", "f", "g", "h", "i")
	(&conversation{r, "bob", "j"}).do("action", "start", "command", "true").says("64 processes of all conversations run already, which is the most: try again later")
}

// The audit says how each process has ended, which may be long after the call that has started it.
func TestBackgroundIsAudited(t *testing.T) {
	tweak, records := audited(t)
	r, _ := shellRig(t, tweak)
	c := &conversation{r, "ann", "a"}
	first := c.do("action", "start", "command", "while ! test -e go; do sleep 0.01; done; echo 12345; exit 3").inv.Task().ID()
	c.ended(c.p.Start(callOf("core.bash", "command", "touch go")))
	c.until("bg-1", "has ended")
	second := c.do("action", "start", "command", "exec sleep 600").inv.Task().ID()
	r.p.SessionEnded("a")
	third := (&conversation{r, "ann", "b"}).do("action", "start", "command", "exec sleep 600").inv.Task().ID()
	r.p.Close()
	before, left := map[string]uint64{}, map[string]audit.Record{}
	for _, one := range records() {
		switch one.Event {
		case audit.EventBefore:
			before[one.Task] = one.Seq
		case audit.EventLeft:
			left[one.Task] = one
		}
	}
	for id, want := range map[string]string{first: "exited, 3: ", second: "stopped, SIGTERM: the conversation has ended", third: "stopped, SIGTERM: task: shutting down"} {
		one := left[id]
		if one.Of != before[id] || one.Of == 0 || one.Caller != "ann" || one.Tool != "core.background" || one.Began.IsZero() || one.ExitCode == nil {
			t.Fatalf("%s: %+v", want, one)
		}
		how := one.Signal
		if how == "" {
			how = fmt.Sprint(*one.ExitCode)
		}
		if got := one.Outcome + ", " + how + ": " + one.Reason; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if one := left[first]; len(left) != 3 || one.Bytes != 6 || one.DurationMS == 0 {
		t.Errorf("%d have ended; %+v", len(left), one)
	}
}

// A process is judged as a line of bash is, and nothing but its start is.
func TestBackgroundIsJudged(t *testing.T) {
	r, _ := shellRig(t, ruled(t, nil, rule("allow", "background", ""), rule("deny", "shell.run", "rm:*")), func(o *call.Options) { o.Headless = true })
	c := r.conversation("a")
	c.do("action", "start", "command", "rm x").says("forbids shell.run")
	c.do("action", "start", "command", "true; rm x").says("forbids shell.run")
	c.do("action", "start", "command", "$(echo rm) x").says("nobody can be asked")
	c.do("action", "start", "command", "true", "dir", "/").says("/dir is outside of the workspace")
	c.do("action", "list").data(`"No process of this conversation was started here.\n"`)
}

// A process ends with its conversation, and with the sidecar.
func TestBackgroundEnds(t *testing.T) {
	r, dir := shellRig(t)
	for _, id := range []string{"a", "b"} {
		c := r.conversation(id)
		c.start("echo $$ > "+id+"; echo up; sleep 600 & wait", "up\n")
	}
	pid := func(name string) int {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return number(t, text)
	}
	r.p.SessionEnded("a")
	await.True(t, "the end of the conversation's process", func() bool { return !alive(pid("a")) })
	r.conversation("a").do("action", "read", "id", "bg-1").says("it has none")
	if !alive(pid("b")) {
		t.Error("another conversation's has ended too")
	}
	r.p.Close()
	if alive(pid("b")) {
		t.Error("it lives after the end")
	}
}

// An ID is never used again in a conversation: not after the process was forgotten, nor in the next session of the agent. A
// conversation of which nothing is kept ends with its processes, and its ID begins another one.
func TestBackgroundIDs(t *testing.T) {
	r, dir := shellRig(t)
	c := r.conversation("a")
	start := func(want string) (pid int) {
		t.Helper()
		if id, _ := c.start("echo $$ > pid; echo up; exec sleep 600", "up\n"); id != want {
			t.Errorf("%s, want %s", id, want)
		}
		text, err := os.ReadFile(filepath.Join(dir, "pid"))
		if err != nil {
			t.Fatal(err)
		}
		return number(t, text)
	}
	start("bg-1")
	r.p.SessionEnded("a")
	pid := start("bg-2")
	r.p.ContextGone("another", "a")
	start("bg-3")
	if !alive(pid) {
		t.Error("another caller's conversation has ended it")
	}
	r.p.ContextGone("", "a")
	await.True(t, "the end of the conversation's process", func() bool { return !alive(pid) })
	if got := c.do("action", "list").said(); got != "No process of this conversation was started here.\n" {
		t.Errorf("%q", got)
	}
	start("bg-1")
}

// A hundred that were started and stopped leave no process, no goroutine, no file and no folder.
func TestBackgroundLeavesNothing(t *testing.T) {
	run := t.TempDir()
	r, dir := shellRig(t, func(o *call.Options) { o.RuntimeDir = run })
	c := r.conversation("a")
	once := func() {
		id, _ := c.start("echo $$ >> pids; echo up; sleep 600 & wait", "up\n")
		c.do("action", "stop", "id", id)
	}
	once()
	before, files := runtime.NumGoroutine(), descriptors(t)
	for range 100 {
		once()
	}
	await.True(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before })
	if now := descriptors(t); now > files {
		t.Errorf("%d descriptors, and %d before", now, files)
	}
	text, err := os.ReadFile(filepath.Join(dir, "pids"))
	if err != nil {
		t.Fatal(err)
	}
	pids := strings.Fields(string(text))
	for _, pid := range pids {
		if alive(number(t, []byte(pid))) {
			t.Errorf("%s lives", pid)
		}
	}
	r.p.Close()
	if left, _ := os.ReadDir(run); len(pids) != 101 || len(left) != 0 {
		t.Errorf("%d processes, and %v is left", len(pids), left)
	}
}

// descriptors counts the open files of this process, 0 where that cannot be told.
func descriptors(t *testing.T) int {
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(all)
}

// A conversation's ID may be another caller's later on, when all tasks of the first one are forgotten: what that one has
// left running stays its own.
func TestBackgroundOfAnotherCaller(t *testing.T) {
	r, _ := shellRig(t)
	as := func(caller string, pairs ...any) ended {
		q := callOf("core.background", pairs...)
		q.ContextID, q.Caller = "shared", caller
		return r.ended(r.p.Start(q))
	}
	as("alice", "action", "start", "command", "echo mine; sleep 600")
	if got := as("bob", "action", "list").said(); got != "No process of this conversation was started here.\n" {
		t.Errorf("%q", got)
	}
	for _, action := range []string{"read", "stop"} {
		if got := as("bob", "action", action, "id", "bg-1").text(); !strings.Contains(got, "there is no process") {
			t.Errorf("%s: %q", action, got)
		}
	}
	if got := as("alice", "action", "stop", "id", "bg-1").said(); !strings.Contains(got, "[bg-1 was stopped") {
		t.Errorf("%q", got)
	}
}
