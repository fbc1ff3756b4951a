package term

import (
	"strings"
	"testing"
)

// TestBelow: what is drawn below a line, up and down again for as long as a program likes, is
// kept once for each row.
func TestBelow(t *testing.T) {
	s := New(Options{Cols: 80, Rows: 24})
	s.Lines()
	_, _ = s.Write([]byte("a line\r\x1b[B\x1b[B" + strings.Repeat("\x1b[Aworking on it\r\x1b[B", 1000)))
	if left := s.model.main.lines.left; len(left.below) >= 24 {
		t.Errorf("%d rows are kept below a line that was left, on a screen of 24 rows", len(left.below))
	}
}
