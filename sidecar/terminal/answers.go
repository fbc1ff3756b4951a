package terminal

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/escape"
)

// maxAnswer is how many bytes of an incomplete sequence are held until its end
// comes.
const maxAnswer = 4 << 10

// answerFilter removes, from what a terminal sends, the answers that the terminal
// sends by itself. The agent's queries are answered by the agent's own terminal; a
// second answer, or a late one, would be typed text. Keys, mouse events and focus
// events stay.
type answerFilter struct {
	held []byte // the beginning of a sequence whose end has not come yet
}

// next returns the bytes of p, and of what was held, that are not answers. The
// result is valid until the next call.
func (f *answerFilter) next(p []byte) []byte {
	if len(f.held) > 0 {
		p = append(f.held, p...)
		f.held = nil
	}
	var out []byte
	for len(p) > 0 {
		n, whole, answer := sequence(p)
		if !whole && len(p) <= maxAnswer {
			f.held = append([]byte(nil), p...)
			break
		}
		if !answer {
			out = append(out, p[:n]...)
		}
		p = p[n:]
	}
	return out
}

// sequence returns the length of the first thing in p, which is not empty: a byte,
// or an escape sequence. whole is false if the end of the sequence has not come yet;
// n is then all of p. answer reports whether it is an answer of the terminal.
func sequence(p []byte) (n int, whole, answer bool) {
	scan := escape.Scanner{Keys: true}
	for i, c := range p {
		switch {
		case scan.State() == escape.StringEscape && c != '\\':
			return i - 1, true, true // another sequence cuts it off
		case i > 0 && c == '\x1b' && scan.State() != escape.InString:
			return i, true, false
		}
		if scan.State() == escape.InControl && c >= 0x7f {
			return i, true, false // no sequence has such a byte: these bytes are keys
		}
		switch scan.Next(c) {
		case escape.Plain:
			return max(i, 1), true, false // these bytes are keys
		case escape.Escape, escape.Single:
			return i + 1, true, false
		case escape.Control:
			return i + 1, true, answers(string(scan.Params()), c)
		case escape.String:
			return i + 1, true, true
		}
	}
	// An Esc alone, or Alt and a key, is not the beginning of a sequence: no
	// terminal sends a sequence in such pieces.
	return len(p), len(p) <= 2, len(p) > 2 && scan.State() != escape.InControl
}

// answers reports whether a control sequence is an answer: device attributes, device
// and cursor status (F3 with a modifier looks the same, and is lost), modes, window
// and keyboard reports.
func answers(params string, final byte) bool {
	switch final {
	case 'c', 'n', 'R', 't', 'y':
		return true
	case 'u':
		return strings.HasPrefix(params, "?")
	}
	return false
}
