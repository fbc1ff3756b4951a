package turn_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// TestTerminalPromptOfTheProfile: the prompt that a profile knows is no part of
// an answer, and ends it, though it looks like no other program's.
func TestTerminalPromptOfTheProfile(t *testing.T) {
	t.Parallel()
	const script = `printf '(dbg) '; while read -r line; do echo "got $line"; printf '(dbg) '; done`
	file := filepath.Join(t.TempDir(), "debugger.json")
	if err := os.WriteFile(file, []byte(`{"signs": [{"rule": "prompt", "state": "ready", "cursor": "^\\(dbg\\) $"}], "prompt": {"cursor": true, "row": "^\\(dbg\\) (.*)$"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *turn.Options) { o.Mode, o.Command, o.Profile = turn.ModePTY, sh(script), file })
	for _, text := range []string{"print 1", "print 2"} {
		got := r.ask(text)
		want(t, got, a2a.StateCompleted, "got "+text)
		if meta(got.Metadata, "inferred") != "" {
			t.Errorf("%q: the end was only inferred", text)
		}
	}
}

// TestTerminalTypesAsTheProfileSays: how a call is typed and what ends its answer is
// the profile's, until an option says otherwise.
func TestTerminalTypesAsTheProfileSays(t *testing.T) {
	t.Parallel()
	const script = `printf 'next: '; while read -r line; do echo "got $line"; printf 'next: '; done`
	file := filepath.Join(t.TempDir(), "next.json")
	if err := os.WriteFile(file, []byte(`{"linePrompt": "^next: $", "toolPrompt": "do {name} {arguments.a}"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ option, want string }{
		{"", "got do acme.add 41"},
		{"{name}!", "got acme.add!"},
	} {
		r := newRig(t, func(o *turn.Options) {
			o.Mode, o.Command, o.Profile, o.ToolPrompt = turn.ModePTY, sh(script), file, c.option
		})
		if got, err := r.call("acme.add", `{"a":41}`); err != nil || string(got.Output) != c.want {
			t.Errorf("%q: %q %v", c.option, got.Output, err)
		}
	}
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command, o.Profile = turn.ModePTY, sh(strings.ReplaceAll(script, "next:", "more:")), file
		o.PromptPattern = regexp.MustCompile("^more: $")
	})
	want(t, r.ask("x"), a2a.StateCompleted, "got x")
}

func TestTerminalGDB(t *testing.T) {
	t.Parallel()
	needs(t, "gdb")
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	r := session(t, "gdb", "-q", "-nx", sleep)
	want(t, r.ask("print 6*7"), a2a.StateCompleted, "$1 = 42")
	want(t, r.ask("echo no newline"), a2a.StateCompleted, "no newline")
	want(t, r.ask("shell echo one; echo two"), a2a.StateCompleted, "one\ntwo")
}

// TestTerminalStartIsAwaited: a program whose prompt is known is not typed to
// before it, however long it says nothing.
func TestTerminalStartIsAwaited(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	slow := filepath.Join(t.TempDir(), "python3") // known by its name
	if err := os.WriteFile(slow, []byte("#!/bin/sh\nsleep 0.6\nexec python3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command, o.StartQuiet = turn.ModePTY, []string{slow}, 200*time.Millisecond
	})
	want(t, r.ask("print('hello')"), a2a.StateCompleted, "hello")
}

// TestTerminalBlock: a block that the message did not end is ended; what cannot
// be is taken back, and does not spoil the next message.
func TestTerminalBlock(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r := session(t, "python3", "-q")
	want(t, r.ask("for i in range(2):\n  print(i)"), a2a.StateCompleted, "0\n1")
	want(t, r.ask("def f():\n  return 3"), a2a.StateCompleted, "")
	want(t, r.ask("f()"), a2a.StateCompleted, "3")
	got := r.ask("x = (1 +")
	if got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "not complete") {
		t.Errorf("task is %s (%q) with %q", got.Status.State, status(got), answer(got))
	}
	want(t, r.ask("6*7"), a2a.StateCompleted, "42")
}

// TestTerminalIncompleteLine: a shell that waits for the rest of a quote.
func TestTerminalIncompleteLine(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	r := session(t, "bash", "--norc", "-i")
	got := r.ask("echo 'one")
	if got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "not complete") {
		t.Errorf("task is %s (%q) with %q", got.Status.State, status(got), answer(got))
	}
	want(t, r.ask("echo two"), a2a.StateCompleted, "two")
	want(t, r.ask("cat <<END\nthree\nEND"), a2a.StateCompleted, "three")
	// What waits is not the shell.
	want(t, r.ask("sh -c 'printf \"> \"; read -r l; echo got $l'"), a2a.StateCompleted, "")
	want(t, r.ask("four"), a2a.StateCompleted, "got four")
}

// TestTerminalCannotBeTakenBack: a program that shows nothing of the keys that take
// a block back is not waited for without end.
func TestTerminalCannotBeTakenBack(t *testing.T) {
	t.Parallel()
	const script = `stty -icanon -echo; trap '' INT; printf '(dbg) '; read -r line; printf '\n... '; read -r line`
	file := filepath.Join(t.TempDir(), "debugger.json")
	if err := os.WriteFile(file, []byte(`{"signs": [{"rule": "prompt", "state": "ready", "cursor": "^\\(dbg\\) $"},
		{"rule": "continuation prompt", "state": "ready", "cursor": "^\\.\\.\\. $"}], "prompt": {"cursor": true, "row": "^\\(dbg\\) (.*)$"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *turn.Options) { o.Mode, o.Command, o.Profile = turn.ModePTY, sh(script), file })
	got := r.ask("begin")
	if s := status(got); got.Status.State != a2a.StateFailed || !strings.Contains(s, "not complete") || !strings.Contains(s, "could not be taken back") {
		t.Errorf("task is %s (%q) with %q", got.Status.State, s, answer(got))
	}
}

// TestTerminalYesOrNo: the answer is the word that the program shows. Which words are
// known is the profile's to test.
func TestTerminalYesOrNo(t *testing.T) {
	t.Parallel()
	const script = `printf '> '
while read -r q; do
	printf 'Go on? %s ' "$q"; read -r a; echo "you said $a"
	printf '> '
done`
	r := session(t, sh(script)...)
	for _, c := range []struct{ asks, reply, said string }{
		{"(yes/no)", "No", "no"},
		{"[Yes/No]", "1", "Yes"},
	} {
		k := r.send(c.asks)
		asks := r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
		if asks.Status.State != a2a.StateInputRequired {
			t.Fatalf("%q: task is %s (%q) with %q", c.asks, asks.Status.State, status(asks), answer(asks))
		}
		if err := k.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(c.reply)}}); err != nil {
			t.Fatal(err)
		}
		if got := r.end(k); !strings.HasSuffix(answer(got), "you said "+c.said) {
			t.Errorf("%q: task is %s (%q) with %q, want %q", c.asks, got.Status.State, status(got), answer(got), c.said)
		}
	}
}
