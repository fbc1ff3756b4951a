package strangers

import (
	"io"
	"strings"
)

// key is one that was pressed, or text that was pasted.
type key struct {
	name string // of a key that writes nothing
	text string
}

const pasteBegins, pasteEnds = "\x1b[200~", "\x1b[201~"

// named are the keys that write nothing, by what the terminal sends for them.
var named = []struct{ sent, name string }{
	{"\x1b[A", "up"}, {"\x1bOA", "up"}, {"\x1b[B", "down"}, {"\x1bOB", "down"},
	{"\x1b[C", "right"}, {"\x1bOC", "right"}, {"\x1b[D", "left"}, {"\x1bOD", "left"},
	{"\r", "enter"}, {"\t", "tab"}, {"\x7f", "backspace"}, {"\b", "backspace"},
	{"\x03", "ctrl-c"}, {"\x04", "ctrl-d"}, {"\x15", "ctrl-u"}, {"\x1b", "esc"},
}

// read tells what is pressed until the terminal is gone, and then closes the channel.
func read(in io.Reader, pressed chan<- key) {
	defer close(pressed)
	var rest string
	for buffer := make([]byte, 4096); ; {
		n, err := in.Read(buffer)
		if err != nil {
			return
		}
		rest += string(buffer[:n])
		for rest != "" {
			k, size := next(rest)
			if size == 0 {
				break // the end of a paste is still to come
			}
			if rest = rest[size:]; k != (key{}) {
				pressed <- k
			}
		}
	}
}

// next is the first key of what was sent, and how many bytes it takes.
func next(sent string) (k key, size int) {
	if text, pasted := strings.CutPrefix(sent, pasteBegins); pasted {
		end := strings.Index(text, pasteEnds)
		if end < 0 {
			return key{}, 0
		}
		lines := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text[:end])
		return key{text: lines}, len(pasteBegins) + end + len(pasteEnds)
	}
	for _, n := range named {
		if strings.HasPrefix(sent, n.sent) && (n.name != "esc" || len(sent) == 1) {
			return key{name: n.name}, len(n.sent)
		}
	}
	if sent[0] == 0x1b { // an answer of the terminal, or a key that does nothing here
		end := strings.IndexFunc(sent[1:], func(r rune) bool { return r >= '@' && r != '[' && r != 'O' })
		return key{}, 1 + max(end+1, 1)
	}
	end := strings.IndexFunc(sent, func(r rune) bool { return r < ' ' || r == 0x7f })
	switch end {
	case -1:
		return key{text: sent}, len(sent)
	case 0:
		return key{}, 1
	}
	return key{text: sent[:end]}, end
}
