package turn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

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
