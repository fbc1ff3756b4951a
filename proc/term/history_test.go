package term_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// historyOf joins rows with |; a row that goes on ends with +.
func historyOf(rows []term.Line) string {
	var text []string
	for _, l := range rows {
		if l.Wrapped {
			l.Text += "+"
		}
		text = append(text, l.Text)
	}
	return strings.Join(text, "|")
}

func TestHistory(t *testing.T) {
	for _, test := range []struct {
		name, in, want string
		scrolled       uint64
	}{
		{"what scrolls off", "1\r\n2\r\n3\r\n4\r\n5", "1|2", 2},
		{"wrapped rows", "0123456789abc\r\n\r\n\r\n", "0123456789+|abc", 2},
		{"by a region at the top", "1\r\n2\r\n3\x1b[1;2r\x1b[2;1H\n\n", "1|2", 2},
		{"not by a region below", "1\r\n2\r\n3\x1b[2;3r\x1b[3;1H\n\n", "", 0},
		{"by SU", "1\r\n2\r\n3\x1b[2S", "1|2", 2},
		{"not by erasing or deleting", "1\r\n2\r\n3\x1b[H\x1b[M\x1b[2J", "", 0},
		{"not on the alternate screen", "1\x1b[?1049h\x1b[9;1H\n\n\n\x1b[?1049l", "", 0},
		{"wide and marks", "世e\u0301\r\n\n\n\n", "世e\u0301|", 2},
		{"blanks within", "a\x1b[5Gb\r\n\n\n", "a   b", 1},
	} {
		s := screen(10, 3, test.in)
		rows, first := s.History(0)
		if got := historyOf(rows); got != test.want || first != 0 {
			t.Errorf("%s: %q from %d, not %q", test.name, got, first, test.want)
		}
		if got := s.Snapshot().Scrolled; got != test.scrolled {
			t.Errorf("%s: scrolled %d rows, not %d", test.name, got, test.scrolled)
		}
	}
}

func TestHistoryIsNumbered(t *testing.T) {
	s := screen(20, 3)
	for i := range 1000 {
		write(s, fmt.Sprintf("row %d\r\n", i))
	}
	rows, first := s.History(990)
	if got := historyOf(rows); first != 990 || got != "row 990|row 991|row 992|row 993|row 994|row 995|row 996|row 997" {
		t.Error(first, got)
	}
	if rows, first := s.History(998); len(rows) != 0 || first != 998 {
		t.Error(first, rows)
	}
	if rows, first := s.History(5000); len(rows) != 0 || first != 5000 {
		t.Error(first, rows)
	}
	// Cleared by the program: the numbers go on.
	write(s, "\x1b[3J")
	if rows, first := s.History(0); len(rows) != 0 || first != 998 {
		t.Error(first, len(rows))
	}
	write(s, "more\r\n")
	if rows, first := s.History(0); first != 998 || historyOf(rows) != "row 998" {
		t.Error(first, historyOf(rows))
	}
	write(s, "\x1bc")
	if rows, first := s.History(0); len(rows) != 0 || first != 999 || s.Snapshot().Scrolled != 999 {
		t.Error(first, len(rows))
	}
}

// TestHistoryIsBounded: the oldest go first, and what is kept is about as much as
// was asked for.
func TestHistoryIsBounded(t *testing.T) {
	const limit = 100_000
	for _, row := range []string{strings.Repeat("x", 76), "", "世界"} {
		s := term.New(term.Options{Cols: 80, Rows: 5, History: limit})
		for i := range 100_000 {
			write(s, row+"\r\n")
			if i%9999 != 0 {
				continue
			}
			rows, first := s.History(0)
			cost := 0
			for _, l := range rows {
				cost += len(l.Text) + 16
			}
			if first+uint64(len(rows)) != s.Snapshot().Scrolled {
				t.Fatal("rows are missing at the end")
			}
			if cost > limit+100_000 || first > 0 && cost < limit {
				t.Fatalf("%d bytes of rows %q are kept", cost, row)
			}
		}
	}
	// Within a frame it ends where the snapshot begins.
	s := screen(10, 2, "1\r\n2\r\n3\r\n4\x1b[?2026h\r\n5\r\n6")
	if rows, _ := s.History(0); historyOf(rows) != "1|2" || s.Snapshot().Scrolled != 2 || s.Snapshot().Text() != "3\n4" {
		t.Errorf("%q", historyOf(rows))
	}
	write(s, "\x1b[?2026l")
	if rows, _ := s.History(0); historyOf(rows) != "1|2|3|4" {
		t.Errorf("%q", historyOf(rows))
	}
	s = term.New(term.Options{Rows: 5, History: -1})
	write(s, strings.Repeat("x\r\n", 100))
	if rows, first := s.History(0); len(rows) != 0 || first != 96 {
		t.Error(first, len(rows))
	}
}

func TestResize(t *testing.T) {
	for _, test := range []struct {
		name, in      string
		cols, rows    int
		want, history string
		row, col      int
	}{
		{"rows below the cursor go first", "1\r\n2\r\n3\r\n4\r\n5\x1b[2;1H", 10, 3, "1|2|3", "", 1, 0},
		{"then those at the top", "1\r\n2\r\n3\r\n4\r\n5\x1b[4;1H", 10, 2, "3|4", "1|2", 1, 0},
		{"taller", "1\r\n2\r\n3\r\n4\r\n5", 10, 7, "1|2|3|4|5", "", 4, 1},
		{"narrower", "0123456789\r\nab世\x1b[1;10H", 3, 5, "012|ab", "", 0, 2},
		{"wider", "0123456789abc", 20, 5, "0123456789|abc", "", 1, 3},
		{"the main screen behind the alternate one", "1\r\n2\r\n3\r\n4\r\n5\x1b[?1049h\x1b[H", 10, 2, "", "1|2|3", 0, 0},
	} {
		s := screen(10, 5, test.in)
		s.Resize(test.cols, test.rows)
		snap := s.Snapshot()
		rows, _ := s.History(0)
		if got := strings.ReplaceAll(snap.Text(), "\n", "|"); got != test.want || historyOf(rows) != test.history {
			t.Errorf("%s: shows %q, history %q", test.name, got, historyOf(rows))
		}
		if snap.CursorRow != test.row || snap.CursorCol != test.col {
			t.Errorf("%s: the cursor is at %d,%d", test.name, snap.CursorRow, snap.CursorCol)
		}
		if snap.Cols != test.cols || snap.Rows != test.rows || len(snap.Lines) != test.rows {
			t.Errorf("%s: %dx%d with %d lines", test.name, snap.Cols, snap.Rows, len(snap.Lines))
		}
	}
	// The cursor that is kept for the main screen goes up with its row.
	behind := screen(10, 5, "1\r\n2\r\n3\r\n4\r\n5\x1b[?1049h")
	behind.Resize(10, 2)
	write(behind, "\x1b[?1049lx")
	if got := behind.Snapshot().Text(); got != "4\n5x" {
		t.Errorf("%q", got)
	}
	// The margins are those of the new size, and what was wrapped still is.
	s := screen(10, 5, "0123456789abc\x1b[2;3r")
	s.Resize(10, 8)
	write(s, "\x1b[8;1Hx")
	snap := s.Snapshot()
	if unwrap(snap.Lines) != "0123456789abc\n\n\n\n\n\nx" {
		t.Errorf("%q", unwrap(snap.Lines))
	}
	for _, size := range [][2]int{{0, 0}, {-1, -1}, {1, 1}, {1 << 20, 1 << 20}} {
		s.Resize(size[0], size[1])
		if snap := s.Snapshot(); snap.Cols < 2 || snap.Cols > 1000 || snap.Rows < 1 || snap.Rows > 500 {
			t.Errorf("%v gives %dx%d", size, snap.Cols, snap.Rows)
		}
	}
}
