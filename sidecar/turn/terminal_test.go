package turn_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// session is a rig of one session under a terminal.
func session(t testing.TB, argv ...string) *rig {
	return newRig(t, func(o *turn.Options) { o.Mode, o.Command = turn.ModePTY, argv })
}

// silent is a session of a program that starts at once and has no prompt: what
// its silence means is known sooner.
func silent(t testing.TB, argv ...string) *rig {
	return newRig(t, func(o *turn.Options) {
		o.Mode, o.Command = turn.ModePTY, argv
		o.StartQuiet, o.Quiet = 200*time.Millisecond, 2*time.Second
	})
}

// needs skips a test whose program is not there.
func needs(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(err)
	}
}

func TestTerminalPython(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r := session(t, "python3", "-q")
	for _, c := range []struct{ text, answer string }{
		{"6*7", "42"},
		{"x = 1", ""},
		{"for i in range(3):\n  print(i)\n\n", "0\n1\n2"},
		{"print('no newline', end='')", "no newline"},
		{"print('a\\n\\nb')", "a\n\nb"},
		{"'" + strings.Repeat("long ", 60) + "'", "'" + strings.Repeat("long ", 60) + "'"}, // wrapped
		{"print('\\x1b[31mred\\x1b[0m')", "red"},
		{"import time; time.sleep(1); print('late')", "late"},
	} {
		got := r.ask(c.text)
		want(t, got, a2a.StateCompleted, c.answer)
		if meta(got.Metadata, "inferred") != "" {
			t.Errorf("%q: the end was only inferred", c.text)
		}
	}
}

func TestTerminalInterrupt(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r := session(t, "python3", "-q")
	want(t, r.ask("import time"), a2a.StateCompleted, "")
	// A Ctrl-C that comes just before a prompt or a system call is kept by Python
	// for later: here it finds a loop.
	k := r.send("print('started'); [time.sleep(.01) for _ in iter(int, 1)]")
	r.said(k, "started")
	k.Cancel(task.ErrCanceled)
	events := r.events(k.Subscribe())
	if got := r.end(k); got.Status.State != a2a.StateCanceled {
		t.Errorf("task is %s", got.Status.State)
	}
	if m := lastStatus(events); m != nil && meta(m.Metadata, "interrupt") != "" {
		t.Error("the interrupt was not acknowledged")
	}
	want(t, r.ask("6*7"), a2a.StateCompleted, "42")
}

// TestTerminalInterruptWithoutGrace: no grace is none before the KILL; the key that
// interrupts is typed all the same.
func TestTerminalInterruptWithoutGrace(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command, o.CancelGrace = turn.ModePTY, []string{"python3", "-q"}, 0
	})
	want(t, r.ask("import time"), a2a.StateCompleted, "")
	k := r.send("print('started'); [time.sleep(.01) for _ in iter(int, 1)]")
	r.said(k, "started")
	k.Cancel(task.ErrCanceled)
	if got := r.end(k); got.Status.State != a2a.StateCanceled {
		t.Errorf("task is %s", got.Status.State)
	}
	want(t, r.ask("6*7"), a2a.StateCompleted, "42") // the loop does not end by itself
}

func TestTerminalShell(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	r := session(t, "bash", "--norc", "-i")
	want(t, r.ask("echo hello"), a2a.StateCompleted, "hello")
	want(t, r.ask("cd /usr && pwd"), a2a.StateCompleted, "/usr")
	want(t, r.ask("echo one\necho two"), a2a.StateCompleted, "one\ntwo")
	want(t, r.ask("printf 'x\\ty'"), a2a.StateCompleted, "x\ty")
}

// TestTerminalWithoutPrompt: and what it was typed has no paste brackets, which it did not ask
// for.
func TestTerminalWithoutPrompt(t *testing.T) {
	t.Parallel()
	want(t, silent(t, "cat").ask("hello\nworld"), a2a.StateCompleted, "hello\nworld")
}

// watcher prints each line again, and waits for a socket too: what it waits for tells nothing.
const watcher = `import os, select, socket
a, b = socket.socketpair()
while True:
    select.select([0, a], [], [])
    os.write(1, os.read(0, 4096))`

func TestTerminalWithoutPromptEndsInferred(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r := silent(t, "python3", "-c", watcher)
	got := r.ask("hello\nworld")
	want(t, got, a2a.StateCompleted, "hello\nworld")
	if meta(got.Metadata, "inferred") != "true" {
		t.Errorf("metadata %v, want inferred", got.Metadata)
	}
}

// lineTools reads a toolCall a line and writes a toolResult a line.
const lineTools = `while read -r line; do
  id=${line#*\"id\":\"}; id=${id%%\"*}
  echo "working on $id"
  echo "{\"toolResult\":{\"id\":\"$id\",\"structuredContent\":{\"saw\":\"${#line}\"},\"isError\":false}}"
done`

func TestTerminalToolResultEndsTheCall(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command = turn.ModePTY, sh(lineTools)
		o.StartQuiet = 200 * time.Millisecond
	})
	for range 2 {
		got, err := r.call("acme.echo", `{"text": "hi"}`)
		if err != nil || !strings.HasPrefix(string(got.Structured), `{"saw":`) || got.IsError {
			t.Errorf("%s %q %v", got.Structured, got.Output, err)
		}
		if v := r.Status()[0].Verdict; v.State != profile.Ready || v.Source != state.SourceResult {
			t.Errorf("after the result the agent is %s, by %s: %s", v.State, v.Source, v.Rule)
		}
	}
}

func TestTerminalCallOutputAndPrompt(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command = turn.ModePTY, []string{"python3", "-q"}
		o.ToolPrompt = "print('{name}', {arguments.a} + 1, '{arguments.s}{arguments.none}')"
	})
	got, err := r.call("acme.add", `{"a":41,"s":"text"}`)
	if err != nil || string(got.Output) != "acme.add 42 text" {
		t.Errorf("%q %v", got.Output, err)
	}
	r2 := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command = turn.ModePTY, []string{"python3", "-q"}
		o.ToolPrompt = `print('{"a": [1]}')`
	})
	if got, err = r2.call("acme.json", `{}`); err != nil || string(got.Structured) != `{"a": [1]}` {
		t.Errorf("%q %s %v", got.Output, got.Structured, err)
	}
}

func TestTerminalRefusesALineItWouldCut(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "got")
	r := silent(t, sh(`cat > "$1"`, file)...)
	got := r.ask("short\n" + strings.Repeat("x", 4096))
	if got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "line 2 has 4096 bytes") {
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
	if data, _ := os.ReadFile(file); len(data) != 0 {
		t.Errorf("typed %q all the same", clip(string(data)))
	}
	// What just fits arrives whole.
	k := r.send(strings.Repeat("y", 4095))
	r.end(k)
	eventually(t, "the line to arrive", func() bool {
		data, _ := os.ReadFile(file)
		return string(data) == strings.Repeat("y", 4095)+"\n"
	})
}

func TestTerminalTypesTextOnly(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "got")
	r := silent(t, sh(`cat > "$1"`, file)...)
	// Paste brackets, an interrupt, an end of file, C1 and NUL.
	got := r.ask("\x1b[200~a\x03b\x04\x00c\u009bd\u202ee\x1b[201~\r\nnext\x7f")
	if got.Status.State != a2a.StateCompleted {
		t.Fatalf("task is %s: %s", got.Status.State, status(got))
	}
	if data, _ := os.ReadFile(file); string(data) != "[200~abcde[201~\nnext\n" {
		t.Errorf("the program read %q", data)
	}
	if meta(got.Metadata, "stripped") != "8" {
		t.Errorf("metadata %v, want 8 stripped", got.Metadata)
	}
}

func TestTerminalAgentCommands(t *testing.T) {
	t.Parallel()
	claude := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(claude, []byte("#!/bin/sh\nprintf '> '; while read -r l; do echo \"got $l\"; printf '> '; done\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	commands := filepath.Join(t.TempDir(), "claude.json")
	if err := os.WriteFile(commands, []byte(`{"tui": false, "commandChars": "/!#@"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command, o.Profile = turn.ModePTY, []string{claude}, commands
	})
	for _, text := range []string{"/clear", "hello\n!rm -rf x", " @file"} {
		if got := r.ask(text); got.Status.State != a2a.StateRejected || !strings.Contains(status(got), "--allow-agent-commands") {
			t.Errorf("%q: task is %s (%q)", text, got.Status.State, status(got))
		}
	}
	want(t, r.ask("say / or ! or #"), a2a.StateCompleted, "got say / or ! or #")
	r = newRig(t, func(o *turn.Options) {
		o.Mode, o.Command, o.Profile, o.AllowAgentCommands = turn.ModePTY, []string{claude}, commands, true
	})
	want(t, r.ask("/clear"), a2a.StateCompleted, "got /clear")
}

func TestTerminalWaitsForThePrompt(t *testing.T) {
	t.Parallel()
	// Whatever is typed before the prompt is thrown away.
	needs(t, "python3")
	script := `
import sys, time, termios
for i in range(20):
    print("loading", i, flush=True); time.sleep(0.05)
termios.tcflush(0, termios.TCIFLUSH)
while True:
    line = input("ready> ")
    print("got", line)
`
	r := session(t, "python3", "-c", script)
	want(t, r.ask("hello"), a2a.StateCompleted, "got hello")
}

func TestTerminalNeverReady(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command = turn.ModePTY, sh(`while :; do echo busy; sleep 0.05; done`)
		o.ReadyTimeout = 500 * time.Millisecond
	})
	if got := r.ask("x"); got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "not ready") {
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
}

func TestTerminalFlood(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r := session(t, "python3", "-q")
	got := r.ask("print(('x' * 1023 + '\\n') * 3000)")
	if n := len(answer(got)); got.Status.State != a2a.StateCompleted || n < 3000*1023 {
		t.Errorf("task is %s with %d bytes", got.Status.State, n)
	}
}

func TestTerminalUnacknowledgedInterrupt(t *testing.T) {
	t.Parallel()
	enough := filepath.Join(t.TempDir(), "enough")
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command = turn.ModePTY, sh(`trap "" INT; printf '> '; read l; echo started; while [ ! -e "$1" ]; do sleep 0.1; echo more; done; printf '> '; while read l; do echo "got $l"; printf '> '; done`, enough)
		o.CancelGrace = 300 * time.Millisecond
	})
	k := r.send("go")
	r.said(k, "started")
	events := k.Subscribe()
	k.Cancel(task.ErrCanceled)
	if got := r.end(k); got.Status.State != a2a.StateCanceled || meta(got.Metadata, "interrupt") != `"unacknowledged"` {
		t.Errorf("task is %s, metadata %v", got.Status.State, got.Metadata)
	}
	if m := lastStatus(r.events(events)).Metadata; meta(m, "interrupt") != `"unacknowledged"` {
		t.Errorf("metadata %v", m)
	}
	if r.Ready() == nil {
		t.Error("ready while the agent is still at it")
	}
	next := r.send("again") // waits until the agent is idle
	if err := os.WriteFile(enough, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, r.end(next), a2a.StateCompleted, "got again")
	if err := r.Ready(); err != nil {
		t.Error(err)
	}
}

// TestAgentThatWasNotTypedToIsNotInterrupted: a turn that is canceled before
// the agent is ready costs the agent nothing.
func TestAgentThatWasNotTypedToIsNotInterrupted(t *testing.T) {
	t.Parallel()
	ready := filepath.Join(t.TempDir(), "ready")
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Deliver = turn.ModePTY, turn.DeliverTerminal
		o.Command = sh(`trap 'echo interrupted; exit 9' INT; while [ ! -e "$1" ]; do echo loading; sleep 0.05; done; printf '> '; read l; echo "got $l"; printf '> '; read l`, ready)
	})
	k := r.send("early")
	eventually(t, "the turn to begin", func() bool { return k.State() == a2a.StateWorking })
	k.Cancel(task.ErrCanceled)
	r.end(k)
	if err := os.WriteFile(ready, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, r.ask("late"), a2a.StateCompleted, "got late")
}

// TestAgentThatAnswersWhileItReads: an agent that writes more than we keep
// before it takes the rest of a line gets the rest.
func TestAgentThatAnswersWhileItReads(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r := session(t, "python3", "-c", `
import tty, os
tty.setraw(0)
os.write(1, b"> ")
n = 0
while True:
    data = os.read(0, 1024)
    n += len(data)
    os.write(1, (b"y" * 1000 + b"\r\n") * 64)
    if b"\r" in data:
        os.write(1, b"got %d\r\n> " % n)
`)
	got := r.ask(strings.Repeat("x", 20000))
	if got.Status.State != a2a.StateCompleted || !strings.HasSuffix(answer(got), "\ngot 20001") {
		t.Errorf("task is %s (%q) with %d bytes", got.Status.State, status(got), len(answer(got)))
	}
}

// TestTeeThatNobodyReads: a full pipe holds the agent, not its end.
func TestTeeThatNobodyReads(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command, o.Tee, o.CancelGrace = turn.ModePTY, sh("yes"), write, 200*time.Millisecond
	})
	if _, err := io.ReadFull(read, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	go func() { r.Drain(t.Context(), 0); close(drained) }()
	within(t, drained, "the drain")
}

func TestCallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	r := silent(t, sh(`while read -r l; do echo reading; done`)...)
	id := r.Context("")
	k := r.tasks.Create("", id, &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("call")}}, nil)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := r.Call(ctx, driver.Call{Task: k, ID: "c", Tool: "a.b", Output: func([]byte) { cancel(stop) }})
	if !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

// TestTerminalAsks: a line program that asks in the middle of its answer.
func TestTerminalAsks(t *testing.T) {
	t.Parallel()
	const script = `printf '> '
while read -r line; do
	case $line in
	delete) printf 'Delete it? [y/N] '; read -r a; echo "you said $a" ;;
	login) stty -echo; printf 'Password: '; read -r p; stty echo; printf '\n'; echo "it has ${#p} characters" ;;
	*) echo "got $line" ;;
	esac
	printf '> '
done`
	r := session(t, sh(script)...)
	want(t, r.ask("first"), a2a.StateCompleted, "got first")
	for _, c := range []struct {
		text, reply, answer string
		state               a2a.TaskState
	}{
		{"delete", "Yes", "you said y", a2a.StateInputRequired},
		{"delete", "reject_once", "you said n", a2a.StateInputRequired},
		{"login", "secret", "it has 6 characters", a2a.StateAuthRequired},
	} {
		k := r.send(c.text)
		asks := r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
		if asks.Status.State != c.state {
			t.Fatalf("%q: task is %s (%q)", c.text, asks.Status.State, status(asks))
		}
		got := asks
		for !got.Status.State.Terminal() { // what is asked before its words are shown is asked again with them
			if err := reply(k, c.reply); err != nil && !errors.Is(err, task.ErrNoQuestion) {
				t.Fatal(err)
			}
			got = r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
		}
		if got.Status.State != a2a.StateCompleted || !strings.Contains(answer(got), c.answer) || strings.Contains(answer(got), "secret") {
			t.Errorf("%q: task is %s (%q) with %q", c.text, got.Status.State, status(got), answer(got))
		}
		if s := meta(got.Metadata, "agentState"); !strings.Contains(s, `"state":"ready"`) {
			t.Errorf("agentState %s", s)
		}
	}
}

// TestTerminalAsksNobody: the safe answer.
func TestTerminalAsksNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Headless = turn.ModePTY, true
		o.Command = sh(`printf '> '; while read -r line; do printf 'Delete it? [y/N] '; read -r a; echo "you said $a"; printf '> '; done`)
	})
	got := r.ask("delete")
	if got.Status.State != a2a.StateCompleted || !strings.Contains(answer(got), "you said n") {
		t.Errorf("task is %s (%q) with %q", got.Status.State, status(got), answer(got))
	}
}
