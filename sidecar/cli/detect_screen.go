package cli

import (
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// shownScreen is a screen as it is printed. Rows and columns are counted from 1.
type shownScreen struct {
	Cols      int         `json:"cols"`
	Rows      int         `json:"rows"`
	Title     string      `json:"title,omitempty"`
	Alternate bool        `json:"alternate,omitempty"`
	Cursor    shownCursor `json:"cursor"`
	Lines     []string    `json:"lines"` // without the blank rows at the end
}

type shownCursor struct {
	Row    int  `json:"row"`
	Col    int  `json:"col"`
	Hidden bool `json:"hidden,omitempty"`
}

func showScreen(s term.Snapshot) *shownScreen {
	shown := &shownScreen{
		Cols: s.Cols, Rows: s.Rows, Title: s.Title, Alternate: s.Alternate,
		Cursor: shownCursor{Row: s.CursorRow + 1, Col: s.CursorCol + 1, Hidden: !s.CursorShown}, Lines: []string{},
	}
	end := len(s.Lines)
	for end > 0 && s.Lines[end-1].Text == "" {
		end--
	}
	for _, l := range s.Lines[:end] {
		shown.Lines = append(shown.Lines, l.Text)
	}
	return shown
}

// framed returns the screen in a frame with marks that point to the cursor. The rows are
// unchanged, so that patterns can be copied from them.
func (s *shownScreen) framed() string {
	const margin = "          "
	var b strings.Builder
	edge := func(left, mark, right string) {
		fmt.Fprintf(&b, "%s%s%s%s%s%s\n", margin, left, strings.Repeat("─", s.Cursor.Col-1), mark, strings.Repeat("─", max(0, s.Cols-s.Cursor.Col)), right)
	}
	edge("┌", "▼", "┐")
	for i := range max(len(s.Lines), s.Cursor.Row) {
		row := ""
		if i < len(s.Lines) {
			row = printable(s.Lines[i])
		}
		width := 0
		for _, r := range row {
			width += term.Width(r)
		}
		left, right := "│", "│"
		if i+1 == s.Cursor.Row {
			left, right = "▶", "◀"
		}
		fmt.Fprintf(&b, "%8d  %s%s%s%s\n", i+1, left, row, strings.Repeat(" ", max(0, s.Cols-width)), right)
	}
	edge("└", "▲", "┘")
	fmt.Fprintf(&b, "%scursor %d,%d", margin, s.Cursor.Row, s.Cursor.Col)
	if s.Cursor.Hidden {
		b.WriteString(" (hidden)")
	}
	fmt.Fprintf(&b, " of %d rows, %d columns", s.Rows, s.Cols)
	if s.Alternate {
		b.WriteString("; alternate screen")
	}
	if s.Title != "" {
		fmt.Fprintf(&b, "; title %q", s.Title)
	}
	return b.String() + "\n"
}
