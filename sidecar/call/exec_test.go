package call_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

func TestExecEnvironment(t *testing.T) {
	r := newRig(t, execTool("acme.env", "", "tool:env")+","+
		strings.Replace(execTool("acme.more", "", "tool:env"), `"command"`, `"env":["ACME_TOKEN","NOT_SET"],"command"`, 1),
		nil, withHost(t), func(o *call.Options) {
			o.Env = []string{
				"PATH=/bin", "HOME=/h", "USER=u", "LANG=C", "LC_TIME=x", "TZ=UTC", "TMPDIR=/t", "ACME_TOKEN=abc", "EDITOR=vi",
				"AGENT_CMD=claude", "SIDECAR_SECRET=s", "SIDECAR_CHANNEL_TOKEN=other", "SPRING_BOOTSTRAP_X=1", "LD_PRELOAD=/evil.so",
			}
			o.URL = func() string { return "http://127.0.0.1:8999" }
		})
	env := func(name string) (names []string, values map[string]string) {
		inv := r.p.Start(call.Request{ID: "c-1", Tool: name, ContextID: "ctx", TraceParent: "00-aa-bb-01"})
		e := r.ended(inv).is("final", a2a.StateCompleted, 200)
		var entries []string
		if err := json.Unmarshal(e.env.Data, &entries); err != nil {
			t.Fatal(err)
		}
		values = map[string]string{"TASK": inv.Task().ID(), "MESSAGE": inv.Task().Message().ID}
		for _, entry := range entries {
			k, v, _ := strings.Cut(entry, "=")
			names, values[k] = append(names, k), v
		}
		slices.Sort(names)
		return names, values
	}
	names, v := env("acme.env")
	const base = "HOME LANG LC_TIME PATH SIDECAR_CALL_ID SIDECAR_CHANNEL_TOKEN SIDECAR_CONTEXT_ID SIDECAR_MESSAGE_ID SIDECAR_TASK_ID SIDECAR_TOOL SIDECAR_URL TMPDIR TRACEPARENT TZ USER"
	if got := strings.Join(names, " "); got != base {
		t.Errorf("got  %s\nwant %s", got, base)
	}
	for name, want := range map[string]string{
		"SIDECAR_CALL_ID": "c-1", "SIDECAR_TOOL": "acme.env", "SIDECAR_TASK_ID": v["TASK"], "SIDECAR_MESSAGE_ID": v["MESSAGE"],
		"SIDECAR_CONTEXT_ID": "ctx", "SIDECAR_URL": "http://127.0.0.1:8999", "TRACEPARENT": "00-aa-bb-01", "HOME": "/h",
	} {
		if v[name] != want {
			t.Errorf("%s=%s, want %s", name, v[name], want)
		}
	}
	if v["SIDECAR_CHANNEL_TOKEN"] == "other" {
		t.Error("another's token was passed on")
	}
	names, v = env("acme.more")
	if got := strings.Join(names, " "); got != "ACME_TOKEN "+base || v["ACME_TOKEN"] != "abc" {
		t.Errorf("with declared names: %s", got)
	}
}

func TestExecDirectory(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "escape")); err != nil {
		t.Fatal(err)
	}
	cwd := func(name, dir string) string {
		return strings.Replace(execTool(name, "", "tool:cwd"), `"command"`, `"cwd":"`+dir+`","command"`, 1)
	}
	r := newRig(t, execTool("acme.home", "", "tool:cwd")+","+cwd("acme.sub", "sub")+","+cwd("acme.escape", "escape")+","+cwd("acme.none", "none"),
		nil, withHost(t), func(o *call.Options) { o.Workspace = dir })
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.run("acme.home", `{}`).is("final", a2a.StateCompleted, 200).data(`"` + real + `"`)
	r.run("acme.sub", `{}`).is("final", a2a.StateCompleted, 200).data(`"` + real + `/sub"`)
	r.run("acme.escape", `{}`).is("unavailable", a2a.StateFailed, 503).says(`cwd "escape" in the workspace: path escapes`)
	r.run("acme.none", `{}`).is("unavailable", a2a.StateFailed, 503).says(`cwd "none" in the workspace: no such file or directory`)
}

func TestExecPlaceholders(t *testing.T) {
	self, _ := os.Executable()
	r := newRig(t, `{"name":"acme.argv","description":"d","inputSchema":{"type":"object","properties":{"env":{"type":"string"},"n":{"type":"integer"},"all":{"type":"array","items":{"type":"string"}}},"required":["env"]},
		"x-sidecar":{"bridge":{"exec":{"command":["`+self+`","tool:argv","--env={env}","--n={n}","--","{all}"]}}}}`, nil, withHost(t))
	r.run("acme.argv", `{"env":"a b;$(id)","n":3,"all":["x","-y"]}`).is("final", a2a.StateCompleted, 200).data(`["--env=a b;$(id)","--n=3","--","x","-y"]`)
	r.run("acme.argv", `{"env":"e"}`).is("final", a2a.StateCompleted, 200).data(`["--env=e","--"]`)
	r.run("acme.argv", `{"env":"a\u0000b"}`).is("invalid_arguments", a2a.StateFailed, 422).says("/env")
}

// 64 MiB of output: the head is kept, the rest is read and dropped.
func TestExecLargeOutputInBoundedMemory(t *testing.T) {
	r := newRig(t, execTool("acme.large", "", "tool:large", "1024"), nil, withHost(t))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	_, f := r.follow(call.Request{Tool: "acme.large"})
	live := 0
	var last *a2a.Event
	for _, e := range f.all() {
		if u := toolCall(t, e); u != nil {
			live += len(u.Live)
		}
		last = e
	}
	runtime.ReadMemStats(&after)
	if last.State() != a2a.StateCompleted || live != 200<<10 && live != 200_000 {
		t.Errorf("%s with %d bytes of live content", last.State(), live)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 24<<20 {
		t.Errorf("%d MiB were allocated for 64 MiB of output", got>>20)
	}
}

func TestExecCutsAtRunes(t *testing.T) {
	for limit := int64(1); limit < 6; limit++ {
		r := newRig(t, execTool("acme.runes", "", "tool:runes"), nil, withHost(t), func(o *call.Options) { o.MaxOutput = limit })
		want, _ := json.Marshal(map[string]string{"head": "äöü"[:limit/2*2]})
		r.run("acme.runes", `{}`).is("truncated", a2a.StateCompleted, 200).data(string(want))
	}
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// A grandchild that keeps stdout open does not delay the answer of a call that
// ends well.
func TestExecGrandchild(t *testing.T) {
	r := newRig(t, execTool("acme.orphan", "", "tool:orphan"), nil, withHost(t))
	e := r.run("acme.orphan", `{}`).is("final", a2a.StateCompleted, 200)
	pid, err := strconv.Atoi(string(e.env.Data))
	if err != nil || !alive(pid) {
		t.Fatalf("background processes are left alone: %s, %v", e.env.Data, err)
	}
	r.p.Close() // waits for what follows the answer
	syscall.Kill(pid, syscall.SIGKILL)
	if lines := r.log.Lines("in the background"); len(lines) != 1 || !strings.Contains(lines[0], "processes=1") {
		t.Errorf("their count is logged: %q", lines)
	}
}

func TestExecDrainIsTheLadderToo(t *testing.T) {
	r := newRig(t, execTool("acme.chatty", "", "tool:chatty"), nil, withHost(t))
	inv, f := r.follow(call.Request{Tool: "acme.chatty"})
	f.next(func(e *a2a.Event) bool { u := toolCall(t, e); return u != nil && u.Live != "" })
	if err := r.p.Drain(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	r.ended(inv).is("failed", a2a.StateFailed, 502).says("shutting down").data(`"so far"`)
}

func TestExecOutboxAndMessageFile(t *testing.T) {
	dir := t.TempDir()
	r := newRig(t, execTool("acme.outbox", "", "tool:outbox"), nil, withHost(t), func(o *call.Options) { o.RuntimeDir = dir })
	m := &a2a.Message{ID: "m-1", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("the message")}}
	e := r.ended(r.p.Start(call.Request{Tool: "acme.outbox", Message: m})).is("final", a2a.StateCompleted, 200)
	if got := string(e.env.Data); !strings.Contains(got, `"messageId":"m-1"`) || !strings.Contains(got, "the message") {
		t.Errorf("message file %s", got)
	}
	if p := e.artifact("report.txt"); p.Text != "all is well" {
		t.Errorf("artifact report.txt: %+v", p)
	}
	if p := e.artifact("outbox/result"); p.Text != "forged" {
		t.Errorf("a file called result is no result: %+v", p)
	}
	for _, a := range e.task.Artifacts {
		if len(a.Parts) > 0 && bytes.Contains([]byte(a.Parts[0].Text), []byte("root:")) {
			t.Error("a symbolic link was followed")
		}
	}
	if string(e.task.Metadata["outboxSkipped"]) != "1" {
		t.Errorf("the link is counted: %s", e.task.Metadata["outboxSkipped"])
	}
	r.p.Close() // waits for what follows the answer
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestExecManyAtOnce(t *testing.T) {
	r := newRig(t, execTool("acme.cat", `,"effects":"read"`, "tool:cat")+","+execTool("acme.silent", `,"effects":"read"`, "tool:silent"),
		nil, withHost(t), func(o *call.Options) { o.Queue = 200 })
	var calls, stopped []*call.Invocation
	for n := range 40 {
		calls = append(calls, r.p.Start(call.Request{Tool: "acme.cat", Arguments: json.RawMessage(`{"n":` + strconv.Itoa(n) + `}`)}))
		inv := r.p.Start(call.Request{Tool: "acme.silent"})
		inv.Task().Cancel(task.ErrCanceled) // wherever it is by now
		stopped = append(stopped, inv)
	}
	for n, inv := range calls {
		r.ended(inv).is("final", a2a.StateCompleted, 200).data(`{"n":` + strconv.Itoa(n) + `}`)
	}
	for _, inv := range stopped {
		r.ended(inv).is("canceled", a2a.StateCanceled, 409)
	}
}
