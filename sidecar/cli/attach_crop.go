package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// cropMargin is how many rows below the cursor are shown with it, because agents draw
// under their input.
const cropMargin = 3

// crop shows one terminal in another: all of it or, if ours is too small, the rows
// around the cursor, cut off at our width. It draws from a model of the whole screen,
// so that our terminal obeys nothing that the agent writes.
type crop struct {
	screen *term.Screen
	own    tty.Size
	top    int      // the first row that is shown
	rows   []string // the rows as last drawn; nil: nothing was drawn
	modes  term.Modes
	mouse  bool // the agent gets the mouse, because all of its screen is shown
}

// newCrop returns a crop of an agent's terminal of that size.
func newCrop(agents, own tty.Size) *crop {
	return &crop{
		screen: term.New(term.Options{Cols: int(agents.Cols), Rows: int(agents.Rows), History: -1, Answers: term.AnswerNone}),
		own:    own,
	}
}

// draw returns the bytes that turn what was last drawn on our terminal into what
// should be seen now.
func (c *crop) draw() string {
	s := c.screen.StyledSnapshot()
	c.follow(&s)
	var b strings.Builder
	if c.rows == nil {
		c.rows = make([]string, min(int(c.own.Rows), len(s.Lines)))
		b.WriteString("\x1b[?7l\x1b[2J")
	}
	for y := range c.rows {
		if row := cropped(s.Lines[c.top+y], int(c.own.Cols)); row != c.rows[y] {
			c.rows[y] = row
			fmt.Fprintf(&b, "\x1b[%d;1H%s\x1b[m\x1b[K", y+1, row)
		}
	}
	c.settings(&b, &s)
	if s.CursorShown && s.CursorCol < int(c.own.Cols) && s.CursorRow < c.top+len(c.rows) {
		fmt.Fprintf(&b, "\x1b[%d;%dH\x1b[?25h", s.CursorRow-c.top+1, s.CursorCol+1)
	}
	return "\x1b[?2026h\x1b[?25l" + b.String() + "\x1b[?2026l"
}

// follow scrolls so that the cursor is visible: to the top if the cursor is there,
// otherwise no further than necessary.
func (c *crop) follow(s *term.Snapshot) {
	shown := min(int(c.own.Rows), s.Rows)
	switch {
	case s.CursorRow < shown:
		c.top = 0
	case s.CursorRow < c.top:
		c.top = s.CursorRow
	case s.CursorRow >= c.top+shown:
		c.top = s.CursorRow - shown + 1 + min(cropMargin, shown-1)
	}
	c.top = min(c.top, s.Rows-shown)
}

// settings passes on how keys are sent and what the cursor looks like. If the agent's
// terminal does not fit, the mouse is left out, because its positions would be wrong.
func (c *crop) settings(b *strings.Builder, s *term.Snapshot) {
	old, now := &c.modes, &s.Modes
	for _, m := range []struct {
		old, now bool
		set, off string
	}{
		{old.BracketedPaste, now.BracketedPaste, "\x1b[?2004h", "\x1b[?2004l"},
		{old.AppCursor, now.AppCursor, "\x1b[?1h", "\x1b[?1l"},
		{old.AppKeypad, now.AppKeypad, "\x1b=", "\x1b>"},
		{old.FocusEvents, now.FocusEvents, "\x1b[?1004h", "\x1b[?1004l"},
	} {
		switch {
		case m.now && !m.old:
			b.WriteString(m.set)
		case m.old && !m.now:
			b.WriteString(m.off)
		}
	}
	if old.KittyKeyboard != now.KittyKeyboard {
		fmt.Fprintf(b, "\x1b[=%du", now.KittyKeyboard)
	}
	if old.CursorStyle != now.CursorStyle {
		fmt.Fprintf(b, "\x1b[%d q", now.CursorStyle)
	}
	if c.mouse {
		mouse(b, old, now)
	}
	c.modes = s.Modes
}

// mouse passes on which mouse events the agent asked for.
func mouse(b *strings.Builder, old, now *term.Modes) {
	if old.Mouse != now.Mouse {
		if old.Mouse != 0 {
			fmt.Fprintf(b, "\x1b[?%dl", old.Mouse)
		}
		if now.Mouse != 0 {
			fmt.Fprintf(b, "\x1b[?%dh", now.Mouse)
		}
	}
	switch {
	case now.MouseSGR && !old.MouseSGR:
		b.WriteString("\x1b[?1006h")
	case old.MouseSGR && !now.MouseSGR:
		b.WriteString("\x1b[?1006l")
	}
}

// cropped returns a row as it is drawn in cols columns.
func cropped(l term.Line, cols int) string {
	var b strings.Builder
	col := 0
	for _, r := range l.Runs {
		b.WriteString(pen(r.Style))
		for _, c := range r.Text {
			if !text.Safe(c) && c != utf8.RuneError {
				continue // it has no width
			}
			w := term.Width(c)
			if col+w > cols {
				return b.String()
			}
			col += w
			b.WriteRune(c)
		}
	}
	return b.String()
}

// pen returns the sequence that selects a style for the text that follows.
func pen(s term.Style) string {
	b := []byte("\x1b[0")
	for _, a := range []struct {
		on   bool
		code int
	}{{s.Bold, 1}, {s.Faint, 2}, {s.Italic, 3}, {s.Underline, 4}, {s.Blink, 5}, {s.Reverse, 7}, {s.Hidden, 8}, {s.Strike, 9}} {
		if a.on {
			b = fmt.Appendf(b, ";%d", a.code)
		}
	}
	for i, c := range []term.Color{s.Fg, s.Bg} {
		if n, ok := c.Palette(); ok {
			b = fmt.Appendf(b, ";%d;5;%d", 38+10*i, n)
		} else if r, g, blue, ok := c.RGB(); ok {
			b = fmt.Appendf(b, ";%d;2;%d;%d;%d", 38+10*i, r, g, blue)
		}
	}
	return string(append(b, 'm'))
}
