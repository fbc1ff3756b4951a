package tty

import (
	"bytes"

	"github.com/a2a-sidecar/sidecar/internal/escape"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// modeTracker follows which screen the output of a process has selected. This is the only mode
// that cannot be reset without knowing it: the sequence that leaves the alternate screen also
// moves the cursor when the main screen is shown.
type modeTracker struct {
	alternate bool

	scan  escape.Scanner
	split bool // the output so far ends in the middle of a character
}

// between reports whether the output so far ends between two sequences and characters, so that
// something else may be shown.
func (m *modeTracker) between() bool { return m.scan.State() == escape.Ground && !m.split }

// feed takes output in pieces of any size.
func (m *modeTracker) feed(b []byte) {
	if len(b) > 0 {
		m.split = text.Unfinished(b) > 0
	}
	for len(b) > 0 {
		if m.scan.State() == escape.Ground {
			i := bytes.IndexByte(b, 0x1b)
			if i < 0 {
				return
			}
			b = b[i:]
		}
		m.next(b[0])
		b = b[1:]
	}
}

func (m *modeTracker) next(c byte) {
	switch m.scan.Next(c) {
	case escape.Escape:
		if c == 'c' && len(m.scan.Params()) == 0 { // full reset
			m.alternate = false
		}
	case escape.Control:
		if c == 'h' || c == 'l' {
			m.private(c == 'h')
		}
	}
}

// private handles CSI ? … h and CSI ? … l.
func (m *modeTracker) private(set bool) {
	list, ok := bytes.CutPrefix(m.scan.Params(), []byte("?"))
	if !ok {
		return
	}
	for n := range bytes.SplitSeq(list, []byte(";")) {
		switch string(n) {
		case "47", "1047", "1049":
			m.alternate = set
		}
	}
}

const (
	// popKeys removes everything from the kitty keyboard stack of the current screen, and
	// switches modifyOtherKeys off.
	popKeys = "\x1b[<99u\x1b[>4;0m"
	// leaveAlternate is sent only if the alternate screen is shown.
	leaveAlternate = "\x1b[?1049l"
	// resetModes ends an unfinished sequence, then resets: synchronised output, character set,
	// cursor and keypad keys, reverse screen, wrapping, insert, scroll region (which moves the
	// cursor, so the cursor is saved before and restored after).
	resetModes = "\x1b\\\x1b[?2026l\x0f\x1b(B\x1b[?1l\x1b>\x1b[?5l\x1b[?7h\x1b[4l\x1b7\x1b[r\x1b8"
	// resetInput resets the mouse in all its forms, and focus, colour and size reports.
	resetInput = "\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l" +
		"\x1b[?1004l\x1b[?2031l\x1b[?2048l"
	// plainPaste switches bracketed paste off.
	plainPaste = "\x1b[?2004l"
	// resetLook resets cursor shape and visibility, and attributes. It is sent last, because
	// leaving the alternate screen restores saved attributes.
	resetLook = "\x1b[0 q\x1b[?25h\x1b[0m"
)

// reset returns the sequences that bring a terminal back to its usual modes.
func (m *modeTracker) reset() string { return m.resetButPastes() + plainPaste }

func (m *modeTracker) resetButPastes() string {
	if !m.alternate {
		return resetModes + popKeys + resetInput + resetLook
	}
	return resetModes + popKeys + leaveAlternate + resetModes + popKeys + resetInput + resetLook
}
