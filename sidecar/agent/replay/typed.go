package replay

import (
	"strings"
	"unicode/utf8"
)

// line is what was typed since the last Enter, as far as keys alone tell: the text of
// pastes and characters, less what was erased. What a person recalled with the arrows is
// only on the screen.
type line struct{ text []byte }

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// keys takes one event of input, and returns the messages that its Enters sent.
func (l *line) keys(data string) (sent []string) {
	pasting := false
	for data != "" {
		switch {
		case strings.HasPrefix(data, pasteBegin):
			pasting, data = true, data[len(pasteBegin):]
		case strings.HasPrefix(data, pasteEnd):
			pasting, data = false, data[len(pasteEnd):]
		case pasting && data[0] == '\r':
			l.text, data = append(l.text, '\n'), data[1:]
		case data[0] == '\r':
			sent, data = append(sent, string(l.text)), data[1:]
			l.text = l.text[:0]
		case data[0] == '\x1b':
			data = data[sequence(data):]
		default:
			l.key(data[0])
			data = data[1:]
		}
	}
	return sent
}

// key takes one byte of text, or one key that changes the line.
func (l *line) key(c byte) {
	switch {
	case c == '\x7f' || c == '\b':
		_, size := utf8.DecodeLastRune(l.text)
		l.text = l.text[:len(l.text)-size]
	case c == '\x03' || c == '\x15': // Ctrl-C, Ctrl-U
		l.text = l.text[:0]
	case c == '\n' || c == '\t' || c >= ' ':
		l.text = append(l.text, c)
	}
}

// sequence returns the length of the escape sequence that data begins with: a key that is
// no text, or what a terminal answers by itself.
func sequence(data string) int {
	if len(data) < 2 {
		return len(data)
	}
	switch data[1] {
	case '[':
		for i := 2; i < len(data); i++ {
			if data[i] >= '@' && data[i] <= '~' {
				return i + 1
			}
		}
	case ']', 'P', '_', '^':
		for i := 2; i < len(data); i++ {
			if data[i] == '\a' {
				return i + 1
			}
			if strings.HasPrefix(data[i:], "\x1b\\") {
				return i + 2
			}
		}
	case 'O':
		return min(3, len(data))
	default:
		return 1 // Esc, and then something else
	}
	return len(data)
}

// AnswersItself reports whether input is what a terminal sends of its own accord, and not
// what somebody typed.
func AnswersItself(data string) bool {
	return strings.HasPrefix(data, "\x1b[?") || strings.HasPrefix(data, "\x1b]") || strings.HasPrefix(data, "\x1bP") ||
		strings.HasPrefix(data, "\x1b[") && strings.IndexAny(data, "RtcIO") > 1
}

// whole returns the message that an Enter sends: what was typed, with what stood before it
// in the input from an earlier Enter that the agent did not take.
func whole(typed, input string) string {
	before, found := strings.CutSuffix(input, typed)
	if !found || strings.TrimSpace(before) == "" || strings.ContainsRune(before, '\n') {
		return typed
	}
	if typed == "" {
		return input
	}
	return before + typed
}
