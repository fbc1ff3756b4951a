package transcript

import (
	"bytes"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// shown is the transcript as the main screen showed it.
type shown struct {
	top   uint64
	lines []term.Line
	cols  []int // the width of the screen when each row was drawn
}

// set takes what is on the screen now, of which the transcript is the first end rows.
func (h *shown) set(s term.Snapshot, end int) {
	lines, cols := make([]term.Line, end), make([]int, end)
	for i, l := range s.Lines[:end] {
		lines[i], cols[i] = h.original(s.Scrolled+uint64(i), l, s.Cols)
	}
	*h = shown{top: s.Scrolled, lines: lines, cols: cols}
}

// original returns a row as it was drawn: a screen that became narrower has cut the
// rows that the agent did not redraw.
func (h *shown) original(n uint64, l term.Line, cols int) (term.Line, int) {
	if n < h.top || n-h.top >= uint64(len(h.lines)) {
		return l, cols
	}
	old, was := h.lines[n-h.top], h.cols[n-h.top]
	if same(old.Text, l.Text, cols) {
		return old, was
	}
	return l, cols
}

// same reports whether now is what a screen of that width has left of old.
func same(old, now string, cols int) bool {
	if old == now {
		return true
	}
	left, _ := profile.CutCells(old, cols)
	return strings.TrimRight(left, " ") == now
}

// fewRows is how many rows have to differ before they count as redrawn.
const fewRows = 3

// rewritten reports whether most of what was shown from row next on is different now:
// the agent has redrawn its transcript, from a place of its own choice.
func (h *shown) rewritten(history []term.Line, first uint64, s term.Snapshot, end int, next uint64) bool {
	all, kept := 0, 0
	for i, old := range h.lines {
		n := h.top + uint64(i)
		if n < next || profile.Blank(old.Text) {
			continue
		}
		var now string
		switch {
		case n >= s.Scrolled:
			if at := n - s.Scrolled; at < uint64(end) {
				now = s.Lines[at].Text
			}
		case n >= first && n-first < uint64(len(history)):
			now = history[n-first].Text
		}
		all++
		if same(old.Text, now, s.Cols) {
			kept++
		}
	}
	return all >= fewRows && kept*2 < all
}

// seam is the place where a reading begins in the middle of the answer, because the
// agent has redrawn its transcript from somewhere on.
type seam struct {
	open  bool
	epoch int    // the reading
	known []byte // the text that was read before
}

const (
	// sureOverlap is how many letters two texts have to share to count as the same;
	// with fewer, less certain ways are tried first.
	sureOverlap = 24
	// probeMax is how many letters from the end of the known text are looked for.
	probeMax = 64
)

// find returns the part of the known text that stands before the reading, and how many
// bytes of the reading repeat known text. The end of the known text is found in one of
// two places: the reading begins in it, or it stands inside the reading, after
// something that is not text (the rest of the message, or of a tool's output).
func (s *seam) find(past, rest []byte) (before []byte, skip int) {
	text := append(append([]byte(nil), past...), rest...)
	if len(text) == 0 {
		return s.known, 1 // it is too early to tell
	}
	if len(trim(s.known)) == 0 {
		return nil, 0
	}
	end := s.known[max(0, len(s.known)-2*len(text)-probeMax):]
	old, oldAt := squash(end)
	now, nowAt := squash(text)
	n := overlap(old, now)
	if n < min(sureOverlap, len(old)) {
		probe := old[max(0, len(old)-probeMax):]
		if i := bytes.LastIndex(now, probe); i >= 0 {
			return s.known, nowAt[i+len(probe)-1] + 1
		}
	}
	if n == 0 {
		return append(s.known, "\n\n"...), 0
	}
	return s.known[:len(s.known)-len(end)+oldAt[len(old)-n]], 0
}

// squash removes the blanks and newlines, and returns where the rest stood.
func squash(text []byte) (left []byte, at []int) {
	left, at = make([]byte, 0, len(text)), make([]int, 0, len(text))
	for i, b := range text {
		if b != ' ' && b != '\n' {
			left, at = append(left, b), append(at, i)
		}
	}
	return left, at
}

// overlap returns how many bytes at the end of a, at most, are the beginning of b.
func overlap(a, b []byte) int {
	border := make([]int, len(b)+1) // border[i] is the length of the longest prefix of b that b[:i] ends with
	border[0] = -1
	for i, k := 0, -1; i < len(b); i++ {
		for k >= 0 && b[k] != b[i] {
			k = border[k]
		}
		k++
		border[i+1] = k
	}
	k := 0
	for _, c := range a {
		for k >= 0 && (k == len(b) || b[k] != c) {
			k = border[k]
		}
		k++
	}
	return k
}
