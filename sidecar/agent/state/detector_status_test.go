package state_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// A turn as OSC 7501 tells it: what it says counts at once.
func TestStatusOfATurn(t *testing.T) {
	b := newBench(t, "generic")
	b.is(profile.Starting, "start")
	b.status(term.Status{State: "idle"})
	b.is(profile.Starting, "start") // some say idle before they can be typed to
	b.after(300 * time.Millisecond)
	b.is(profile.Ready, "osc7501")

	b.d.Submitted(b.now)
	b.is(profile.Working, "submit") // the old idle counts no more
	b.status(term.Status{State: "working"})
	b.is(profile.Working, "osc7501")
	b.after(time.Hour) // however quiet it is
	b.is(profile.Working, "osc7501")
	b.status(term.Status{State: "blocked", Kind: "permission", Msg: "approve Bash: rm -rf /"})
	if v := b.is(profile.Asking, "osc7501"); v.Kind != "permission" || v.Message != "approve Bash: rm -rf /" || v.Confidence != 1 {
		t.Errorf("what is asked: %+v", v)
	}
	b.after(time.Hour)
	b.is(profile.Asking, "osc7501")
	b.status(term.Status{State: "working"})
	b.is(profile.Working, "osc7501")
	since := b.now
	b.now = b.now.Add(time.Second)
	b.status(term.Status{State: "working", Progress: 50})
	if v := b.is(profile.Working, "osc7501"); !v.Since.Equal(since) {
		t.Errorf("the same said again moved since by %s", v.Since.Sub(since))
	}
	b.status(term.Status{State: "done"})
	if v := b.is(profile.Ready, "osc7501"); v.Failed {
		t.Error("done is no failure")
	}

	b.d.Submitted(b.now)
	b.status(term.Status{State: "working"})
	b.status(term.Status{State: "error", Msg: "API Error: 400"})
	if v := b.is(profile.Ready, "osc7501"); !v.Failed || v.Message != "API Error: 400" {
		t.Errorf("an error: %+v", v)
	}

	b.d.Submitted(b.now)
	b.status(term.Status{State: "working"})
	b.status(term.Status{State: "idle"}) // interrupted
	b.is(profile.Ready, "osc7501")
}

// An idle that comes late, of the typing, is not the end of the turn; done is.
func TestStatusIdleWithoutWork(t *testing.T) {
	b := newBench(t, "codex")
	b.status(term.Status{State: "done"})
	b.after(time.Second)
	b.is(profile.Ready, "osc7501")
	b.d.Submitted(b.now)
	b.status(term.Status{State: "idle"})
	b.is(profile.Working, "submit")
	b.now = b.now.Add(400 * time.Millisecond)
	b.status(term.Status{State: "working"})
	b.after(10 * time.Second)
	b.is(profile.Working, "osc7501")
	b.d.Submitted(b.now)
	b.status(term.Status{State: "idle"})
	b.after(1100 * time.Millisecond)
	b.is(profile.Ready, "osc7501")
	b.d.Submitted(b.now)
	b.status(term.Status{State: "done"})
	b.is(profile.Ready, "osc7501")
}

// Only the root record decides, and nothing outlives what it spoke of.
func TestStatusThatDoesNotDecide(t *testing.T) {
	b := newBench(t, "generic")
	b.status(term.Status{State: "idle"})
	b.after(time.Second)
	b.is(profile.Ready, "osc7501")
	b.status(term.Status{State: "working", ID: "subagent-1"})
	b.is(profile.Ready, "osc7501")
	b.status(term.Status{State: "blocked", Kind: "permission", ID: "subagent-1"})
	b.is(profile.Ready, "osc7501")
	for _, word := range []string{"", "ready", "WORKING", "working ", "blocked;done"} {
		b.status(term.Status{State: word})
		b.is(profile.Ready, "osc7501")
	}

	for _, word := range []string{"working", "blocked"} {
		b.d.Submitted(b.now)
		b.status(term.Status{State: word})
		b.mark("A")
		b.is(profile.Ready, "osc133")
		b.after(time.Minute)
		b.is(profile.Ready, "osc133")
	}
	b.d.Submitted(b.now)
	b.status(term.Status{State: "working"})
	b.d.Exited(b.now)
	if v := b.is(profile.Exited, "exit"); v.Confidence != 1 {
		t.Errorf("an exit is certain: %+v", v)
	}
	b.status(term.Status{State: "working"})
	b.show("", "$ ")
	b.after(time.Minute)
	b.is(profile.Exited, "exit")
}

// What an agent says reaches people: it is bounded and clean.
func TestStatusWithHostileMessage(t *testing.T) {
	b := newBench(t, "generic")
	b.status(term.Status{State: "blocked", Kind: "question", Msg: "a\x1b]0;pwned\x07\x00b\u009bc\xff" + strings.Repeat("é", 10_000)})
	v := b.is(profile.Asking, "osc7501")
	if strings.ContainsAny(v.Message, "\x00\x07\x1b\u009b\ufffd") || len(v.Message) > 4<<10 || !strings.HasPrefix(v.Message, "a]0;pwnedbcé") {
		t.Errorf("a message of %d bytes: %.40q", len(v.Message), v.Message)
	}
	b.status(term.Status{State: "blocked"})
	if v := b.is(profile.Asking, "osc7501"); v.Kind != "question" {
		t.Errorf("blocked without a kind is %q", v.Kind)
	}
}

// Reports as bytes: a bad field spoils the whole report, and none of it moves
// the verdict.
func TestStatusOfHostileBytes(t *testing.T) {
	b := newBench(t, "generic")
	screen := term.New(term.Options{Answers: term.AnswerNone, Event: b.event, Now: func() time.Time { return b.now }})
	say := func(s string) {
		t.Helper()
		if _, err := screen.Write([]byte("\x1b]7501;" + s + "\x1b\\")); err != nil {
			t.Fatal(err)
		}
	}
	say("state=idle")
	b.after(time.Second)
	b.is(profile.Ready, "osc7501")
	for _, hostile := range []string{
		"", "?", "state", "state=", "state=WORKING", "state=working:state=idle", "state=working:progress=101", "state=working:progress=-1",
		"state=working:kind=permission", "state=blocked:kind=root", "state=blocked:msg=%%%", "state=blocked:msg=" + strings.Repeat("QUFB", 2000),
		"state=blocked:msg=G1s=", "state=working:id=a/b", "state=error:id=sub", "state=working:app=../../x", "state=done:title=//8=", "working", ":state=working",
	} {
		say(hostile)
		b.after(time.Second)
		b.is(profile.Ready, "osc7501")
	}
	say("state=blocked:kind=permission:unknown=1:app=codex:msg=cm0gLXJmIC8=")
	if v := b.is(profile.Asking, "osc7501"); v.Message != "rm -rf /" || v.Kind != "permission" {
		t.Errorf("%+v", v)
	}
}

// BenchmarkDetectorScreen is one look at a screen that changes.
func BenchmarkDetectorScreen(b *testing.B) {
	for _, name := range []string{"claude", "codex", "gemini", "opencode", "bash"} {
		b.Run(name, func(b *testing.B) {
			p, err := agent.Load(name)
			if err != nil {
				b.Fatal(err)
			}
			now := time.Now()
			d := state.NewDetector(p, now)
			s := term.Snapshot{Cols: 120, Rows: 40, Lines: make([]term.Line, 40)}
			for i := range s.Lines {
				s.Lines[i].Text = strings.Repeat("some words of an answer ", 4)
			}
			d.Submitted(now)
			b.ReportAllocs()
			for b.Loop() {
				d.Screen(s, state.TTY{}, now)
				d.Verdict(now)
			}
		})
	}
}
