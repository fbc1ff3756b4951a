package turn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// slowly is the fake agent whose messages stand in the input for a second before
// their Enter, and the file that says how many have come there.
func slowly(t *testing.T, habits ...string) (r *rig, typed func(n string)) {
	t.Helper()
	file, marks := profileWith(t, `"settleMs": 150`, `"settleMs": 1000`), filepath.Join(t.TempDir(), "marks")
	r = drawingWith(t, func(o *turn.Options) { o.Profile = file }, append(habits, "marks="+marks)...)
	return r, func(n string) { t.Helper(); counted(t, marks, n) }
}

// counted waits until so many messages have been typed.
func counted(t *testing.T, marks, n string) {
	t.Helper()
	eventually(t, "message "+n+" to be typed", func() bool {
		got, _ := os.ReadFile(marks)
		return string(got) == n
	})
}

// profileWith is a file with the fake agent's profile and something else in it.
func profileWith(t *testing.T, old, new string) (file string) {
	t.Helper()
	known, err := os.ReadFile(filepath.Join("testdata", "fake.json"))
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "changed.json")
	if err := os.WriteFile(file, []byte(strings.Replace(string(known), old, new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// canceled ends a task that has to be canceled without a word more.
func canceled(t *testing.T, r *rig, k *task.Task) {
	t.Helper()
	k.Cancel(task.ErrCanceled)
	if got := r.end(k); got.Status.State != a2a.StateCanceled || meta(got.Metadata, "interrupt") != "" {
		t.Fatalf("task is %s (%q), metadata %v", got.Status.State, status(got), got.Metadata)
	}
}

// TestCanceledWhileTyped: a message is taken out of the input although it does
// not show there yet when it is canceled, and before its task ends.
func TestCanceledWhileTyped(t *testing.T) {
	t.Parallel()
	clears := filepath.Join(t.TempDir(), "clears")
	r, typed := slowly(t, "lag=700", "clears="+clears)
	r.shows("? for shortcuts")
	k := r.send("canceled")
	typed("1")
	canceled(t, r, k)
	if n, _ := os.ReadFile(clears); string(n) != "1" {
		t.Errorf("the input was cleared %q times when the task ended", n)
	}
	want(t, r.ask("next"), a2a.StateCompleted, "ECHO: next")
}

// TestCanceledBeforeItsEnterIsRead: the key that stops the turn waits until the
// agent has read the Enter before it: what comes together is text to some. An agent
// on a busy machine may take longer than anybody waits, but not each time.
func TestCanceledBeforeItsEnterIsRead(t *testing.T) {
	t.Parallel()
	sent := ""
	for tries := 0; sent != "1" && tries < 5; tries++ {
		enters := filepath.Join(t.TempDir(), "enters")
		r := drawing(t, "dozes=200", "enters="+enters)
		r.shows("? for shortcuts")
		k := r.send("SAY 300 a canceled message of many words")
		eventually(t, "Enter to be typed", func() bool { return strings.Contains(r.log.String(), "source="+state.SourceSubmit) })
		canceled(t, r, k)
		n, _ := os.ReadFile(enters)
		sent = string(n)
		want(t, r.ask("next"), a2a.StateCompleted, "ECHO: next")
	}
	if sent != "1" {
		t.Errorf("%q messages were sent", sent)
	}
}

// TestCanceledRightAfterItsEnter: a message that the agent puts back into its
// input is not sent with the next one.
func TestCanceledRightAfterItsEnter(t *testing.T) {
	t.Parallel()
	clears := filepath.Join(t.TempDir(), "clears")
	r := drawing(t, "status", "putsBack=2000", "clears="+clears)
	k := r.send("SAY 500 a canceled message of many words")
	r.shows("❯ SAY 500 a canceled message")
	eventually(t, "the work to begin", func() bool { return strings.Contains(agentState(k), `"osc7501"`) })
	canceled(t, r, k)
	if n, _ := os.ReadFile(clears); string(n) != "1" {
		t.Errorf("the input was cleared %q times when the task ended", n)
	}
	want(t, r.ask("next"), a2a.StateCompleted, "ECHO: next")
}

func agentState(k *task.Task) string { return meta(k.Snapshot(nil, false).Metadata, "agentState") }

// TestCanceledTwiceWhileTyped: the key that empties the input ends some agents
// when it comes again too soon.
func TestCanceledTwiceWhileTyped(t *testing.T) {
	t.Parallel()
	marks := filepath.Join(t.TempDir(), "marks")
	r := drawing(t, "impatient=900", "marks="+marks)
	typed := func(n string) { counted(t, marks, n) }
	r.shows("? for shortcuts")
	for _, n := range []string{"1", "2", "3"} {
		k := r.send("canceled " + n)
		typed(n)
		canceled(t, r, k)
	}
	want(t, r.ask("next"), a2a.StateCompleted, "ECHO: next")
}

// TestPutBackWhileTyped: what comes into the input together with a message is not
// sent with it, long or short.
func TestPutBackWhileTyped(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"next", "a\tlonger\nnext", strings.TrimSpace(strings.Repeat(strings.Repeat("next ", 20)+"\n", 4))} {
		r := drawing(t, "haunted=an older message ")
		if got := r.ask(text); strings.Join(strings.Fields(answer(got)), " ") != "ECHO: "+strings.Join(strings.Fields(text), " ") {
			t.Errorf("task is %s (%q): %q", got.Status.State, status(got), answer(got))
		}
		want(t, r.ask("after it"), a2a.StateCompleted, "ECHO: after it")
	}
}

// TestLongEscapedMessage: what makes a message text is typed outside of the paste
// where the agent would forget it.
func TestLongEscapedMessage(t *testing.T) {
	t.Parallel()
	file := profileWith(t, `"commandChars": "/!#@",`, `"commandChars": "/!#@", "commandEscapes": { "/": " " },`)
	plain := drawingWith(t, func(o *turn.Options) { o.Profile = file }, "folds")
	long := "/name " + strings.TrimSpace(strings.Repeat("word ", 300))
	if got := plain.ask(long); got.Status.State != a2a.StateFailed {
		t.Fatalf("the fake agent takes it: task is %s", got.Status.State)
	}
	known, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(known), `"paste": true,`, `"paste": true, "escapeFirst": true,`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := drawingWith(t, func(o *turn.Options) { o.Profile = file }, "folds")
	for _, text := range []string{long, "/name a word", "no command"} {
		got := r.ask(text)
		if strings.Join(strings.Fields(answer(got)), " ") != "ECHO: "+text {
			t.Errorf("task is %s (%q): %.100q", got.Status.State, status(got), answer(got))
		}
	}
}

// TestNoPieceIsACommand: a message that is pasted in pieces has none that the agent
// would run.
func TestNoPieceIsACommand(t *testing.T) {
	t.Parallel()
	file := profileWith(t, `"paste": true,`, `"paste": true, "pieceRows": 2, "pieceBytes": 64,`)
	r := drawingWith(t, func(o *turn.Options) { o.Profile = file }, "bangs")
	for _, text := range []string{
		"one\ntwo\n!three\n!four\n!five", "one\n\n!two\n\n!!\n!three", "a\n!!\n!!\n!!\n!!\n!!",
		"ends " + strings.Repeat("x", 58) + "!y", "ends " + strings.Repeat("x", 56) + "  !y", strings.Repeat("é", 31) + " !" + strings.Repeat("é", 40),
		"x" + strings.Repeat("!", 90),
	} {
		if got := r.ask(text); strings.Join(strings.Fields(answer(got)), "") != "ECHO:"+strings.Join(strings.Fields(text), "") {
			t.Errorf("%q: task is %s (%q): %q", text, got.Status.State, status(got), answer(got))
		}
	}
}
