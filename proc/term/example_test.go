package term_test

import (
	"fmt"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// The model shows what a person would see: what was overwritten is gone.
func ExampleScreen() {
	s := term.New(term.Options{Cols: 20, Rows: 3})
	fmt.Fprint(s, "loading 10%\rloading 99%\r\n\x1b]0;build\a\x1b[1mready>\x1b[0m ")
	snap := s.Snapshot()
	fmt.Println(snap.Lines[0].Text)
	fmt.Println(snap.Lines[1].Text)
	fmt.Println("cursor in row", snap.CursorRow, "column", snap.CursorCol, "title", snap.Title)
	// Output:
	// loading 99%
	// ready>
	// cursor in row 1 column 7 title build
}
