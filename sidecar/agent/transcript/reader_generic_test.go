package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
)

// readGeneric reads the answer of an agent without a profile from a screen, which
// was drawn in two steps: before the message was sent, and after.
func readGeneric(t *testing.T, prompt, before, after string) string {
	t.Helper()
	screen := term.New(term.Options{Cols: 60, Rows: 20, Answers: term.AnswerNone})
	write := func(s string) term.Snapshot {
		if _, err := screen.Write([]byte(strings.ReplaceAll(s, "\n", "\r\n"))); err != nil {
			t.Fatal(err)
		}
		return screen.Snapshot()
	}
	r := transcript.NewReader(profile.Generic(), prompt)
	r.Begin(write(before))
	s := write(after)
	rows, first := screen.History(r.Next())
	return r.Final(rows, first, s)
}

func TestReaderWithoutAProfile(t *testing.T) {
	for name, test := range map[string]struct{ prompt, before, after, want string }{
		"below the prompt":       {"hello", "", "> hello\nThe answer.\nIn two lines.\n", "The answer.\nIn two lines."},
		"the echo has a mark":    {"hello", "", "❯ hello\n\nThe answer.\n", "The answer."},
		"a message of two lines": {"one\ntwo", "", "> one\n  two\n\nThe answer.\n", "The answer."},
		"the same message before": {
			"hello", "> hello\nAn older answer.\n", "> hello\nThe answer.\n", "The answer.",
		},
		"it quotes the message": {"hello", "", "> hello\nYou said:\n> hello\nDid you?\n", "You said:\n> hello\nDid you?"},
		"a spinner and a box below": {
			"hello", "", "> hello\nThe answer.\n⠋ thinking\n╭──────────╮\n│ >        │\n╰──────────╯\n", "The answer.",
		},
		"the terminal wrapped it": {
			"hello", "", "> hello\n" + strings.Repeat("word ", 30) + "\nend\n", strings.Repeat("word ", 29) + "word\nend",
		},
		"code keeps its blanks": {"hello", "", "> hello\nif x {\n    y()\n\n    z()\n}\n", "if x {\n    y()\n\n    z()\n}"},
		"nothing":               {"hello", "> ", "", ""},
		"no echo":               {"hello", "A banner.\n", "The answer.\n\n──────────────────────\n> \n", "The answer."},
		"another thing as echo": {"hello", "A banner.\n", "you: hello\nThe answer.\n", "you: hello\nThe answer."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := readGeneric(t, test.prompt, test.before, test.after); got != test.want {
				t.Errorf("read %q, want %q", got, test.want)
			}
		})
	}
}

// TestReaderCollectsWhatScrollsOnTheAlternateScreen reads an answer that is
// longer than the alternate screen, which has no history.
func TestReaderCollectsWhatScrollsOnTheAlternateScreen(t *testing.T) {
	p, err := agent.Load("opencode")
	if err != nil {
		t.Fatal(err)
	}
	screen := term.New(term.Options{Answers: term.AnswerNone})
	drawn := []string{"", "  ┃", "  ┃  go on", "  ┃", ""}
	draw := func(r *transcript.Reader) string {
		rows := drawn[max(0, len(drawn)-34):]
		var b strings.Builder
		b.WriteString("\x1b[?2026h\x1b[?1049h\x1b[H\x1b[2J")
		for _, row := range rows {
			b.WriteString(row + "\r\n")
		}
		b.WriteString("\x1b[36;1H  ┃\r\n  ┃\r\n  ┃  Build · Stub Model\r\n  ╹▀▀▀▀▀▀\x1b[?2026l")
		if _, err := screen.Write([]byte(b.String())); err != nil {
			t.Fatal(err)
		}
		return r.Read(nil, 0, screen.Snapshot())
	}
	r := transcript.NewReader(p, "go on")
	r.Begin(screen.Snapshot())
	var want []string
	given := draw(r)
	for i := range 200 {
		want = append(want, fmt.Sprintf("Line %d of it.", i))
		drawn = append(drawn, "     "+want[i])
		now := draw(r)
		if !strings.HasPrefix(now, given) || !strings.HasPrefix(strings.Join(want, "\n"), now) {
			t.Fatalf("line %d: after %q came %q", i, given, now)
		}
		given = now
	}
	drawn = append(drawn, "", "     ▣  Build · Stub Model · 2.1s", "")
	draw(r)
	if got := r.Final(nil, 0, screen.Snapshot()); got != strings.Join(want, "\n") {
		t.Errorf("read %q", got)
	}
}

func TestReaderGivesNothingBelowAGap(t *testing.T) {
	p, err := agent.Load("opencode")
	if err != nil {
		t.Fatal(err)
	}
	screen := term.New(term.Options{Answers: term.AnswerNone})
	frame := func(rows ...string) term.Snapshot {
		s := "\x1b[?1049h\x1b[H\x1b[2J" + strings.Join(rows, "\r\n") + "\x1b[36;1H  ┃\r\n  ┃\r\n  ┃  Build · Stub Model\r\n  ╹▀▀▀▀▀▀"
		if _, err := screen.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
		return screen.Snapshot()
	}
	r := transcript.NewReader(p, "go on")
	r.Begin(screen.Snapshot())
	r.Read(nil, 0, frame("  ┃  go on", "", "     The first line.", "     The second line."))
	given := r.Read(nil, 0, frame("     Line 98 of it.", "     Line 99 of it.", "     Line 100 of it."))
	if given != "The first line.\nThe second" {
		t.Errorf("given %q, though lines are missing", given)
	}
}
