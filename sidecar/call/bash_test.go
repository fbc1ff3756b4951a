package call_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// Each line runs with nothing but what the call gives it, and the result is what it said and how it ended.
func TestBash(t *testing.T) {
	for _, c := range []struct {
		name, line, outcome, data, text string
		more                            []any
	}{
		{name: "a line", line: "echo hello", outcome: "final", data: `"hello\n"`},
		{name: "nothing said", line: "true", outcome: "final", data: `""`},
		{name: "JSON is text", line: `echo '{"a": 1}'`, outcome: "final", data: `"{\"a\": 1}\n"`},
		{name: "a number is text", line: `printf 5`, outcome: "final", data: `"5"`},
		{name: "both streams, in order", line: "echo 1; echo 2 >&2; echo 3; echo 4 >&2", outcome: "final", data: `"1\n2\n3\n4\n"`},
		{name: "a failure has its output", line: "echo half; echo why >&2; exit 3", outcome: "failed", data: `"half\nwhy\n"`, text: "exit status 3"},
		{name: "a failure that says nothing", line: "exit 1", outcome: "failed", text: "exit status 1"},
		{name: "no such command", line: "no-such-command-here 2>/dev/null", outcome: "failed", text: "exit status 127"},
		{name: "a signal", line: "echo so far; kill -9 $$", outcome: "failed", data: `"so far\n"`, text: "killed by SIGKILL"},
		{name: "a syntax error", line: "sh -c 'if then' 2>/dev/null", outcome: "failed", text: "exit status 2"},
		{name: "unicode", line: "printf 'größer ☃'", outcome: "final", data: `"größer ☃"`},
		{name: "CRLF stays", line: `printf 'a\r\nb\r\n'`, outcome: "final", data: `"a\r\nb\r\n"`},
		{name: "no input", line: "cat; read x || echo none", outcome: "final", data: `"none\n"`},
		{name: "a directory", line: "pwd", more: []any{"dir", "sub"}, outcome: "final", data: `"WORKSPACE/sub\n"`},
		{name: "an absolute directory", line: "pwd", more: []any{"dir", "WORKSPACE/sub"}, outcome: "final", data: `"WORKSPACE/sub\n"`},
		{name: "a directory by a link", line: "pwd", more: []any{"dir", "link"}, outcome: "final", data: `"WORKSPACE/sub\n"`},
		{name: "a directory outside", line: "pwd", more: []any{"dir", ".."}, outcome: "invalid_arguments",
			text: "invalid arguments: /dir is outside of the workspace and of the other directories of the task"},
		{name: "a link that leads out", line: "pwd", more: []any{"dir", "out"}, outcome: "invalid_arguments",
			text: "invalid arguments: /dir is outside of the workspace and of the other directories of the task"},
		{name: "no directory", line: "pwd", more: []any{"dir", "none"}, outcome: "invalid_arguments",
			text: "invalid arguments: /dir is no directory: make it first, or leave it out for the workspace"},
		{name: "a home", line: "pwd", more: []any{"dir", "~"}, outcome: "invalid_arguments",
			text: "invalid arguments: /dir begins with ~, which some programs expand: write an absolute path, or ./~"},
		{name: "cd does not last", line: "cd sub && pwd", outcome: "final", data: `"WORKSPACE/sub\n"`},
		{name: "no command", line: "", outcome: "invalid_arguments", text: "invalid arguments: /command must have at least 1 character"},
		{name: "too long a command", line: "#" + strings.Repeat("x", 120<<10), outcome: "failed",
			text: "the command has 122881 bytes, and 122880 are the most: write it to a file, and run that"},
		{name: "a time that is too long", line: "true", more: []any{"timeout", 600001}, outcome: "invalid_arguments",
			text: "invalid arguments: /timeout must be at most 600000"},
		{name: "an unknown argument", line: "true", more: []any{"cwd", "sub"}, outcome: "invalid_arguments", text: "invalid arguments: /cwd is not known; write dir"},
		{name: "it is described", line: "true", more: []any{"description", "does nothing"}, outcome: "final", data: `""`},
		{name: "a time limit, with output", line: "echo so far; exec sleep 600", more: []any{"timeout", 300}, outcome: "partial", data: `"so far\n"`},
		{name: "a time limit, without", line: "exec sleep 600", more: []any{"timeout", 50}, outcome: "timed_out", text: "the time limit of 50ms was reached"},
		{name: "in the background", line: "sleep 600 & echo done", outcome: "final", data: `"done\n"`},
		{name: "its last words", line: "trap 'echo bye; exit 7' TERM; echo hi; sleep 600 & wait", more: []any{"timeout", 300}, outcome: "partial", data: `"hi\nbye\n"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, dir := shellRig(t)
			put(t, filepath.Join(dir, "sub/file"), "x")
			for name, to := range map[string]string{"link": "sub", "out": "/"} {
				if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			for i := range c.more {
				if s, ok := c.more[i].(string); ok {
					c.more[i] = strings.Replace(s, "WORKSPACE", dir, 1)
				}
			}
			e := r.bash(c.line, c.more...)
			if got := e.inv.Outcome().String(); got != c.outcome || e.text() != c.text || string(e.env.Data) != strings.Replace(c.data, "WORKSPACE", dir, 1) {
				t.Errorf("%s: %q with %s, want %s: %q with %s", got, e.text(), e.env.Data, c.outcome, c.text, c.data)
			}
			if c.outcome == "partial" && e.env.Metadata.Reason != "timed_out" {
				t.Errorf("the reason is %q", e.env.Metadata.Reason)
			}

		})
	}
}

// What a command leaves running is ended when its call has: nothing else would count it, or stop it.
func TestBashLeavesNothing(t *testing.T) {
	r, _ := shellRig(t)
	said := r.bash("for i in 1 2 3; do (trap '' TERM HUP; exec setsid sleep 600) >/dev/null 2>&1 & echo $!; done").is("final", a2a.StateCompleted, 200).said()
	left := strings.Fields(said)
	if len(left) != 3 {
		t.Fatalf("it said %q", said)
	}
	await.True(t, "the end of what it left", func() bool {
		return !slices.ContainsFunc(left, func(pid string) bool { return alive(number(t, []byte(pid))) })
	})
	r.log.Says(t, "what a command left running is ended")
}

// What a command says is seen while it runs, and a cancel ends it with all that it has started.
func TestBashIsCanceled(t *testing.T) {
	r, dir := shellRig(t)
	inv, f := r.follow(callOf("core.bash", "command", "echo $$ > pid; sleep 600 & echo begun; wait"))
	f.next(func(e *a2a.Event) bool { u := toolCall(t, e); return u != nil && u.Live == "begun\n" })
	inv.Task().Cancel(errCanceled)
	e := r.ended(inv).is("partial", a2a.StateCanceled, 200).data(`"begun\n"`)
	if e.env.Metadata.Reason != "canceled" {
		t.Errorf("the reason is %q", e.env.Metadata.Reason)
	}
	if pid, _ := os.ReadFile(filepath.Join(dir, "pid")); len(pid) == 0 || alive(number(t, pid)) {
		t.Errorf("the shell %q lives", pid)
	}
}
