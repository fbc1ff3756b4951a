package profile

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
)

const (
	// rowsMax is how many of the last rows are looked at, at most.
	rowsMax = 60
	// cellsMax is how much of a row is looked at, in bytes, at most.
	cellsMax = 1200
)

// view is the part of a screen that rules look at.
type view struct {
	snap   term.Snapshot
	rows   []string // the last rows of the screen; the last of them is not blank
	first  int      // the screen's row of rows[0]
	cursor string   // the cursor's row up to the cursor
	behind string   // what follows the cursor in its row
}

func look(s term.Snapshot) view {
	end := len(s.Lines)
	for end > 0 && s.Lines[end-1].Text == "" {
		end--
	}
	v := view{snap: s, first: max(0, end-rowsMax)}
	v.rows = make([]string, 0, end-v.first)
	for _, l := range s.Lines[v.first:end] {
		v.rows = append(v.rows, text.Cut(l.Text, cellsMax))
	}
	v.cursor, v.behind = AtCursor(s)
	return v
}

// AtCursor returns the cursor's row up to the cursor, and what follows the cursor.
func AtCursor(s term.Snapshot) (before, behind string) {
	if s.CursorRow < 0 || s.CursorRow >= len(s.Lines) {
		return "", ""
	}
	return CutCells(text.Cut(s.Lines[s.CursorRow].Text, cellsMax), s.CursorCol)
}

// last returns the n last rows.
func (v view) last(n int) []string { return v.rows[max(0, len(v.rows)-n):] }

// CutCells cuts a row at a column; a row that ends before the column is filled up with
// blanks.
func CutCells(row string, column int) (before, after string) {
	cells := 0
	for i, r := range row {
		if cells >= column {
			return row[:i], row[i:]
		}
		cells += term.Width(r)
	}
	return row + strings.Repeat(" ", min(max(column-cells, 0), cellsMax)), ""
}
