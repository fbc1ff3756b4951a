package option_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
)

// drawn returns the screen after these rows, whose last has the cursor.
func drawn(rows ...string) term.Snapshot {
	s := term.New(term.Options{Cols: 60, Rows: 16})
	_, _ = s.Write([]byte(strings.Join(rows, "\r\n"))) // never fails
	return s.Snapshot()
}

const unseen = "\x1b[?25l" // hides the cursor

// TestNothingIsAsked: what looks like options is text if it does not stand where a program asks.
func TestNothingIsAsked(t *testing.T) {
	for about, rows := range map[string][]string{
		"an empty screen":                   {""},
		"a list, then a prompt":             {"You can:", "1. go", "2. stay", "> "},
		"a list, then a shell's prompt":     {"1) red", "2) green", "$ "},
		"a list, then a REPL's prompt":      {"1. red", "2. green", "", ">>> "},
		"a list, then a chat's prompt":      {"1. red", "2. green", "", "you> "},
		"a list, then a name":               {"1. red", "2. green", "", "You: "},
		"a list and no prompt":              {"Which?", "1. red", "2. green"},
		"a list that was answered":          {"1) red", "2) green", "#? 2", "picked green", "$ "},
		"a list with a gap":                 {"1) red", "3) blue", "#? "},
		"a list further up":                 {"1) red", "2) green", "no such thing", "really", "#? "},
		"letters that were answered":        {"Proceed? [y/n/t] t"},
		"letters further up":                {"Proceed? [y/n/t] ", "got t", "$ "},
		"letters in a text":                 {"use (a/b) for it "},
		"words of a text":                   {"input (stdin/stdout) "},
		"a path":                            {"cd /usr/local/bin"},
		"a list of words":                   {"It takes (one, two, three): "},
		"a usage":                           {"usage: x [file] [dir] "},
		"a markdown list without a cursor":  {unseen + "Here is what I did:", "", "* one", "* two", "* three"},
		"a block of an agent":               {unseen + "● Here is the plan:", "  first", "  second"},
		"a list above an input":             {unseen + "Which one?", "❯ 1. red", "  2. green", "", "╭──────────────╮", "│ > type here  │", "╰──────────────╯"},
		"lines of an input":                 {unseen + "? ", "──────────────", "❯ one", "  two", "──────────────", "enter to send"},
		"a text of several lines":           {"Which one?", "", "› 1. red", "  2. green", "", "enter to submit · esc to cancel\x1b[2A\x1b[11G"},
		"words that complete what is typed": {unseen + "> /re", "\x1b[7m  /resume\x1b[0m", "  /reset"},
		"a menu that has scrolled up":       {unseen + "? Which?", "❯ red", "  green", "↑↓ navigate", "got red", "working on it", "more"},
		"a menu with text after it":         {unseen + "? Which?", "❯ red", "  green", "↑↓ navigate", "got red"},
		"rows in the shell, with a marker":  {"$ git branch", "* main", "  other", "$ "},
		"a coloured row of a listing":       {"$ ls", "\x1b[34mdir\x1b[0m", "file", "other", "$ "},
		"a list of things to do":            {unseen + "Todo:", "☐ one", "☐ two", "✻ Working (esc to interrupt)"},
		"a box with a text":                 {"┌────────────────┐", "│ done           │", "└────────────────┘", "$ "},
		"a table":                           {"| a | b |", "| 1 | 2 |", "$ "},
		"tags":                              {"<b> <i>", "$ "},
		"two words far apart":               {unseen + "left      right"},
		"a heading in the other colours":    {unseen + "\x1b[7m PID  USER \x1b[0m", " 1  root", " 2  root"},
	} {
		if set, ok := option.Read(drawn(rows...)); ok {
			t.Errorf("%s: %+v", about, set)
		}
	}
}

// TestOptions: the options of screens of no particular program.
func TestOptions(t *testing.T) {
	for about, c := range map[string]struct {
		rows   []string
		labels string
		marked int
	}{
		"a list with brackets":        {[]string{"[1] red", "[2] green", "Your choice: "}, "red green", -1},
		"a list with colons":          {[]string{"Pick one", "1: red", "2: green", "", "Enter a number [1-2]: "}, "red green", -1},
		"a list that ends in 0":       {[]string{"1) red", "2) green", "0) leave", "Select: "}, "red green leave", -1},
		"a question below":            {[]string{"1. small", "2. large", "Which size? "}, "small large", -1},
		"letters":                     {[]string{"Do it? (y/n/a/q) "}, "y n a q", -1},
		"letters with commas":         {[]string{"Stage this [y,n,q,?]? "}, "y n q ?", -1},
		"no brackets":                 {[]string{"Go on y/n? "}, "y n", -1},
		"words":                       {[]string{"sure (yes/no/[fingerprint])? "}, "yes no", -1},
		"words with keys":             {[]string{"Conflict: (k)eep, (r)eplace, (s)kip? "}, "keep replace skip", -1},
		"a bar that is reversed":      {[]string{unseen + "Which colour?", "  red  ", "\x1b[7m  green\x1b[0m", "  blue"}, "red green blue", 1},
		"two buttons":                 {[]string{unseen + "Go on?", "", "  \x1b[7m Yes \x1b[0m    No "}, "Yes No", 0},
		"buttons in brackets":         {[]string{unseen + "Go on?", "", "  [ OK ]  \x1b[7m[ Cancel ]\x1b[0m"}, "OK Cancel", 1},
		"check boxes":                 {[]string{unseen + "Which?", "> [x] red", "  [ ] green", "space to toggle, enter to confirm"}, "red green", 0},
		"check boxes without colours": {[]string{unseen + "Which?", "◻ red", "◻ green", "Space: select • Enter: confirm"}, "red green", -1},
		"a list in a box that has the cursor": {[]string{"╭─────────────╮", "│ Remove it?  │", "│             │", "│ ❯ 1. Yes    │", "│   2. No     │",
			"╰─────────────╯", "  enter to confirm · esc to cancel\x1b[2A\x1b[10G"}, "Yes No", 0},
		"a pointer that has the cursor": {[]string{" Remove it?", "   Yes", " › No", " ↑/↓ to move · enter to choose\x1b[A\x1b[2G"}, "Yes No", 1},
		"long buttons":                  {[]string{unseen + "Go on?", "  [ \x1b[7mYes, and do not ask again\x1b[0m ]  [ Yes ]  [ No ]", "", "←/→ enter"}, "Yes, and do not ask again Yes No", 0},
		"a status below the hints":      {[]string{unseen + "\x1b[?1049hRemove it?", "❯ Yes", "  No", "↑/↓ to move, enter to choose", "~/work  model x", "12:00:01"}, "Yes No", 0},
		"a status, with the cursor":     {[]string{" Remove it?", "   Yes", " › No", " ↑/↓ to move · enter to choose", " model x\x1b[2A\x1b[2G"}, "Yes No", 1},
		"a spinner below":               {[]string{unseen + "Which?", "❯ 1. red", "  2. green", "", "⠋ waiting", "esc to cancel"}, "red green", 0},
	} {
		set, ok := option.Read(drawn(c.rows...))
		var labels []string
		for _, o := range set.Options {
			labels = append(labels, o.Label)
		}
		if got := strings.Join(labels, " "); !ok || got != c.labels || set.Marked != c.marked || set.Text == "" {
			t.Errorf("%s: %v, %q is marked at %d: %+v", about, ok, got, set.Marked, set)
		}
	}
}
