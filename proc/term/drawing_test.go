package term_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// TestDrawing: an agent that redraws what it has drawn is told from a line editor, which
// begins anew at each prompt.
func TestDrawing(t *testing.T) {
	spinner := strings.Repeat("\x1b[2K\x1b[1A\x1b[2K\x1b[G* Thinking\r\n> ", 5)
	tests := []struct {
		name, written string
		want          term.Drawing
	}{
		{"lines", "one\r\ntwo\r\n$ ", term.Drawing{}},
		{"lines that scroll", strings.Repeat("line\r\n", 50), term.Drawing{}},
		{"an edited line", "\x1b[?2004h$ \r\x1b[Kls\x1b[K\x08\x08\x1b[4Cx\r\n", term.Drawing{}},
		{"a line that wraps, edited at its beginning", "$ " + strings.Repeat("x", 100) + "\x1b[1A\ry", term.Drawing{Raised: 1}},
		{"a spinner above an input", "* Thinking\r\n> " + spinner, term.Drawing{Raised: 5}},
		{"frames", "\x1b[?2026ha\x1b[?2026l\x1b[?2026h\x1b[?2026hb\x1b[?2026l", term.Drawing{Frames: 2}},
		{"absolute rows", "\x1b[5;1Hfive\x1b[2;1Htwo\x1b[3;1Hthree\x1b[1dx", term.Drawing{Raised: 2}},
		{"what a program drew before the shell's prompt", spinner + "\x1b[?2004h$ ", term.Drawing{}},
		{"what a program drew before the line's end", "\x1b[?2004h" + spinner + "\x1b[?2004l", term.Drawing{}},
		{"the mode that is on already", "\x1b[?2004h" + spinner + "\x1b[?2004h", term.Drawing{Raised: 4}},
		{"a program that has left its screen", "\x1b[?1049h\x1b[9;1Hx\x1b[1;1Hy\x1b[?2026h\x1b[?2026l\x1b[?1049l$ ", term.Drawing{}},
		{"a program on its screen", "\x1b[?1049h\x1b[9;1Hx\x1b[1;1Hy", term.Drawing{Raised: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := term.New(term.Options{Cols: 40, Rows: 10, Answers: term.AnswerNone})
			s.Write([]byte(tt.written))
			got := s.Snapshot().Drawing
			if all := got.AllRaised; all < got.Raised || strings.Contains(tt.written, "1;1H") && all == 0 {
				t.Errorf("%d in all, of which %d are counted", all, got.Raised)
			}
			if got.AllRaised, got.Placed = 0, 0; got != tt.want {
				t.Errorf("it counts %+v, not %+v", got, tt.want)
			}
		})
	}
}
