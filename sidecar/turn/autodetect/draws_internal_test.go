package autodetect

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// TestDraws: a program is known by what it does, at the moment at which a message comes.
func TestDraws(t *testing.T) {
	line, keys := tty.Mode{Canonical: true, Echo: true}, tty.Mode{}
	rule := strings.Repeat("─", 30)
	ink := strings.Repeat("\x1b[2K\x1b[1A\x1b[2K\x1b[G* Thinking\r\n> ", 5)
	tests := []struct {
		name, written string
		mode          tty.Mode
		state         profile.State
		want          bool
	}{
		{name: "cat", written: "", mode: line},
		{name: "a script that asks", written: "name? ", mode: line},
		{name: "a script with a progress bar", written: "\x1b[?25l" + ink + "\x1b[?25h\r\n$ ", mode: line},
		{name: "bash", written: "\x1b[?2004h$ ", mode: keys},
		{name: "bash after an agent has run", written: "\x1b[?2004h$ agent\r\n\x1b[?2004l\x1b[?25l" + ink + "\x1b[?25h\r\n\x1b[?2004h$ ", mode: keys},
		{name: "bash after less has run", written: "$ less x\r\n\x1b[?1049h\x1b[9;1H:\x1b[1;1Hx\x1b[?1049l$ ", mode: keys},
		{name: "node, after a line that wraps was edited", written: "> " + strings.Repeat("x", 60) + "\x1b[1A\r\x1b[J> x" + strings.Repeat("y", 60), mode: keys},
		{name: "fish, whose prompt has two rows", written: "\x1b[?2004h~/work\r\n> \x1b[1A\r~/work \x1b[32mmain\x1b[0m\r\n> ", mode: keys},
		{name: "prompt_toolkit", written: "\x1b[?2004h\x1b[?25l\x1b[?7lIn [1]: \x1b[?7h\x1b[?25h", mode: keys},
		{name: "Ink", written: "Welcome\r\n\x1b[?25l> Ask me", mode: keys, want: true},
		{name: "Ink, which shows the cursor", written: "Welcome\r\n> " + ink, mode: keys, want: true},
		{name: "an input with a footer", written: "\x1b[?2004h\x1b[?2026h› \r\n\r\n  ? for help\x1b[2A\x1b[3G\x1b[?2026l", mode: keys, want: true},
		{name: "an input in a box", written: rule + "\r\n> \r\n" + rule + "\x1b[1A\x1b[3G", mode: keys, want: true},
		{name: "the alternate screen", written: "\x1b[?1049h› ", mode: keys, want: true},
		{name: "less, of which no mode is known", written: "\x1b[?1049h:", mode: line, want: true},
		{name: "a dialog", written: "Trust?", mode: keys, state: profile.Dialogue, want: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := term.New(term.Options{Cols: 40, Rows: 12, Answers: term.AnswerNone})
			s.Write([]byte(tt.written))
			v := console.Observation{Screen: s.Snapshot(), Verdict: state.Verdict{State: tt.state}}
			if got := Draws(v, tt.mode); got != tt.want {
				t.Errorf("draws is %v of\n%s\n%+v", got, v.Screen.Text(), v.Screen.Drawing)
			}
		})
	}
}
