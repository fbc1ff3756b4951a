package option_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
)

// drawnOn returns what a large screen shows after these rows, whose last has the cursor.
func drawnOn(columns int, rows ...string) term.Snapshot {
	s := term.New(term.Options{Cols: columns, Rows: 100})
	_, _ = s.Write([]byte(strings.Join(rows, "\r\n"))) // never fails
	return s.Snapshot()
}

func numbered(n int, form string) (rows []string) {
	for i := range n {
		rows = append(rows, fmt.Sprintf(form, i+1))
	}
	return rows
}

func around(first []string, middle []string, last ...string) []string {
	return append(append(append([]string{}, first...), middle...), last...)
}

// TestLimits holds each limit: what is as large as it may be is a question, and what is larger by
// one is none.
func TestLimits(t *testing.T) {
	ask := []string{unseen + "Which one?"}
	menu := []string{unseen + "Which one?", "❯ red", "  green"}
	for about, c := range map[string]struct {
		limit int
		rows  func(n int) []string
	}{
		"options": {60, func(n int) []string {
			var rows []string
			for i := 0; i < n; i += 2 {
				row := fmt.Sprintf("%d) x", i+1)
				if i+1 < n {
					row += fmt.Sprintf("   %d) y", i+2)
				}
				rows = append(rows, row)
			}
			return append(rows, "#? ")
		}},
		"rows": {60, func(n int) []string {
			rows := []string{"┌────────────────┐", "│ Go on?         │"}
			for len(rows) < n-3 {
				rows = append(rows, "│                │")
			}
			return append(rows, "│ <Yes>  <No>    │", "│                │", "└────────────────┘\x1b[2A\x1b[4G")
		}},
		"bytes of a row": {1200, func(n int) []string {
			return []string{strings.Repeat("é", (n-6)/2) + strings.Repeat("x", n%2) + " [y/n]"}
		}},
		"rows below": {11, func(n int) []string { return around(menu, numbered(n, "enter %d to confirm")) }},
		"rows of a status": {3, func(n int) []string {
			return around([]string{"\x1b[?1049h" + menu[0], menu[1], menu[2], "enter to confirm"}, numbered(n, "status %d"))
		}},
		"rows of a remark": {3, func(n int) []string { return around(append(menu, ""), numbered(n, "remark %d"), "↑↓ navigate") }},
		"blank rows above": {3, func(n int) []string { return around(ask, numbered(n, "\x1b[%dG"), "❯ red", "  green") }},
		"rows to a count": {3, func(n int) []string {
			return around([]string{unseen + "❯ red", "  green"}, numbered(n-1, "\x1b[%dG"), "2/2")
		}},
		"a line above": {7, func(n int) []string {
			return append([]string{unseen + "Which one?", strings.Repeat("─", n)}, "❯ red", "  green")
		}},
		"a separator": {30, func(n int) []string {
			return append(append(ask, "❯ red", "  green"), strings.Repeat("─", n), "  blue", "enter to confirm")
		}},
		"bytes of choices": {240, func(n int) []string { return []string{"Which? " + choices(n)} }},
		"columns of a button": {24, func(n int) []string {
			return []string{unseen + "Go on?", "", "\x1b[7m" + strings.Repeat("x", n) + "\x1b[m   no"}
		}},
		"columns with signs": {40, func(n int) []string {
			return []string{unseen + "Go on?", "", "\x1b[7m[ " + strings.Repeat("x", n) + " ]\x1b[m [ no ]"}
		}},
		"buttons": {8, func(n int) []string {
			return []string{unseen + "Go on?", "", "\x1b[7m a \x1b[m  " + strings.Join(numbered(n-1, "b%d"), "  ")}
		}},
		"keys in a row": {8, func(n int) []string {
			return []string{unseen + "Go on?", strings.Join(numbered(n-1, "%d: go on"), "  ") + "  y: yes  " + strings.Repeat("x", 30)}
		}},
		"columns of a key":   {24, func(n int) []string { return []string{unseen + "Go on?", "y: yes  n: " + strings.Repeat("x", n)} }},
		"numbers of a range": {12, func(n int) []string { return []string{fmt.Sprintf("Your choice [1-%d]: ", n)} }},
		"padding of a button": {4, func(n int) []string {
			return []string{unseen + "Go on?", "", " \x1b[45m" + strings.Repeat(" ", n) + "Yes \x1b[m  \x1b[48;5;235m No \x1b[m"}
		}},
	} {
		for _, n := range []int{c.limit, c.limit + 1} {
			set, ok := option.Read(drawnOn(1000, c.rows(n)...))
			if ok = ok && (about != "a separator" || len(set.Options) == 3) && (about != "keys in a row" || len(set.Options) == n) && (about != "padding of a button" || set.Marked == 0); ok != (n == c.limit) {
				t.Errorf("%s: %d: %v %+v", about, n, ok, set)
			}
		}
	}
}

// choices returns choices of n bytes.
func choices(n int) string {
	s := "[y"
	for i := 0; len(s) < n-16; i++ {
		s += "/" + strings.Repeat(string(rune('a'+i)), 14)
	}
	return s + "/" + strings.Repeat("z", n-len(s)-2) + "]"
}

// TestWhatIsCut holds the limits of the texts of a question: what is longer is cut.
func TestWhatIsCut(t *testing.T) {
	set, _ := option.Read(drawnOn(1000, unseen+"Which one?", "❯ "+strings.Repeat("x", 300), "  green"))
	if len(set.Options) != 2 || len(set.Options[0].Label) != 200 {
		t.Errorf("a label of 300 bytes: %+v", set)
	}
	set, _ = option.Read(drawnOn(80, around([]string{unseen}, numbered(10, "%d rows?"), "❯ red", "  green")...))
	if set.Text != strings.Join(numbered(10, "%d rows?")[2:], " ") {
		t.Errorf("ten rows of text: %q", set.Text)
	}
	bar := around([]string{unseen + "┃ Go on?", "┃"}, numbered(40, "┃ %d "+strings.Repeat("x", 400)), "┃ \x1b[7m Go \x1b[m   Stay       enter confirm")
	set, _ = option.Read(drawnOn(1000, bar...))
	if len(set.Detail) != 8<<10 {
		t.Errorf("16 KiB of detail: %d bytes", len(set.Detail))
	}
}

// TestHintGap holds how far a hint stands from the buttons to its left.
func TestHintGap(t *testing.T) {
	for n, want := range map[int]bool{3: false, 4: true} {
		row := "\x1b[7m Go \x1b[m  Stay" + strings.Repeat(" ", n) + "enter confirm"
		if set, ok := option.Read(drawnOn(80, unseen+"Go on?", "", row)); ok != want {
			t.Errorf("%d blanks: %v %+v", n, ok, set)
		}
	}
}
