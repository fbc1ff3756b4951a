package turn_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// drawing is a rig of an agent that draws its screen, with the habits that are
// named.
func drawing(t testing.TB, habits ...string) *rig {
	return drawingWith(t, func(*turn.Options) {}, habits...)
}

func drawingWith(t testing.TB, set func(*turn.Options), habits ...string) *rig {
	t.Helper()
	return newRig(t, func(o *turn.Options) {
		o.Mode, o.Profile, o.NoHooks = turn.ModePTY, filepath.Join("testdata", "fake.json"), true
		plays(o, "fake", habits...)
		set(o)
	})
}

// shows waits until the only terminal there is shows a text.
func (r *rig) shows(text string) {
	r.t.Helper()
	eventually(r.t, text, func() bool {
		views, _ := r.Views("")
		if len(views) != 1 {
			return false
		}
		snap, _ := views[0].See()
		return strings.Contains(snap.Text(), text)
	})
}

func TestDrawnAnswer(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	for _, c := range []struct{ text, answer string }{
		{"hello there", "ECHO: hello there"},
		{"FAST one", "ECHO: FAST one"}, // never seen at work
		{"one\ntwo\n\nfour", "ECHO: one\ntwo\n\nfour"},
		{"SAY 20 a b c", "ECHO: a b c"},
		{"LINES 200", lines(200)},
	} {
		got := r.ask(c.text)
		want(t, got, a2a.StateCompleted, c.answer)
		if !strings.Contains(meta(got.Metadata, "agentState"), `"state":"ready"`) {
			t.Errorf("%q: metadata %v", c.text, got.Metadata)
		}
	}
}

func lines(n int) string {
	var all []string
	for i := range n {
		all = append(all, "line "+strconv.Itoa(i+1)+" of the answer")
	}
	return strings.Join(all, "\n")
}

func TestDrawnAnswerStreams(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	k := r.send("SAY 300 alpha beta gamma delta epsilon")
	r.said(k, "alpha") // before the end
	if k.State().Terminal() {
		t.Error("nothing came before the end")
	}
	want(t, r.end(k), a2a.StateCompleted, "ECHO: alpha beta gamma delta epsilon")
}

// TestDrawnSignals: an agent that says by itself what it does.
func TestDrawnSignals(t *testing.T) {
	t.Parallel()
	for _, habit := range []string{"status", "hooks"} {
		t.Run(habit, func(t *testing.T) {
			t.Parallel()
			r := drawingWith(t, func(o *turn.Options) { withChannel(t, o) }, habit)
			want(t, r.ask("first"), a2a.StateCompleted, "ECHO: first")
			got := r.ask("second")
			want(t, got, a2a.StateCompleted, "ECHO: second")
			source := map[string]string{"status": "osc7501", "hooks": "hook"}[habit]
			if s := meta(got.Metadata, "agentState"); !strings.Contains(s, source) {
				t.Errorf("agentState %s, want by %s", s, source)
			}
		})
	}
}

// TestDrawnDoneBeforeTheAnswer: what an agent says of itself overtakes what it
// draws.
func TestDrawnDoneBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	r := drawingWith(t, func(o *turn.Options) { withChannel(t, o) }, "status", "doneFirst=400")
	want(t, r.ask("FAST one"), a2a.StateCompleted, "ECHO: FAST one")
	want(t, r.ask("two words"), a2a.StateCompleted, "ECHO: two words")
}

// TestDrawnExactAnswer: what a hook says replaces what the screen could show.
func TestDrawnExactAnswer(t *testing.T) {
	t.Parallel()
	r := drawingWith(t, func(o *turn.Options) { withChannel(t, o) }, "hooks")
	want(t, r.ask("a [bold] word"), a2a.StateCompleted, "ECHO: a **bold** word")
}

func TestDrawnBeforeReady(t *testing.T) {
	t.Parallel()
	r := drawing(t, "slowStart=1500")
	want(t, r.ask("early"), a2a.StateCompleted, "ECHO: early")
}

func TestDrawnStartDialog(t *testing.T) {
	t.Parallel()
	r := drawingWith(t, func(o *turn.Options) { o.ReadyTimeout = 2 * time.Second }, "trust")
	r.shows("No, exit")
	got := r.ask("into the dialog")
	if got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "folder trust") || !strings.Contains(status(got), "hasTrustDialogAccepted") {
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
}

// TestDrawnDialogWhileTyping: no Enter goes into a dialog that came up in the
// middle.
func TestDrawnDialogWhileTyping(t *testing.T) {
	t.Parallel()
	r := drawingWith(t, func(o *turn.Options) { o.ReadyTimeout = 2 * time.Second }, "eats=hungry")
	r.shows("? for shortcuts")
	got := r.ask("hungry")
	if got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "was not submitted") {
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
	if got := r.ask("next"); !strings.Contains(status(got), "folder trust") { // it still stands there
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
}

// TestDrawnWorkWhileTyping: an agent that would lose what is sent while it works
// gets it when it is ready again.
func TestDrawnWorkWhileTyping(t *testing.T) {
	t.Parallel()
	known, err := os.ReadFile(filepath.Join("testdata", "fake.json"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "refuses.json")
	if err := os.WriteFile(file, []byte(strings.Replace(string(known), `"busy": "queue"`, `"busy": "refuse"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := drawingWith(t, func(o *turn.Options) { o.Profile = file }, "wakes=hello")
	want(t, r.ask("hello there"), a2a.StateCompleted, "ECHO: hello there")
}

func TestDrawnSwallowedEnter(t *testing.T) {
	t.Parallel()
	r := drawing(t, "swallow=100") // less than claude's settle time
	want(t, r.ask("one\ntwo"), a2a.StateCompleted, "ECHO: one\ntwo")
}

func TestDrawnEnterThatDoesNothing(t *testing.T) {
	t.Parallel()
	r := drawing(t, "lostEnter")
	got := r.ask("stuck")
	if got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "could not be submitted") {
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
}

func TestDrawnWithoutPaste(t *testing.T) {
	t.Parallel()
	r := drawing(t, "noPaste")
	want(t, r.ask("plain"), a2a.StateCompleted, "ECHO: plain")
	want(t, r.ask("one\ntwo"), a2a.StateCompleted, "ECHO: one\ntwo")
}

func TestDrawnLongMessage(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	long := strings.TrimSpace(strings.Repeat("word ", 1000))
	got := r.ask(long)
	if strings.Join(strings.Fields(answer(got)), " ") != "ECHO: "+long {
		t.Errorf("task is %s (%q) with %d bytes: %s", got.Status.State, status(got), len(answer(got)), answer(got))
	}
}

func TestDrawnUnsafeText(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	got := r.ask("a\x1b[201~\x1b[31mb\x00c\u009bd")
	want(t, got, a2a.StateCompleted, "ECHO: a[201~[31mbcd")
	if meta(got.Metadata, "stripped") != "4" {
		t.Errorf("metadata %v", got.Metadata)
	}
}

func TestDrawnCommands(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	for _, text := range []string{
		"/clear", "!rm -rf x", "# note", "  /x", "\n/x", "\n\n!x", " \n\u3000/x", "\u00a0/x", "\u2003/x", "\u2028/x", "\ufeff/x", "\u200b/x", "\u2060\u00ad\t/x", "\ufe0f!x",
	} {
		if got := r.ask(text); got.Status.State != a2a.StateRejected || !strings.Contains(status(got), "--allow-agent-commands") {
			t.Errorf("%q: task is %s (%q)", text, got.Status.State, status(got))
		}
	}
	want(t, r.ask("what is\n/clear"), a2a.StateCompleted, "ECHO: what is\n/clear")
}

func TestDrawnPermission(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	for _, c := range []struct{ reply, chose string }{{"1", "yes"}, {"reject_once", "no"}, {"Yes, and don't ask again for this", "always"}} {
		k := r.send("ASK touch x")
		asks := r.until(k, a2a.TaskState.Interrupted)
		if asks.Status.State != a2a.StateAuthRequired {
			t.Fatalf("task is %s (%q)", asks.Status.State, status(asks))
		}
		data := string(asks.Status.Message.Parts[1].Data)
		for _, part := range []string{`"question":"Do you want to proceed?"`, `"kind":"reject_once"`, `"detail":`, "touch x #1"} {
			if !strings.Contains(data, part) {
				t.Errorf("%s is not in %s", part, data)
			}
		}
		if err := k.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(c.reply)}}); err != nil {
			t.Fatal(err)
		}
		want(t, r.end(k), a2a.StateCompleted, "chose "+c.chose)
	}
}

// TestDrawnMessageWhileAsked: it waits for the answer, and is no answer.
func TestDrawnMessageWhileAsked(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	asks := r.send("ASK touch x")
	r.until(asks, a2a.TaskState.Interrupted)
	next := r.send("1")
	if err := asks.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("3")}}); err != nil {
		t.Fatal(err)
	}
	want(t, r.end(asks), a2a.StateCompleted, "chose no")
	want(t, r.end(next), a2a.StateCompleted, "ECHO: 1")
}

func TestDrawnTwoPermissions(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	k := r.send("TWICE go")
	for n := range 2 {
		asks := r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
		if !strings.Contains(string(asks.Status.Message.Parts[1].Data), "go #"+strconv.Itoa(n+1)) {
			t.Fatalf("task is %s (%q)", asks.Status.State, status(asks))
		}
		if err := k.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("1")}}); err != nil {
			t.Fatal(err)
		}
	}
	want(t, r.end(k), a2a.StateCompleted, "chose yes\nchose yes")
}

// TestDrawnPermissionNobodyGives: the safe answer, never the default.
func TestDrawnPermissionNobodyGives(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*turn.Options){
		"headless": func(o *turn.Options) { o.Headless = true },
		"expired":  func(o *turn.Options) { o.AskTimeout = 500 * time.Millisecond },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := drawingWith(t, set)
			got := r.ask("ASK rm x")
			want(t, got, a2a.StateCompleted, "chose no")
			if meta(got.Metadata, "undecided") == "" {
				t.Errorf("metadata %v", got.Metadata)
			}
		})
	}
}

func TestDrawnCancel(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	k := r.send("SAY 200 a b c d e f g h i j k l m n o p q r s t u v w x y z")
	r.said(k, "b")
	k.Cancel(task.ErrCanceled)
	got := r.end(k)
	if got.Status.State != a2a.StateCanceled || meta(got.Metadata, "interrupt") != "" {
		t.Errorf("task is %s, metadata %v", got.Status.State, got.Metadata)
	}
	want(t, r.ask("next"), a2a.StateCompleted, "ECHO: next")
}

func TestDrawnCancelOfAQuestion(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	k := r.send("ASK touch x")
	r.until(k, a2a.TaskState.Interrupted)
	k.Cancel(task.ErrCanceled)
	if got := r.end(k); got.Status.State != a2a.StateCanceled || meta(got.Metadata, "interrupt") != "" {
		t.Errorf("task is %s, metadata %v", got.Status.State, got.Metadata)
	}
	want(t, r.ask("next"), a2a.StateCompleted, "ECHO: next")
}

func TestDrawnDeafToInterrupts(t *testing.T) {
	t.Parallel()
	enough := filepath.Join(t.TempDir(), "enough")
	r := drawingWith(t, func(o *turn.Options) { o.CancelGrace = 300 * time.Millisecond })
	k := r.send("DEAF " + enough)
	eventually(t, "the work to begin", func() bool {
		return strings.Contains(meta(k.Snapshot(nil, false).Metadata, "agentState"), `"title"`) || strings.Contains(meta(k.Snapshot(nil, false).Metadata, "agentState"), `"screen"`)
	})
	k.Cancel(task.ErrCanceled)
	if got := r.end(k); got.Status.State != a2a.StateCanceled || meta(got.Metadata, "interrupt") != `"unacknowledged"` {
		t.Errorf("task is %s, metadata %v", got.Status.State, got.Metadata)
	}
	if r.Ready() == nil {
		t.Error("ready while the agent is still at it")
	}
	next := r.send("again")
	if err := os.WriteFile(enough, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, r.end(next), a2a.StateCompleted, "ECHO: again")
}

func TestDrawnEnd(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	got := r.ask("EXIT 3")
	if got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "exit status 3") {
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
	within(t, r.Exited(), "the agent's end")
}

// TestUnknownDrawnAgent: of what has no profile the rules hold that fit most.
func TestUnknownDrawnAgent(t *testing.T) {
	t.Parallel()
	r := drawingWith(t, func(o *turn.Options) { o.Profile = "" })
	for _, text := range []string{"hello there", "SAY 300 a b c d"} {
		got := r.ask(text)
		if got.Status.State != a2a.StateCompleted || !strings.Contains(answer(got), "ECHO: "+strings.TrimPrefix(text, "SAY 300 ")) {
			t.Errorf("%q: task is %s (%q) with %q", text, got.Status.State, status(got), answer(got))
		}
	}
}

func TestDrawnNothing(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	if got := r.ask("\x1b\n "); got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "no text") {
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
	want(t, r.ask("something"), a2a.StateCompleted, "ECHO: something")
}

// TestDrawnQuit: an idle agent is ended by its own keys, one that does not go by
// them, or works, by the ladder.
func TestDrawnQuit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ say, exit string }{
		{"hello", "exit status 0"},
		{"SAY 60000 a b", "killed by SIG"},
	} {
		r := drawingWith(t, func(o *turn.Options) { o.CancelGrace = time.Second })
		k := r.send(c.say)
		if c.exit == "exit status 0" {
			r.end(k)
		} else {
			eventually(t, "the message to be sent", func() bool { return strings.Contains(meta(k.Snapshot(nil, false).Metadata, "agentState"), `"working"`) })
		}
		r.Drain(t.Context(), 100*time.Millisecond)
		within(t, r.Exited(), "the end")
		if got := r.Exit().String(); !strings.HasPrefix(got, c.exit) {
			t.Errorf("%q: %s", c.say, got)
		}
	}
}

// TestDrawnChangedText: what the agent makes of a message before its model gets
// it is told.
func TestDrawnChangedText(t *testing.T) {
	t.Parallel()
	r := drawingWith(t, func(o *turn.Options) { withChannel(t, o) }, "hooks", "tabs")
	for text, changed := range map[string]string{"a\tb": `"blanks"`, "a b": "", " a\n  b\n": ""} {
		got := r.ask(text)
		if got.Status.State != a2a.StateCompleted || meta(got.Metadata, "changed") != changed {
			t.Errorf("%q: task is %s, metadata %v", text, got.Status.State, got.Metadata)
		}
	}
}

// TestDrawnChangedWithoutPaste: a tab that is a key completes words, so blanks
// are typed.
func TestDrawnChangedWithoutPaste(t *testing.T) {
	t.Parallel()
	r := drawing(t, "noPaste")
	if got := r.ask("a\tb"); got.Status.State != a2a.StateCompleted || meta(got.Metadata, "changed") != `"blanks"` {
		t.Errorf("task is %s, metadata %v", got.Status.State, got.Metadata)
	}
}

// TestDrawnChangedByItsProfile: without hooks the profile tells.
func TestDrawnChangedByItsProfile(t *testing.T) {
	t.Parallel()
	known, err := os.ReadFile(filepath.Join("testdata", "fake.json"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tabs.json")
	if err := os.WriteFile(file, []byte(strings.Replace(string(known), `"paste": true,`, `"paste": true, "tabsToBlanks": true,`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := drawingWith(t, func(o *turn.Options) { o.Profile = file }, "tabs")
	for text, changed := range map[string]string{"a\tb": `"blanks"`, "a b": ""} {
		if got := r.ask(text); got.Status.State != a2a.StateCompleted || meta(got.Metadata, "changed") != changed {
			t.Errorf("%q: task is %s, metadata %v", text, got.Status.State, got.Metadata)
		}
	}
}

// TestDrawnUntypable: an agent in a mode that has no input says so at start, and
// no message waits for one.
func TestDrawnUntypable(t *testing.T) {
	t.Parallel()
	file := profileWith(t, `"tui": true,`, `"tui": true, "start": { "untypable": [{ "flags": ["--flat"], "hint": "start it without --flat" }] },`)
	r := drawingWith(t, func(o *turn.Options) { o.Profile, o.ReadyTimeout = file, time.Hour }, "slowStart=600000", "--flat")
	if got := r.ask("hello"); got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "without --flat; nothing was typed") {
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
	if !strings.Contains(r.log.String(), `level=WARN msg="no message can be typed to the agent"`) {
		t.Error("the log does not say so at start")
	}
}

// TestDrawnCommandWords: a whole message that would end the agent is refused.
func TestDrawnCommandWords(t *testing.T) {
	t.Parallel()
	file := profileWith(t, `"commandChars": "/!#@",`, `"commandChars": "/!#@", "commandWords": ["exit 3"],`)
	r := drawingWith(t, func(o *turn.Options) { o.Profile = file })
	for _, text := range []string{"EXIT 3", "\n EXIT 3 \n"} {
		if got := r.ask(text); got.Status.State != a2a.StateRejected || !strings.Contains(status(got), "--allow-agent-commands") {
			t.Errorf("%q: task is %s (%q)", text, got.Status.State, status(got))
		}
	}
	want(t, r.ask("no EXIT 3"), a2a.StateCompleted, "ECHO: no EXIT 3")
}
