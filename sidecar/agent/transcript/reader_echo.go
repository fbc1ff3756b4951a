package transcript

import (
	"slices"
	"strings"
	"unicode"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// message is what was typed, without any blanks, because an agent shows its lines
// indented, wrapped and trimmed.
type message struct {
	all  string
	line string // its first line that is not blank
	long bool   // an agent may show something shorter in its place
}

// shortEcho is how many runes of a message a row has to show if it does not show all
// of its first line.
const shortEcho = 16

func newMessage(prompt string) message {
	m := message{all: unspaced(prompt)}
	for line := range strings.Lines(prompt) {
		if m.line = unspaced(line); m.line != "" {
			break
		}
	}
	m.long = len(prompt) > 200 || strings.Contains(strings.TrimSpace(prompt), "\n")
	return m
}

// unspaced removes all blanks, and the characters that are never shown.
func unspaced(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}

// begins reports whether the row's text is the message's first row, and returns how
// much of the message it shows.
func (m message) begins(text string, pasted *profile.Pattern) (shown int, ok bool) {
	s := unspaced(text)
	switch {
	case s == "":
		return 0, m.all == ""
	case s == m.line:
		return len(s), true
	case strings.HasPrefix(m.all, s):
		return len(s), len(s) < len(m.line) && len([]rune(s)) >= shortEcho
	}
	return len(m.all), m.long && pasted.Fits(text)
}

// holds reports whether the row shows a part of the message that is longer than a
// word.
func (m message) holds(text string) bool {
	s := unspaced(text)
	return m.long && len([]rune(s)) >= shortEcho && strings.Contains(m.all, s)
}

// is reports whether the row shows one of the message's lines, after a few signs.
func (m message) is(row string) bool {
	_, ok := m.bare(row)
	return ok
}

// goesOn reports whether the row continues the message after what was shown.
func (m message) goesOn(shown int, row string) (now int, ok bool) {
	s := unspaced(row)
	if s == "" || shown >= len(m.all) {
		return shown, s == "" && shown < len(m.all)
	}
	rest := m.all[shown:]
	for skipped := 0; skipped <= maxSigns && s != ""; skipped++ {
		if strings.HasPrefix(rest, s) {
			return shown + len(s), true
		}
		if s = dropSign(s); s == "" {
			break
		}
	}
	return shown, false
}

// maxSigns is how many signs may stand before the message in its echo.
const maxSigns = 4

// bare finds the message's first row after a few signs, such as `> `.
func (m message) bare(row string) (shown int, ok bool) {
	if m.all == "" {
		return 0, false
	}
	s := unspaced(row)
	for skipped := 0; skipped <= maxSigns && s != ""; skipped++ {
		if shown, ok := m.begins(s, nil); ok {
			return shown, true
		}
		s = dropSign(s)
	}
	return 0, false
}

// dropSign removes the first rune if it is a sign; it returns "" if it is not.
func dropSign(s string) string {
	for i, r := range s {
		if i > 0 {
			return s[i:]
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return ""
		}
	}
	return ""
}

// earlier holds the last messages that were typed before.
type earlier []message

// has reports whether row number n of an echo shows the beginning of one of these
// messages, or continues one. below is the number of the row after the last row of
// that one.
func (e earlier) has(row string, below, n uint64) bool {
	s := unspaced(row)
	return s != "" && slices.ContainsFunc(e, func(m message) bool {
		_, begins := m.begins(row, nil)
		return begins || below > 0 && n >= below && n-below <= 1 && strings.Contains(m.all, s)
	})
}
