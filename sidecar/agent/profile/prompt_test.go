package profile_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// TestInputAboveTwoFooters: gemini may leave a second copy of its footer below its
// input, and another one after that.
func TestInputAboveTwoFooters(t *testing.T) {
	p := load(t, "gemini")
	s := readScreen(t, "gemini", "footer-twice")
	s.Title = "◇  Ready (work)"
	rows := strings.Split(strings.TrimRight(s.Text(), "\n"), "\n")
	for range 3 {
		if in, ok := p.Input(s); !ok || in != "" {
			t.Errorf("the input is %q, %v", in, ok)
		}
		if m, ok := p.Match(s); !ok || m.State != profile.Ready {
			t.Errorf("%+v", m)
		}
		title := s.Title
		rows = append(rows, rows[len(rows)-4:]...)
		s = screen(strings.Join(rows, "\n"))
		s.Title = title
	}
}

// TestEchoIsNoInput: a message that looks as the input does, with something below it
// that nobody knows.
func TestEchoIsNoInput(t *testing.T) {
	border, below := strings.Repeat("▄", 120), strings.Repeat("▀", 120)
	s := screen(strings.Join([]string{border, " > a message", below, "", "╭─ A new dialog ───╮", "│ Do you want it?  │", "│ ● 1. Yes         │", "│   2. No          │", "╰──────────────────╯"}, "\n"))
	s.Title = "◇  Ready (work)"
	if in, ok := load(t, "gemini").Input(s); ok {
		t.Errorf("there is an input with %q", in)
	}
}

// TestInputAtTheTop: an agent that had filled its screen may leave its input at
// the top, with its upper border gone.
func TestInputAtTheTop(t *testing.T) {
	const border = "────────────────────"
	p := load(t, "claude")
	for text, want := range map[string]struct {
		in string
		ok bool
	}{
		"❯ \n" + border + "\n  ? for shortcuts":                            {"", true},
		"❯ text\n" + border + "\n  ? for shortcuts":                        {"text", true},
		border + "\n❯ text\n" + border + "\n  ? for shortcuts":             {"text", true},
		"● an answer\n❯ no input\n" + border + "\n  ? for shortcuts":       {"", false},
		"❯ an older message\n\n" + border + "\n Do you want to proceed?":   {"", false},
		"❯ an older message\n\n● its answer\n":                             {"", false},
		"❯ an older message\n● its answer\n" + border + "\n❯ x\n" + border: {"x", true},
	} {
		if in, ok := p.Input(screen(text)); in != want.in || ok != want.ok {
			t.Errorf("input %q, %v of\n%s", in, ok, text)
		}
	}
}

// TestOpencodeThatTriesAgain: without its model it tries for ever, and the text that
// says so pushes the hint to interrupt it off the row.
func TestOpencodeThatTriesAgain(t *testing.T) {
	if m, ok := load(t, "opencode").Match(readScreen(t, "opencode", "retry")); !ok || m.State != profile.Working || m.Generic {
		t.Errorf("%+v", m)
	}
}
