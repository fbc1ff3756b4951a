package terminal

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/escape"
)

// maxAnswer is the longest sequence that is held until its end has come.
const maxAnswer = 4 << 10

// answerFilter takes out of what a terminal sends what it answers by itself. The
// agent's questions are answered where its terminal is; a second answer, or a
// late one, would be typed text. Keys, the mouse and focus stay.
type answerFilter struct {
	held []byte // the beginning of a sequence
}

// next returns what of p is keys. It is valid until the next call.
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

// sequence takes the first thing off p, which is not empty: a byte, or a sequence. It
// is not whole if its end has not come; n is then all of p.
func sequence(p []byte) (n int, whole, answer bool) {
	scan := escape.Scanner{Keys: true}
	for i, c := range p {
		switch {
		case scan.State() == escape.StringEscape && c != '\\':
			return i - 1, true, true // cut off by another sequence
		case i > 0 && c == '\x1b' && scan.State() != escape.InString:
			return i, true, false
		}
		if scan.State() == escape.InControl && c >= 0x7f {
			return i, true, false // no sequence has such a byte: what was begun are keys
		}
		switch scan.Next(c) {
		case escape.Plain:
			return max(i, 1), true, false // what was begun are keys
		case escape.Escape, escape.Single:
			return i + 1, true, false
		case escape.Control:
			return i + 1, true, answers(string(scan.Params()), c)
		case escape.String:
			return i + 1, true, true
		}
	}
	// An Esc alone, or Alt and a key, is no half of a sequence: nobody sends that.
	return len(p), len(p) <= 2, len(p) > 2 && scan.State() != escape.InControl
}

// answers reports whether a control sequence is one: device attributes, device
// and cursor status (F3 with a modifier looks the same, and is lost), modes,
// window and keyboard reports.
func answers(params string, final byte) bool {
	switch final {
	case 'c', 'n', 'R', 't', 'y':
		return true
	case 'u':
		return strings.HasPrefix(params, "?")
	}
	return false
}
