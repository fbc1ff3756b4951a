package turn_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// TestTerminalNextCallAtOnce: a program that has answered a call by a toolResult
// reads its next line. After the first call there is neither a prompt nor a silence,
// which would take an hour.
func TestTerminalNextCallAtOnce(t *testing.T) {
	t.Parallel()
	r := session(t, sh("printf '> '; "+lineTools)...)
	for range 3 {
		if got, err := r.call("acme.echo", `{"text": "hi"}`); err != nil || got.IsError || len(got.Structured) == 0 {
			t.Fatalf("%s %q %v", got.Structured, got.Output, err)
		}
	}
}

// TestTerminalMessageThatEndsIt: a program that a message ends is seen to end by
// it: the task has its code and last words, and the log a warning.
func TestTerminalMessageThatEndsIt(t *testing.T) {
	t.Parallel()
	const script = `while read -r line; do
  case $line in
  '{'*) id=${line#*\"id\":\"}; echo "{\"toolResult\":{\"id\":\"${id%%\"*}\",\"content\":\"ok\"}}" ;;
  *) echo "not JSON: $line" >&2; exit 7 ;;
  esac
done`
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command = turn.ModePTY, sh(script)
		o.StartQuiet = 200 * time.Millisecond
	})
	if got, err := r.call("acme.echo", `{}`); err != nil || string(got.Output) != "ok" {
		t.Fatalf("%q %v", got.Output, err)
	}
	got := r.ask("hello")
	if s := status(got); got.Status.State != a2a.StateFailed || !strings.Contains(s, "exit status 7") || !strings.Contains(s, "not JSON: hello") {
		t.Errorf("task is %s (%q)", got.Status.State, s)
	}
	if code := meta(got.Metadata, "exitCode"); code != "7" {
		t.Errorf("exitCode %q", code)
	}
	for line := range strings.Lines(r.log.String()) {
		if strings.Contains(line, "level=WARN") && strings.Contains(line, "the agent ended in the middle of a turn") && strings.Contains(line, got.ID) && strings.Contains(line, "exit status 7") {
			return
		}
	}
	t.Errorf("no warning tells of it:\n%s", r.log)
}

// TestTerminalSecretIsTaken: a password that was read is taken, whatever the
// program does with it and for longer than any other answer has: it is not
// interrupted. One that is wrong is asked for again.
func TestTerminalSecretIsTaken(t *testing.T) {
	t.Parallel()
	const script = `trap 'echo interrupted; exit 9' INT
login() { printf 'Password: '; stty -echo; read -r p; }
printf '> '
while read -r line; do
	case $line in
	slow) login; stty echo; sleep 2; printf '\n'; echo "it has ${#p} characters" ;;
	dark) login; sleep 2; printf '\n'; stty echo; echo "it has ${#p} characters" ;;
	twice) login; printf '\n'; login; stty echo; printf '\n'; echo "it has ${#p} characters" ;;
	esac
	printf '> '
done`
	for text, secrets := range map[string][]string{"slow": {"secret"}, "dark": {"secret"}, "twice": {"wrong", "secret"}} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "login.json")
			if err := os.WriteFile(file, []byte(`{"timing": {"takenLimit": 1000}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			r := newRig(t, func(o *turn.Options) { o.Mode, o.Command, o.Profile = turn.ModePTY, sh(script), file })
			k := r.send(text)
			events := k.Subscribe()
			for i, secret := range secrets {
				r.asked(events, i)
				if err := k.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(secret)}}); err != nil {
					t.Fatal(err)
				}
			}
			got := r.end(k)
			if got.Status.State != a2a.StateCompleted || !strings.Contains(answer(got), "it has 6 characters") || strings.Contains(answer(got), "interrupted") {
				t.Errorf("task is %s (%q) with %q", got.Status.State, status(got), answer(got))
			}
			for _, m := range got.History {
				for _, p := range m.Parts {
					if p.Text == "secret" || p.Text == "wrong" {
						t.Errorf("the task keeps %q", p.Text)
					}
				}
			}
		})
	}
}

// TestTerminalSecretWithoutAWord: that the echo is back is seen of a program that
// says nothing of it, and for long nothing else.
func TestTerminalSecretWithoutAWord(t *testing.T) {
	t.Parallel()
	const script = `printf '> '
while read -r line; do
	printf 'Password: '; stty -echo; read -r p; stty echo
	while [ ! -e "$1" ]; do sleep 0.02; done
	printf '\n'; echo "it has ${#p} characters"; printf '> '
done`
	enough := filepath.Join(t.TempDir(), "enough")
	r := session(t, sh(script, enough)...)
	k := r.send("login")
	r.until(k, a2a.TaskState.Interrupted)
	if err := k.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("secret")}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the echo to be back", func() bool { return r.Status()[0].Verdict.State != profile.Asking })
	if err := os.WriteFile(enough, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := r.end(k); got.Status.State != a2a.StateCompleted || !strings.Contains(answer(got), "it has 6 characters") {
		t.Errorf("task is %s (%q) with %q", got.Status.State, status(got), answer(got))
	}
}

// asked reads a task's stream to the next question.
func (r *rig) asked(s a2a.Stream, nth int) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	for {
		events, err := s.Next(ctx)
		for _, e := range events {
			if e.Status != nil && e.Status.Status.State.Interrupted() {
				return
			}
		}
		if err != nil {
			r.t.Fatalf("question %d was not asked: %v\n%s", nth+1, err, r.log)
		}
	}
}
