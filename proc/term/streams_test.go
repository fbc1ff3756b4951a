package term_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// TestAgreesWithTmuxAndXterm: testdata/streams are byte streams with the text
// and cursor that tmux and xterm.js both end with.
func TestAgreesWithTmuxAndXterm(t *testing.T) {
	files, err := filepath.Glob("testdata/streams/*.json")
	if err != nil || len(files) < 30 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".json")
		t.Run(filepath.Base(name), func(t *testing.T) {
			var want struct {
				Cols, Rows int
				Row        int `json:"cursor_row"`
				Col        int `json:"cursor_col"`
				Alternate  bool
			}
			if err := json.Unmarshal([]byte(read(t, file)), &want); err != nil {
				t.Fatal(err)
			}
			s := term.New(term.Options{Cols: want.Cols, Rows: want.Rows})
			if _, err := s.Write([]byte(read(t, name+".bin"))); err != nil {
				t.Fatal(err)
			}
			snap := s.Snapshot()
			if diff := cmp.Diff(screenText(read(t, name+".txt")), screenText(snap.Text())); diff != "" {
				t.Error(diff)
			}
			// With the last column written and a wrap pending, tmux says that the
			// cursor is beyond the row.
			if col := min(want.Col, want.Cols-1); snap.CursorRow != want.Row || snap.CursorCol != col {
				t.Errorf("the cursor is at %d,%d, not at %d,%d", snap.CursorRow, snap.CursorCol, want.Row, col)
			}
			if snap.Alternate != want.Alternate {
				t.Errorf("alternate: %v", snap.Alternate)
			}
		})
	}
}

func read(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// screenText are the rows of a screen without blanks at their ends and without
// empty rows at the end.
func screenText(text string) []string {
	rows := strings.Split(text, "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}
