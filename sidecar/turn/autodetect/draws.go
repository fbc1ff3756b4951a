package autodetect

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// Draws reports whether a program draws its screen. A program that lets the terminal
// edit lines does not, and a line editor leaves nothing below its cursor, shows the cursor
// and redraws nothing while nobody types. A program that does otherwise draws a screen, and
// so does one that uses the alternate screen, asks for a key, or has put its input in a box.
func Draws(v console.Observation, mode tty.Mode) bool {
	s := v.Screen
	switch {
	case s.Alternate:
		return true
	case mode.Canonical:
		return false
	case boxed(v), v.Verdict.State == profile.Dialogue:
		return true
	case !s.CursorShown:
		return true
	case s.Drawing.Redraws():
		return true
	}
	return below(v)
}

// below reports whether there is text below the cursor's row.
func below(v console.Observation) bool {
	for _, l := range v.Screen.Lines[min(v.Screen.CursorRow+1, len(v.Screen.Lines)):] {
		if strings.TrimSpace(l.Text) != "" {
			return true
		}
	}
	return false
}

// boxed reports whether the cursor is inside a drawn box: there are rows of lines
// above and below it.
func boxed(v console.Observation) bool {
	above, below := false, false
	for i, l := range v.Screen.Lines {
		if frame(l.Text) {
			above = above || i < v.Screen.CursorRow
			below = below || i > v.Screen.CursorRow
		}
	}
	return above && below
}

// frame reports whether a row is mostly the side of a box.
func frame(row string) bool {
	n, all := 0, 0
	for _, c := range row {
		if c == ' ' {
			continue
		}
		all++
		if 0x2500 <= c && c <= 0x259f {
			n++
		}
	}
	return n >= 8 && n*2 > all
}
