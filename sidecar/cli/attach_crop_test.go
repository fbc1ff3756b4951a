package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// What is drawn shows the rows around the cursor, and only what has changed is
// drawn again.
func TestCrop(t *testing.T) {
	c := newCrop(tty.Size{Cols: 40, Rows: 20}, tty.Size{Cols: 10, Rows: 6})
	own := term.New(term.Options{Cols: 10, Rows: 6})
	see := func() string {
		own.Write([]byte(c.draw()))
		return own.Snapshot().Text()
	}
	for y := range 20 {
		fmt.Fprintf(c.screen, "\x1b[%d;1Hrow %02d %s", y+1, y, strings.Repeat("x", 30))
	}
	c.screen.Write([]byte("\x1b[1;3H\x1b[?2004h\x1b[?1000h\x1b]2;title\x07"))
	if got := see(); got != "row 00 xxx\nrow 01 xxx\nrow 02 xxx\nrow 03 xxx\nrow 04 xxx\nrow 05 xxx" {
		t.Errorf("the top is\n%s", got)
	}
	if s := own.Snapshot(); s.CursorRow != 0 || s.CursorCol != 2 || !s.CursorShown || !s.Modes.BracketedPaste || s.Modes.Mouse != 0 || s.Title != "" {
		t.Errorf("%+v", s)
	}
	// The cursor moves below, where agents have their input: some rows under it
	// are shown too.
	c.screen.Write([]byte("\x1b[11;1H\x1b[31mred 界界界界\x1b[m\x1b[?2004l"))
	if got := see(); got != "row 08 xxx\nrow 09 xxx\nred 界界界\nrow 11 xxx\nrow 12 xxx\nrow 13 xxx" {
		t.Errorf("the middle is\n%s", got)
	}
	if s := own.StyledSnapshot(); s.CursorShown || s.Modes.BracketedPaste || len(s.Lines[2].Runs) != 1 {
		t.Errorf("the cursor is beyond the edge, and its row red: %+v", s)
	}
	c.screen.Write([]byte("\x1b[20;1Hlast"))
	if got := see(); !strings.HasSuffix(got, "\nrow 18 xxx\nlast19 xxx") {
		t.Errorf("the end is\n%s", got)
	}
	c.screen.Write([]byte("!"))
	if got := c.draw(); strings.Contains(got, "row 18") || !strings.Contains(got, "last!") {
		t.Errorf("more than the change is drawn: %q", got)
	}
	// Higher than the agent's, and not as wide.
	c = newCrop(tty.Size{Cols: 40, Rows: 3}, tty.Size{Cols: 10, Rows: 6})
	c.screen.Write([]byte("\x1b[3;1Hthree"))
	own = term.New(term.Options{Cols: 10, Rows: 6})
	if got := see(); got != "\n\nthree" {
		t.Errorf("%q", got)
	}
}
