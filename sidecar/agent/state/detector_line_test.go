package state_test

import (
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// A shell that marks its prompt tells everything at once, however quiet its
// commands are.
func TestMarksOfAShell(t *testing.T) {
	b := newBench(t, "bash")
	b.mark("A")
	b.mark("B")
	b.show("", "$ ")
	b.after(time.Second)
	b.is(profile.Ready, "osc133")
	b.d.Submitted(b.now)
	b.is(profile.Working, "submit")
	b.mark("C")
	b.show("", "$ sleep 60; echo '$ '", "$ ") // output that looks like a prompt
	b.after(4 * time.Second)
	b.is(profile.Working, "osc133")
	b.event(term.Event{Kind: term.EventMark, Text: "D", Code: 1})
	b.is(profile.Working, "osc133")
	b.mark("A")
	if v := b.is(profile.Ready, "osc133"); v.Failed {
		t.Error("a command's exit code is not the shell's failure")
	}

	// Without its prompt's mark the command's end counts too.
	b.d.Submitted(b.now)
	b.mark("C")
	b.event(term.Event{Kind: term.EventMark, Text: "D", Code: 0})
	b.after(50 * time.Millisecond)
	b.is(profile.Ready, "osc133")

	// A REPL inside the marked shell is at its prompt.
	b.d.Submitted(b.now)
	b.paste(1)
	b.paste(0)
	b.mark("C")
	b.is(profile.Working, "osc133")
	b.now = b.now.Add(time.Second)
	b.paste(1)
	b.is(profile.Working, "osc133")
	b.after(400 * time.Millisecond)
	b.is(profile.Ready, "readline")
}

func TestBracketedPasteOfALineEditor(t *testing.T) {
	b := newBench(t, "gdb")
	b.paste(1)
	b.after(time.Second)
	b.is(profile.Ready, "readline")
	b.d.Submitted(b.now)
	b.paste(0)
	b.is(profile.Working, "readline")
	b.never(profile.Ready, time.Minute, nil)
	b.paste(1)
	b.is(profile.Working, "readline") // the prompt is not drawn yet
	b.after(100 * time.Millisecond)
	b.is(profile.Ready, "readline")

	// A command that takes no time at all.
	b.d.Submitted(b.now)
	b.paste(0)
	b.paste(1)
	b.after(100 * time.Millisecond)
	b.is(profile.Ready, "readline")

	// What is switched on twice has not been at work.
	b.d.Submitted(b.now)
	b.paste(1)
	b.after(time.Second)
	b.is(profile.Working, "submit")
}

// Of a program that nothing is known of, the first time says nothing: it may
// be one that draws a screen and has the mode on for good.
func TestBracketedPasteOfAStranger(t *testing.T) {
	b := newBench(t, "generic")
	b.paste(1)
	b.after(4 * time.Second)
	b.is(profile.Starting, "start")
	b.after(2 * time.Second)
	if v := b.is(profile.Ready, "quiet"); !v.Inferred() || v.Confidence > 0.3 {
		t.Errorf("silence is too sure of itself: %+v", v)
	}
	b.d.Submitted(b.now)
	b.paste(0)
	b.is(profile.Working, "readline")
	b.after(time.Minute)
	b.is(profile.Working, "readline")
	b.paste(1)
	b.after(100 * time.Millisecond)
	b.is(profile.Ready, "readline")
}

// An editor or pager of a shell has the alternate screen: what it does with
// modes is not the shell's prompt.
func TestAlternateScreenUnderAShell(t *testing.T) {
	b := newBench(t, "bash")
	b.paste(1)
	b.show("", "bash-5.2# ")
	b.after(time.Second)
	b.is(profile.Ready, "prompt")
	b.d.Submitted(b.now)
	b.paste(0)
	b.s.Alternate = true
	b.show("", "~", "~")
	b.paste(1)
	b.never(profile.Ready, time.Minute, nil)
	b.paste(0)
	b.s.Alternate = false
	b.show("", "bash-5.2# vim", "")
	b.paste(1)
	b.after(100 * time.Millisecond)
	b.is(profile.Ready, "readline")
}

// A full-screen program of which nothing is known switches the mode as it likes:
// its silence ends a turn all the same.
func TestAlternateScreenOfAStranger(t *testing.T) {
	b := newBench(t, "generic")
	b.event(term.Event{Kind: term.EventAlternate, Code: 1})
	b.paste(1)
	b.s.Alternate = true
	b.show("", "~", "~")
	b.after(6 * time.Second)
	b.is(profile.Ready, "quiet")
	b.d.Submitted(b.now)
	b.paste(0)
	b.show("", "hello", "~")
	b.is(profile.Working, "submit")
	b.after(6 * time.Second)
	b.is(profile.Ready, "quiet")
}

// One that a shell has started waits for keys when it draws nothing more, however
// it sets the modes.
func TestFullScreenProgramOfAShell(t *testing.T) {
	b := newBench(t, "bash")
	b.paste(1)
	b.show("", "bash-5.2# ")
	b.after(time.Second)
	b.d.Submitted(b.now)
	b.paste(0)
	b.event(term.Event{Kind: term.EventAlternate, Code: 1})
	b.paste(1)
	b.s.Alternate = true
	b.show("", "~", "~")
	b.after(4900 * time.Millisecond)
	b.is(profile.Working, "readline")
	b.after(200 * time.Millisecond)
	b.is(profile.Asking, "quiet")
	b.show("", ":q", "~")
	b.is(profile.Asking, "quiet")
	b.paste(0)
	b.event(term.Event{Kind: term.EventAlternate})
	b.s.Alternate = false
	b.paste(1)
	b.show("", "bash-5.2# vim", "bash-5.2# ")
	b.after(time.Second)
	b.is(profile.Ready, "prompt")
}

func TestSecretLine(t *testing.T) {
	b := newBench(t, "bash")
	b.paste(1)
	b.show("", "bash-5.2# ")
	b.after(time.Second)
	b.d.Submitted(b.now)
	b.paste(0)
	b.tty = state.TTY{Canonical: true, Echo: true}
	b.show("", "bash-5.2# sudo true", "")
	b.is(profile.Working, "readline")
	b.tty.Echo = false
	b.show("", "bash-5.2# sudo true", "[sudo] password for root: ")
	b.is(profile.Working, "readline")
	b.after(200 * time.Millisecond)
	if v := b.is(profile.Asking, "readline"); v.Kind != "auth" || v.Message != "[sudo] password for root:" {
		t.Errorf("a secret line: %+v", v)
	}
	b.tty.Echo = true
	b.show("", "bash-5.2# sudo true", "[sudo] password for root:", "")
	b.is(profile.Working, "readline")
}

// The row that asked for a secret does not ask once the secret has been read.
func TestSecretLineThatWasRead(t *testing.T) {
	b := newBench(t, "bash")
	b.paste(1)
	b.show("", "bash-5.2# ")
	b.after(time.Second)
	b.d.Submitted(b.now)
	b.paste(0)
	b.tty = state.TTY{Canonical: true, Echo: true}
	b.show("", "bash-5.2# read -sp 'pw: ' p; make", "pw: ")
	b.tty.Echo = false
	b.show("", "bash-5.2# read -sp 'pw: ' p; make", "pw: ")
	b.after(200 * time.Millisecond)
	b.is(profile.Asking, "readline")
	b.tty.Echo = true
	b.show("", "bash-5.2# read -sp 'pw: ' p; make", "pw: ")
	b.never(profile.Asking, time.Minute, nil)
}

// A secret of a program that has no line editor has been read when the echo is
// back, though nothing else is to be seen.
func TestSecretLineOfAStranger(t *testing.T) {
	b := newBench(t, "generic")
	b.tty = state.TTY{Canonical: true, Echo: true}
	b.show("", "> ")
	b.after(time.Second)
	b.d.Submitted(b.now)
	b.tty.Echo = false
	b.show("", "> login", "Password: ")
	b.after(200 * time.Millisecond)
	b.is(profile.Asking, "readline")
	b.tty.Echo = true
	b.show("", "> login", "Password: ")
	b.is(profile.Working, "submit")
	b.never(profile.Asking, 4*time.Second, nil)
}

// A program of a shell that asks for a line tells by nothing but its last row,
// and only silence shows that it is the last.
func TestLineThatIsAsked(t *testing.T) {
	b := newBench(t, "bash")
	b.paste(1)
	b.show("", "bash-5.2# ")
	b.after(time.Second)
	b.d.Submitted(b.now)
	b.paste(0)
	b.tty = state.TTY{Canonical: true, Echo: true}
	b.show("", "bash-5.2# read -p 'name? ' n", "name? ")
	b.after(4900 * time.Millisecond)
	b.is(profile.Working, "readline")
	b.after(200 * time.Millisecond)
	if v := b.is(profile.Asking, "quiet"); v.Kind != "question" || v.Message != "name?" || !v.Inferred() {
		t.Errorf("a line that is asked for: %+v", v)
	}
	b.show("", "bash-5.2# read -p 'name? ' n", "name? bob", "")
	b.is(profile.Working, "readline")
}

// Silence alone needs 5 s and never contradicts anybody who has spoken.
func TestSilence(t *testing.T) {
	b := newBench(t, "generic")
	b.show("", "welcome", "")
	b.after(4900 * time.Millisecond)
	b.is(profile.Starting, "start")
	b.after(200 * time.Millisecond)
	b.is(profile.Ready, "quiet")
	b.d.Submitted(b.now)
	for range 10 {
		b.show("", "welcome", b.now.String())
		b.after(4 * time.Second)
		b.is(profile.Working, "submit")
	}
	b.after(2 * time.Second)
	b.is(profile.Ready, "quiet")

	b = newBench(t, "python")
	b.show("", ">>> ")
	b.after(time.Second)
	b.is(profile.Ready, "prompt")
	b.d.Submitted(b.now)
	b.show("", ">>> time.sleep(60)", "")
	b.never(profile.Ready, time.Minute, nil)
	b.show("", ">>> time.sleep(60)", ">>> ")
	b.after(300 * time.Millisecond)
	b.is(profile.Ready, "prompt")
}

// A fast answer is never seen at work: the next prompt below the one that was
// typed at shows it. The old one shows nothing.
func TestFastAnswerOfALineProgram(t *testing.T) {
	b := newBench(t, "python")
	b.show("", ">>> ")
	b.after(time.Second)
	b.d.Submitted(b.now)
	b.is(profile.Working, "submit")
	b.after(2 * time.Second) // a busy machine
	b.is(profile.Working, "submit")
	b.show("", ">>> 6*7", "42", ">>> ")
	b.after(300 * time.Millisecond)
	b.is(profile.Ready, "prompt")
}

// What a driver knows of a turn's end holds until the next message, and silence
// adds nothing to a program's own word.
func TestEndedByTheCaller(t *testing.T) {
	b := newBench(t, "generic")
	b.d.Submitted(b.now)
	b.is(profile.Working, "submit")
	b.d.Ended(state.SourceResult, "a toolResult line", 1, b.now)
	b.is(profile.Ready, "result")
	b.after(time.Hour)
	b.is(profile.Ready, "result")
	b.d.Submitted(b.now)
	b.is(profile.Working, "submit")
	b.after(6 * time.Second)
	b.is(profile.Ready, "quiet")
	b.d.Exited(b.now)
	b.d.Ended(state.SourceResult, "a toolResult line", 1, b.now)
	b.is(profile.Exited, "exit")
}

// Clear takes back what was said: the next source has its say.
func TestStatusClear(t *testing.T) {
	b := newBench(t, "bash")
	b.paste(1)
	b.status(term.Status{State: "working"})
	b.is(profile.Working, "osc7501")
	b.status(term.Status{State: "clear"})
	b.after(time.Second)
	b.is(profile.Ready, "readline")
}

// A bar that a command draws ends long before the command does.
func TestProgressOfACommand(t *testing.T) {
	b := newBench(t, "bash")
	b.paste(1)
	b.after(time.Second)
	b.d.Submitted(b.now)
	b.paste(0)
	b.event(term.Event{Kind: term.EventProgress, Code: 1, Percent: 10})
	b.event(term.Event{Kind: term.EventProgress, Code: 0})
	b.after(time.Minute)
	b.is(profile.Working, "readline")
}

// What a command writes may look like the prompt: while the line editor is away
// only silence says that it is one, of a shell in the shell.
func TestPromptOfACommand(t *testing.T) {
	b := newBench(t, "bash")
	b.paste(1)
	b.show("", "bash-5.2# ")
	b.after(time.Second)
	b.d.Submitted(b.now)
	b.paste(0)
	b.show("", "bash-5.2# ./report", "total: 5$ ")
	b.after(4900 * time.Millisecond)
	b.is(profile.Working, "readline")
	b.show("", "bash-5.2# ./report", "total: 5$ and more")
	b.after(time.Minute)
	b.is(profile.Working, "readline")
	b.show("", "bash-5.2# sh", "$ ")
	b.after(5100 * time.Millisecond)
	b.is(profile.Ready, "prompt")
}

// TestMarksOfMessages: an agent that draws its screen and puts marks around messages is no
// shell: without an end, such a mark says neither that it works nor that it is ready.
func TestMarksOfMessages(t *testing.T) {
	b := newBench(t, "generic")
	b.s.Alternate = true
	b.show("", "an agent", "> ")
	b.d.Submitted(b.now)
	b.show("", "> hello", "> ")
	for _, which := range []string{"A", "B", "C"} {
		b.mark(which)
		b.is(profile.Working, "submit")
	}
	b.mark("D")
	b.after(time.Second)
	b.is(profile.Ready, "osc133")
}
