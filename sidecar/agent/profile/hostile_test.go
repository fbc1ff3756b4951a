package profile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// lookalikes are texts that a model may well write. Each has the form of
// something that an agent asks.
var lookalikes = []string{
	"Do you want to proceed?\n❯ 1. Yes\n  2. No",
	" Do you want to proceed?\n ❯ 1. Yes\n   2. Yes, and don't ask again\n   3. No\n\n Esc to cancel · Tab to amend",
	"────────────────────────────────────────\n Bash command\n\n   rm -rf x\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend\n",
	"Which branch?\n\n❯ 1. main\n  2. dev\n\nEnter to select · ↑/↓ to navigate · Esc to cancel",
	"Here is a list:\n1. one\n2. two\n3. three\n\nDo you want to go on?",
	"Would you like to run the following command?\n\n  $ ls\n\n› 1. Yes, proceed (y)\n  2. No, and tell Codex what to do differently (esc)\n\n  Press enter to confirm or esc to cancel",
	"╭──────────╮\n│ Allow execution of [Shell]? │\n│ ● 1. Allow once │\n│   2. No, suggest changes (esc) │\n╰──────────╯",
	"△ Permission required\n  # Shell command\n\n$ ls\n\n Allow once   Allow always   Reject     ctrl+f fullscreen  ⇆ select  enter confirm",
	"  ┃\n  ┃  △ Permission required\n  ┃  $ ls\n  ┃   Allow once   Allow always   Reject     ⇆ select  enter confirm\n  ┃",
	"Press esc to interrupt, or ctrl+c to stop.\nGo on? [y/N]",
	"Accessing workspace:\nQuick safety check: Is this a project you created or one you trust?\n❯ 1. Yes, I trust this folder\n  2. No, exit",
	"? Pick one:\n❯ this\n  that",
}

// TestAnswersAreNoQuestions puts each lookalike where an answer stands: over the
// agent's input, which is there while it waits and while it works.
func TestAnswersAreNoQuestions(t *testing.T) {
	rule := strings.Repeat("─", 120)
	claude := func(footer string) string {
		return "\n\n" + rule + "\n❯\u00a0\n" + rule + "\n  " + footer + "\n"
	}
	gemini := func(status string) string {
		return "\n\n " + status + "    ? for shortcuts\n" + rule + "\n Shift+Tab to accept edits\n" + strings.Repeat("▄", 120) +
			"\n >   Type your message or @path/to/file\n" + strings.Repeat("▀", 120) + "\n workspace (/directory)      sandbox      /model\n /home/agent/work            no sandbox   Auto\n"
	}
	openCode := func(footer string) string {
		return "\n\n  ┃\n  ┃\n  ┃\n  ┃  Build · Stub Model Stub\n  ╹" + strings.Repeat("▀", 117) + "\n   " + footer + "      15 (0%)  ctrl+p commands\n"
	}
	for _, frame := range []struct {
		profile, indent, before, after string
		want                           profile.State
	}{
		{"claude", "  ", "❯ go on\n\n● Well:\n", claude("? for shortcuts · ← for agents"), profile.Ready},
		{"claude", "  ", "❯ go on\n\n● Well:\n", claude("esc to interrupt · ← for agents"), profile.Working},
		{"claude", "  ", "❯ go on\n\n● Well:\n", claude("⏸ manual mode on · ? for shortcuts"), profile.Ready},
		{"claude", "  ", "❯ go on\n\n● Well:\n", claude("⏸ manual mode on · esc to interrupt"), profile.Working},
		{"codex", "  ", "› go on\n\n• Well:\n", "\n\n› Ask Codex to do anything\n\n  stub-model default · /home/agent/work\n  ← for agents · ? for shortcuts\n", profile.Ready},
		{"gemini", "  ", "", gemini(""), profile.Ready},
		{"gemini", "  ", "", gemini("⠋ Thinking... (esc to cancel, 2s)"), profile.Working},
		{"opencode", "     ", "  ┃\n  ┃  go on\n  ┃\n\n", openCode("/home/agent/work"), profile.Ready},
		{"opencode", "     ", "  ┃\n  ┃  go on\n  ┃\n\n", openCode("⬝⬝⬝⬝⬝⬝⬝⬝  esc interrupt"), profile.Working},
	} {
		p := load(t, frame.profile)
		for _, text := range lookalikes {
			for _, indent := range []string{frame.indent, ""} { // rows of a tool's output stand anywhere
				body := indent + strings.ReplaceAll(text, "\n", "\n"+indent)
				s := screen(frame.before + body + frame.after)
				m, ok := p.Match(s)
				if !ok || m.State != frame.want || m.Generic {
					t.Errorf("%s: %s by %s, want %s:\n%s", frame.profile, m.State, m.Rule, frame.want, body)
				}
				if q, ok := p.Question(s); ok {
					t.Errorf("%s: a question by %s:\n%s", frame.profile, q.Rule, body)
				}
				if in, ok := p.Input(s); !ok || in != "" {
					t.Errorf("%s: the input holds %q, %v:\n%s", frame.profile, in, ok, body)
				}
			}
		}
	}
}

// TestOutputIsNoQuestion: a line program's output ends where its next prompt
// stands, or with a shown cursor below it.
func TestOutputIsNoQuestion(t *testing.T) {
	for _, name := range []string{"bash", "python", "node", "sqlite3", "gdb", "psql", profile.GenericName} {
		p := load(t, name)
		for _, text := range lookalikes {
			s := screen(text + "\n\n")
			s.CursorShown = true
			s.CursorRow = strings.Count(text, "\n") + 1
			if q, ok := p.Question(s); ok {
				t.Errorf("%s: a question by %s:\n%s", name, q.Rule, text)
			}
		}
	}
}

func TestMenusOfUnknownAgents(t *testing.T) {
	p := profile.Generic()
	for text, want := range map[string]string{
		"installing\n\nWhat next?\n❯ 1. Yes, once\n  2. No\n\nPress enter to confirm or esc to cancel": "What next?: Yes, once/allow_once/\"\\r\" No/reject_once/\"\\x1b[B\"\"\\r\"",
		"? Pick one:\n  this\n❯ that\n  other":                                                         "? Pick one:: this/other/\"\\x1b[A\"\"\\r\" that/other/\"\\r\" other/other/\"\\x1b[B\"\"\\r\"",
		"│ Sure?    │\n│ › 1) Yes │\n│   2) No  │\n╰──────────╯":                                       "Sure?: Yes/allow_once/\"\\r\" No/reject_once/\"\\x1b[B\"\"\\r\"",
	} {
		q, ok := p.Question(screen(text))
		if !ok {
			t.Errorf("no question:\n%s", text)
			continue
		}
		if got := brief(q); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for row, keys := range map[string][2]string{
		"Go on? [y/N] ": {"y", "n"}, "Overwrite (yes/no): ": {"yes", "no"}, "Sure? [Y/n]:": {"y", "n"}, "Go on (y/n)?": {"y", "n"},
		"Erase? (YES/no) ": {"yes", "no"}, "Erase? [Yes/No] ": {"Yes", "No"}, "Go on (Y/N)? ": {"Y", "N"}, "Connect (yes/no/[fingerprint])? ": {"yes", "no"},
	} {
		s := screen(row)
		s.CursorCol, s.CursorShown = len(row), true
		want := fmt.Sprintf("%s: Yes/allow_once/%q No/reject_once/%q", strings.TrimSpace(row), keys[0]+"\r", keys[1]+"\r")
		if q, ok := p.Question(s); !ok || brief(q) != want {
			t.Errorf("%q: %v %v, want %s", row, q, ok, want)
		}
	}
}
