package turn_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// sitAtDrawing is a person at an agent that draws its screen.
func sitAtDrawing(t testing.TB, habits ...string) (*rig, *sitting) {
	t.Helper()
	return sitWith(t, func(o *turn.Options) {
		o.Profile, o.NoHooks = filepath.Join("testdata", "fake.json"), true
		plays(o, "fake", habits...)
	})
}

// saw is whether something was ever on the person's screen.
func (p *sitting) saw(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Contains(p.seen.String(), text)
}

// TestPersonAnswersAQuestion: the caller is asked as well, and asked no more
// once it is answered.
func TestPersonAnswersAQuestion(t *testing.T) {
	t.Parallel()
	r, p := sitAtDrawing(t)
	k := r.send("ASK touch x")
	r.until(k, a2a.TaskState.Interrupted)
	p.sees(t, "Do you want to proceed?")
	p.types(t, "3")
	got := r.end(k)
	want(t, got, a2a.StateCompleted, "chose no")
	if meta(got.Metadata, "interleaved") != "true" {
		t.Errorf("metadata %v", got.Metadata)
	}
}

// TestPersonsTurnIsWaitedFor: what a person asks of the agent is not mixed with
// a caller's message.
func TestPersonsTurnIsWaitedFor(t *testing.T) {
	t.Parallel()
	r, p := sitAtDrawing(t)
	p.sees(t, "? for shortcuts")
	p.types(t, "SAY 300 my own four words\r")
	p.sees(t, "esc to interrupt")
	want(t, r.ask("mine"), a2a.StateCompleted, "ECHO: mine")
	if !p.saw("ECHO: my own four words") {
		t.Error("the person's turn was cut")
	}
}

// TestPersonsDraftIsWaitedFor: and neither is what a person has begun to type.
func TestPersonsDraftIsWaitedFor(t *testing.T) {
	t.Parallel()
	r, p := sitAtDrawing(t)
	p.sees(t, "? for shortcuts")
	p.types(t, "half a ")
	p.sees(t, "half a")
	k := r.send("mine")
	eventually(t, "the turn to begin", func() bool { return k.State() == a2a.StateWorking })
	p.types(t, "sentence\r")
	want(t, r.end(k), a2a.StateCompleted, "ECHO: mine")
	if !p.saw("ECHO: half a sentence") {
		t.Error("the person's line was spoiled")
	}
}

// TestPersonsKeysBehindTheEnter: they do not make a part of the message of it.
func TestPersonsKeysBehindTheEnter(t *testing.T) {
	t.Parallel()
	r, p := sitAtDrawing(t)
	p.sees(t, "? for shortcuts")
	for _, text := range []string{"FAST one", "FAST two", "FAST three"} {
		k := r.send(text)
		p.sees(t, text) // held from here to its Enter
		p.types(t, "x")
		want(t, r.end(k), a2a.StateCompleted, "ECHO: "+text)
		p.types(t, "\x7f")
	}
}

// TestPersonThinksOverADraft: however long that takes.
func TestPersonThinksOverADraft(t *testing.T) {
	t.Parallel()
	r, p := sitWith(t, func(o *turn.Options) {
		o.Profile, o.NoHooks, o.ReadyTimeout = filepath.Join("testdata", "fake.json"), true, 2*time.Second
		plays(o, "fake")
	})
	p.sees(t, "? for shortcuts")
	p.types(t, "to be")
	p.sees(t, "to be")
	k := r.send("mine")
	typeAfter(t, p, 3*time.Second, " or not\r")
	want(t, r.end(k), a2a.StateCompleted, "ECHO: mine")
	if !p.saw("ECHO: to be or not") {
		t.Error("the person's line was spoiled")
	}
}

// TestPersonTakesALineBack: a line that was begun and erased, and keys that are
// no text, keep nobody waiting.
func TestPersonTakesALineBack(t *testing.T) {
	t.Parallel()
	r, p := sitAtDrawing(t)
	p.sees(t, "? for shortcuts")
	p.types(t, "oh")
	p.sees(t, "oh")
	p.types(t, "\x7f\x7f")
	want(t, r.ask("mine"), a2a.StateCompleted, "ECHO: mine")
	p.types(t, "\x1b[Z")
	want(t, r.ask("mine too"), a2a.StateCompleted, "ECHO: mine too")
}

// TestPersonsResize: the window changes while a message is typed, and the model
// of the screen follows it.
func TestPersonsResize(t *testing.T) {
	t.Parallel()
	r, p := sitAtDrawing(t)
	k := r.send("hello in a window")
	p.sees(t, "hello in a window")
	for _, size := range []pty.Winsize{{Cols: 90, Rows: 30}, {Cols: 133, Rows: 50}} {
		if err := pty.Setsize(p.keys, &size); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
			t.Fatal(err)
		}
		p.sees(t, strings.Repeat("─", int(size.Cols)))
	}
	want(t, r.end(k), a2a.StateCompleted, "ECHO: hello in a window")
	long := strings.Repeat("x", 125) // one row now
	want(t, r.ask("FAST "+long), a2a.StateCompleted, "ECHO: FAST "+long)
}

// TestPersonsTerminalIsNotAsked: whether program status is known is ours to
// say; the person's terminal would answer as well, or show the question.
func TestPersonsTerminalIsNotAsked(t *testing.T) {
	t.Parallel()
	r, p := sitAtDrawing(t, "status")
	got := r.ask("hello")
	want(t, got, a2a.StateCompleted, "ECHO: hello")
	if s := meta(got.Metadata, "agentState"); !strings.Contains(s, "osc7501") {
		t.Errorf("agentState %s", s)
	}
	p.sees(t, "]7501;state=done")
	if p.saw("]7501;?") {
		t.Error("the person's terminal was asked")
	}
}

// TestPersonsNextTurnIsNotOurs: what a person asks in the middle of a caller's
// turn is answered right after it, and the caller's answer ends before.
func TestPersonsNextTurnIsNotOurs(t *testing.T) {
	t.Parallel()
	r, p := sitWith(t, func(o *turn.Options) {
		withChannel(t, o)
		o.Profile, o.NoHooks = filepath.Join("testdata", "fake.json"), true
		plays(o, "fake", "hooks", "status")
	})
	k := r.send("SAY 300 one two three four")
	p.sees(t, "ECHO: one")
	p.types(t, "SAY 1500 of others\r")
	got := r.end(k)
	want(t, got, a2a.StateCompleted, "ECHO: one two three four")
	if meta(got.Metadata, "interleaved") != "true" {
		t.Errorf("metadata %v", got.Metadata)
	}
	if p.saw("ECHO: of") {
		t.Error("the person's answer was waited for")
	}
	want(t, r.ask("next"), a2a.StateCompleted, "ECHO: next")
	if !p.saw("ECHO: of others") {
		t.Error("the person's turn was cut")
	}
}
