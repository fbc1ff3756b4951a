package sidecar_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// lines are the entries of the log with that message.
func (l *logBuffer) lines(t testing.TB, msg string) (found []map[string]any) {
	t.Helper()
	for line := range strings.Lines(l.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if entry["msg"] == msg {
			found = append(found, entry)
		}
	}
	return found
}

// only is the one line with that message.
func (l *logBuffer) only(t testing.TB, msg string) map[string]any {
	t.Helper()
	l.Says(t, fmt.Sprintf(`"msg":%q`, msg))
	found := l.lines(t, msg)
	if len(found) != 1 {
		t.Fatalf("%d lines say %q:\n%s", len(found), msg, l)
	}
	return found[0]
}

// A turn that fails is a warning that says how its process ended and why.
func TestLogOfAFailedTurn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		want         map[string]string
	}{
		{"by its exit code", "echo no key >&2; exit 3", map[string]string{"exitCode": "3", "reason": "exit status 3 no key"}},
		{"by a signal", "kill -9 $$", map[string]string{"exitCode": "137", "signal": "SIGKILL", "reason": "killed by SIGKILL"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, "--mode", "oneshot", "--", "sh", "-c", c.script)
			r.send("hello")
			line := r.log.only(t, "task ended")
			if line["level"] != "WARN" {
				t.Errorf("level %v", line["level"])
			}
			for k, want := range c.want {
				if got := fmt.Sprint(line[k]); got != want {
					t.Errorf("%s is %q, want %q", k, got, want)
				}
			}
		})
	}
}

// A call that fails has one line, a warning with its reason; one whose arguments
// are wrong is its caller's own business.
func TestLogOfAFailedCall(t *testing.T) {
	t.Parallel()
	manifest := writeManifest(t, `[{"name":"test.bad","description":"d","inputSchema":{"type":"object","required":["a"]},"x-sidecar":{"bridge":{"exec":{"command":["sh","-c","echo no key >&2; exit 4"]}}}},
		{"name":"test.shot","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["sh","-c","kill -9 $$"]}}}}]`)
	r := run(t, "--mode", "oneshot", "--log-level", "debug", "--manifest", manifest, "--", "cat")
	r.do("POST", "/a2a/tools/test.bad", "application/json", `{"a":1}`)
	line := r.log.only(t, "tool call ended")
	holds(t, line, map[string]string{"level": "WARN", "outcome": "failed", "reason": "exit status 4: no key"})
	if fmt.Sprint(line["exitCode"]) != "4" {
		t.Errorf("exitCode is %v", line["exitCode"])
	}
	holds(t, r.log.only(t, "tool call started"), map[string]string{"level": "DEBUG", "tool": "test.bad", "door": "http"})
	if ended := r.log.lines(t, "task ended"); len(ended) != 0 {
		t.Errorf("its task has a line of its own: %v", ended)
	}
	r.do("POST", "/a2a/tools/test.bad", "application/json", `{}`)
	await.True(r.t, "two calls have ended", func() bool { return len(r.log.lines(t, "tool call ended")) == 2 })
	holds(t, r.log.lines(t, "tool call ended")[1], map[string]string{"level": "INFO", "outcome": "invalid_arguments"})
	r.do("POST", "/a2a/tools/test.shot", "application/json", `{}`)
	await.True(r.t, "three calls have ended", func() bool { return len(r.log.lines(t, "tool call ended")) == 3 })
	line = r.log.lines(t, "tool call ended")[2]
	holds(t, line, map[string]string{"level": "WARN", "signal": "SIGKILL"})
	if fmt.Sprint(line["exitCode"]) != "137" {
		t.Errorf("exitCode is %v", line["exitCode"])
	}
}

// An agent that says of its message what only a tool call has keeps nothing out of
// the log.
func TestLogOfATurnThatLooksLikeACall(t *testing.T) {
	t.Parallel()
	r := runWith(t, []string{"SIDECAR=" + asScript(t)}, "--mode", "oneshot", "--", "sh", "-c",
		`"$SIDECAR" emit done --state failed --metadata '{"`+toolCallURI+`":{"status":"executing"}}' "no such branch"`)
	r.send("hello")
	holds(t, r.log.only(t, "task ended"), map[string]string{"level": "WARN", "reason": "no such branch"})
}

// What begins is told to whoever debugs.
func TestLogOfAStartedTurn(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--log-level", "debug", "--", "cat")
	task := r.send("hello")
	holds(t, r.log.only(t, "turn started"), map[string]string{"level": "DEBUG", "task": task.ID, "context": task.ContextID})
	if strings.Contains(r.log.String(), "hello") {
		t.Error("the log tells what was said")
	}
}

// An agent that dies by a signal nobody of us sent is a warning; one that is
// stopped is none.
func TestLogOfAnAgentsEnd(t *testing.T) {
	t.Parallel()
	r := startOnly(t, nil, "--", "sh", "-c", "kill -SEGV $$") // it may be gone before anybody asks
	r.wait()
	holds(t, r.log.only(t, "the agent ended"), map[string]string{"level": "WARN", "exit": "killed by SIGSEGV"})

	r = startOnly(t, nil, "--", "sh", "-c", "echo no key >&2; exit 3") // nobody but the log can say why
	r.wait()
	holds(t, r.log.only(t, "the agent ended"), map[string]string{"level": "WARN", "exit": "exit status 3", "reason": "no key"})

	r = run(t, "--", "sh", "-c", "exec sleep 61")
	r.stop()
	holds(t, r.log.only(t, "the agent ended"), map[string]string{"level": "INFO"})
}

// Who stops a sidecar reads what it waits for, and what was cut off.
func TestLogOfADrain(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--drain-timeout", "100ms", "--", "sh", "-c", "exec sleep 61")
	task := r.begin("wait")
	r.untilStateOf(task.ID, a2a.StateWorking)
	r.cmd.Process.Signal(syscall.SIGTERM)
	r.wait()
	line := r.log.only(t, "draining")
	holds(t, line, map[string]string{"signal": "terminated", "timeout": "100ms"})
	if fmt.Sprint(line["turns"], line["calls"]) != "1 0" || !strings.Contains(fmt.Sprint(line["tasks"]), task.ID) {
		t.Errorf("it waits for %v", line)
	}
	holds(t, r.log.only(t, "stopping what still runs"), map[string]string{"level": "WARN"})
	if got := r.log.only(t, "drained")["level"]; got != "INFO" {
		t.Errorf("level %v", got)
	}
}
