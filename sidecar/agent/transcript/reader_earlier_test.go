package transcript_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
)

// TestReaderLeavesTheTurnBeforeOut: an agent that is behind draws an older
// message and its answer after this one was typed.
func TestReaderLeavesTheTurnBeforeOut(t *testing.T) {
	everyLayout(t, func(t *testing.T, l layout) {
		a := newAgentBefore(t, l)
		p, err := agent.Load(l.profile)
		if err != nil {
			t.Fatal(err)
		}
		a.reader = transcript.NewReader(p, "what now", "the first one\nof two lines")
		a.reader.Begin(a.screen.Snapshot())
		late := func() {
			a.blocks = append(a.blocks, block{rows: append(l.echo([]string{"the first one", "of two lines"}), "")})
			a.say("The answer to another.", "")
		}
		late()
		a.final("")
		if a.reader.Found() {
			t.Error("the message was found before it was drawn")
		}
		late()
		a.blocks = append(a.blocks, block{rows: append(l.echo([]string{"what now"}), "")})
		a.say("It is this.", "It is this.")
		a.final("It is this.")
		if !a.reader.Found() {
			t.Error("the message was not found")
		}
	})
}

// TestReaderLeavesTheTurnBeforeOutOnTheAlternateScreen: so it does where each row
// of a message looks like the first.
func TestReaderLeavesTheTurnBeforeOutOnTheAlternateScreen(t *testing.T) {
	p, err := agent.Load("opencode")
	if err != nil {
		t.Fatal(err)
	}
	const box = "  ┃\r\n  ┃\r\n  ┃\r\n  ┃  Build · Stub Model\r\n  ╹▀▀▀▀▀▀▀▀\r\n"
	const first = "  ┃\r\n  ┃  the first one\r\n  ┃\r\n  ┃  of three lines\r\n  ┃\r\n\r\n     The answer to another.\r\n\r\n     ▣  Build · Stub Model · 5.3s\r\n\r\n"
	const second = "  ┃\r\n  ┃  what now\r\n  ┃\r\n\r\n     It is this.\r\n\r\n"
	screen := term.New(term.Options{Answers: term.AnswerNone})
	write := func(s string) term.Snapshot {
		if _, err := screen.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
		return screen.Snapshot()
	}
	r := transcript.NewReader(p, "what now", "the first one\n\nof three lines")
	r.Begin(write("\x1b[?1049h\x1b[H" + strings.Repeat("\r\n", 30) + box))
	if got := r.Final(nil, 0, write("\x1b[2J\x1b[H"+first+box)); got != "" || r.Found() {
		t.Errorf("read %q of another message, found %t", got, r.Found())
	}
	if got := r.Final(nil, 0, write("\x1b[2J\x1b[H"+first+second+box)); got != "It is this." || !r.Found() {
		t.Errorf("read %q, found %t", got, r.Found())
	}
}

// TestQueuedMessage: gemini takes a message before it can begin, and looks ready
// with it: that is work, and no answer.
func TestQueuedMessage(t *testing.T) {
	p, err := agent.Load("gemini")
	if err != nil {
		t.Fatal(err)
	}
	const box = "──────────────────────\r\n                                                              ? for shortcuts\r\n▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄\r\n >   Type your message or @path/to/file\r\n▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀\r\n workspace (/directory)\r\n"
	screen := term.New(term.Options{Answers: term.AnswerNone})
	write := func(s string) term.Snapshot {
		if _, err := screen.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
		return screen.Snapshot()
	}
	r := transcript.NewReader(p, "good morning")
	idle := write("\x1b]0;◇  Ready (work)\x07 Gemini CLI\r\n\r\n" + box)
	if m, ok := p.Match(idle); !ok || m.State != profile.Ready {
		t.Errorf("before the message: %+v", m)
	}
	r.Begin(idle)
	queued := write("\x1b[2J\x1b[H Gemini CLI\r\n\r\n  Queued (press ↑ to edit):\r\n    good morning\r\n    and another\r\n" + box)
	if m, ok := p.Match(queued); !ok || m.State != profile.Working {
		t.Errorf("with a queued message: %+v", m)
	}
	if got := r.Final(nil, 0, queued); got != "" {
		t.Errorf("read %q", got)
	}
}
