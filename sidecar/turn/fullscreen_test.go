package turn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// drawer is a full-screen program that takes a line, and does not mind Ctrl-C.
const drawer = `printf '#!/bin/sh\ntrap "" INT\nprintf "\\033[?1049h\\033[?2004h\\033[2J\\033[5;5Hthe editor"\nread -r l\nprintf "\\033[?2004l\\033[?1049l"\necho left by $l\n' > "$TMPDIR/ed"; chmod +x "$TMPDIR/ed"`

// shell is a session of bash that does not wait for as long as it does by its profile
// until it takes a screen that stays the same for a question.
func shell(t *testing.T, set ...func(o *turn.Options)) *rig {
	t.Helper()
	known, err := os.ReadFile(filepath.Join("..", "agent", "prompts", "bash.json"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "bash.json")
	sooner := strings.Replace(string(known), `"alone": true,`, `"alone": true, "timing": {"silence": 1500, "takenLimit": 2000, "declinedLimit": 1000, "stopAgain": 600},`, 1)
	if err := os.WriteFile(file, []byte(sooner), 0o600); err != nil {
		t.Fatal(err)
	}
	return newRig(t, func(o *turn.Options) {
		o.Mode, o.Profile, o.Command = turn.ModePTY, file, []string{"bash", "--norc", "-i"}
		for _, s := range set {
			s(o)
		}
	})
}

// TestFullScreenProgramOfAShell: it is asked about, with its screen; what is
// answered is typed there, and nothing of what it draws is the answer.
func TestFullScreenProgramOfAShell(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	r := shell(t)
	want(t, r.ask(drawer), a2a.StateCompleted, "")
	k := r.send("$TMPDIR/ed")
	asks := r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
	if asks.Status.State != a2a.StateInputRequired || !strings.Contains(status(asks), "the editor") {
		t.Fatalf("task is %s (%q) with %q", asks.Status.State, status(asks), answer(asks))
	}
	if err := k.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(":q")}}); err != nil {
		t.Fatal(err)
	}
	want(t, r.end(k), a2a.StateCompleted, "left by :q")
	want(t, r.ask("echo next"), a2a.StateCompleted, "next")
}

// TestFullScreenProgramIsCanceled: an interrupt that it does not mind, whether it
// shows something of it or not, is followed by a hangup, and the shell is at its
// prompt again.
func TestFullScreenProgramIsCanceled(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	for name, program := range map[string]string{
		"that echoes":       drawer,
		"that says nothing": strings.Replace(drawer, `trap "" INT`, `trap "" INT; stty -echo`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := shell(t)
			want(t, r.ask(program), a2a.StateCompleted, "")
			k := r.send("$TMPDIR/ed")
			r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
			canceled(t, r, k)
			want(t, r.ask("echo next"), a2a.StateCompleted, "next")
		})
	}
}

// TestFullScreenProgramWithNobodyToAnswer does not keep the terminal.
func TestFullScreenProgramWithNobodyToAnswer(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	r := shell(t, func(o *turn.Options) { o.Headless = true })
	want(t, r.ask(drawer), a2a.StateCompleted, "")
	if got := r.ask("$TMPDIR/ed"); !got.Status.State.Terminal() || meta(got.Metadata, "undecided") == "" {
		t.Errorf("task is %s (%q), metadata %v", got.Status.State, status(got), got.Metadata)
	}
	want(t, r.ask("echo next"), a2a.StateCompleted, "next")
}

// TestFullScreenProgramThatStays: what no hangup ends has the screen still.
func TestFullScreenProgramThatStays(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	r := shell(t, func(o *turn.Options) { o.CancelGrace = 2 * time.Second })
	want(t, r.ask(strings.Replace(drawer, `trap "" INT`, `trap "" INT HUP`, 1)), a2a.StateCompleted, "")
	k := r.send("$TMPDIR/ed")
	r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
	k.Cancel(task.ErrCanceled)
	if got := r.end(k); got.Status.State != a2a.StateCanceled || meta(got.Metadata, "interrupt") == "" {
		t.Errorf("task is %s, metadata %v", got.Status.State, got.Metadata)
	}
	views, _ := r.Views("")
	if shown, _ := views[0].See(); !shown.Alternate {
		t.Errorf("the screen is the shell's: %v", shown.Lines)
	}
}

// TestFullScreenProgramThatFloods: what is drawn in place of a program does not wait
// for the rows that the program writes to be read by who draws.
func TestFullScreenProgramThatFloods(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	r := shell(t, func(o *turn.Options) { o.Headless = true })
	flood := strings.Replace(drawer, `trap "" INT`, `trap "" INT; trap "yes the flood" HUP`, 1)
	want(t, r.ask(flood), a2a.StateCompleted, "")
	if got := r.ask("$TMPDIR/ed"); meta(got.Metadata, "undecided") == "" {
		t.Errorf("task is %s (%q), metadata %v", got.Status.State, status(got), got.Metadata)
	}
}
