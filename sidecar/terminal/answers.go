package terminal

import "strings"

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

// sequence takes the first thing off p, which is not empty: a byte, or a control
// sequence. It is not whole when its end has not come; n is then all of p.
func sequence(p []byte) (n int, whole, answer bool) {
	if p[0] != 0x1b || len(p) == 1 { // an Esc alone is a key: nobody sends half of it
		return 1, true, false
	}
	switch p[1] {
	case '[':
		for n = 2; n < len(p); n++ {
			if p[n] < 0x20 || p[n] > 0x7e {
				return n, true, false
			}
			if p[n] >= 0x40 {
				return n + 1, true, answers(string(p[2:n]), p[n])
			}
		}
		return n, len(p) == 2, false // Esc [ alone is Alt and a key
	case ']', 'P', '_', '^', 'X':
		if len(p) == 2 {
			return 2, true, false // Alt and a key
		}
		for n = 2; n < len(p); n++ {
			if p[n] == 0x07 {
				return n + 1, true, true
			}
			if p[n] == 0x1b && n+1 < len(p) {
				if p[n+1] == '\\' {
					n++
				}
				return n + 1, true, true
			}
		}
		return n, false, true
	}
	return 1, true, false
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
