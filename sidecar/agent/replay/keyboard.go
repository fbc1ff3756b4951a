package replay

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// Keyboard reads the keys in the input events of one recording, in their order. A paste or
// an escape sequence may be split over several events. One goroutine uses it.
type Keyboard struct {
	enter, newline string
	pasting        bool
	held           string // the beginning of a sequence whose rest has not come yet
	heldAt         time.Duration
}

// NewKeyboard returns a keyboard for an agent with that profile, which says what sends a
// message and what begins a new line in one.
func NewKeyboard(p *profile.Profile) *Keyboard {
	k := &Keyboard{enter: p.Submit.Enter, newline: p.Submit.Newline}
	if k.enter == "" {
		k.enter = "\r"
	}
	return k
}

// Sends reports whether an event has an Enter that sends: one that is not pasted and does
// not begin a new line. It must be given every event.
func (k *Keyboard) Sends(e term.CastEvent) bool { return sends(k.read(e)) }

func sends(keys []key) bool {
	return slices.ContainsFunc(keys, func(k key) bool { return k.kind == keySend })
}

// key is one key, or a run of text.
type key struct {
	kind keyKind
	text string // of keyText
}

type keyKind int

const (
	keyText  keyKind = iota // text, or a line break in a message
	keySend                 // an Enter that sends
	keyErase                // erases the last character
	keyClear                // erases the line
	keyOther                // does none of these: an arrow, the edge of a paste
	keyReply                // is no key: the terminal has sent it by itself
)

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

const (
	// escTime is how soon the rest of a sequence follows its first or its first two bytes.
	// Esc, Alt-[ and Alt-] look like such a beginning; a person's next key comes later.
	escTime = 50 * time.Millisecond
	// heldMax bounds the beginning of a sequence, in bytes.
	heldMax = 64 << 10
)

// read returns the keys of an event. An event of another kind has none.
func (k *Keyboard) read(e term.CastEvent) (keys []key) {
	if e.Kind != term.CastInput {
		return nil
	}
	if n := len(k.held); n > 0 && !k.pasting && k.held[0] == '\x1b' && n <= 2 && e.At-k.heldAt > escTime {
		keys, k.held = append(keys, key{kind: keyOther}), ""
	}
	data := k.held + e.Data
	for k.held = ""; data != ""; {
		n, next := k.next(data)
		if n == 0 {
			k.held, k.heldAt = data, e.At
			break
		}
		keys, data = append(keys, next), data[n:]
	}
	return keys
}

// next returns the first key of the data and its length, 0 if its rest has not come yet.
func (k *Keyboard) next(data string) (n int, next key) {
	if k.pasting {
		return k.pasted(data)
	}
	switch {
	case strings.HasPrefix(data, pasteBegin):
		k.pasting = true
		return len(pasteBegin), key{kind: keyOther}
	case k.newline != "" && strings.HasPrefix(data, k.newline):
		return len(k.newline), key{text: "\n"}
	case strings.HasPrefix(data, k.enter):
		return len(k.enter), key{kind: keySend}
	case begins(data, k.newline), begins(data, k.enter):
		return 0, key{}
	}
	switch c := data[0]; {
	case c == '\x1b':
		return escaped(data)
	case c == '\r', c == '\n':
		return 1, key{text: "\n"}
	case c == '\x7f', c == '\b':
		return 1, key{kind: keyErase}
	case c == '\x03', c == '\x15': // Ctrl-C, Ctrl-U
		return 1, key{kind: keyClear}
	case c < ' ' && c != '\t':
		return 1, key{kind: keyOther}
	}
	n = run(data)
	for _, special := range []string{k.newline, k.enter} { // such as a backslash before Enter
		if special != "" && special[0] >= ' ' {
			if i := strings.IndexByte(data[1:n], special[0]); i >= 0 {
				n = i + 1
			}
		}
	}
	return n, key{text: data[:n]}
}

// pasted is next inside a paste, in which only its end is no text.
func (k *Keyboard) pasted(data string) (n int, next key) {
	switch {
	case strings.HasPrefix(data, pasteEnd):
		k.pasting = false
		return len(pasteEnd), key{kind: keyOther}
	case begins(data, pasteEnd):
		return 0, key{}
	case strings.HasPrefix(data, "\r\n"):
		return 2, key{text: "\n"}
	case data[0] == '\r', data[0] == '\n':
		return 1, key{text: "\n"}
	}
	if n = run(data); n == 0 {
		return 1, key{kind: keyOther}
	}
	return n, key{text: data[:n]}
}

// begins reports whether the data is the beginning of a sequence, and not all of it.
func begins(data, sequence string) bool {
	return len(data) < len(sequence) && strings.HasPrefix(sequence, data)
}

// run returns the length of the text that the data begins with.
func run(data string) int {
	n := strings.IndexFunc(data, func(r rune) bool { return r < ' ' && r != '\t' || r == '\x7f' })
	if n < 0 {
		return len(data)
	}
	return n
}

var (
	// replies fits what a terminal sends by itself: the position of the cursor, what it is
	// and can do, its modes and its size, and that it has gained or lost the focus.
	replies = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\x1b\[[?>]?[\d;]*\$?[Rcnty]|\x1b\[\?\d*u|\x1b\[[IO]|\x1b[\]P_^](?s:.*))$`)
	})
	// otherEnters fits an Enter with Shift, Alt or Ctrl as newer terminals send it.
	otherEnters = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\x1b\[(?:13;[2-9]u|27;[2-9];13~)$`) })
)

// escaped is next for data that begins with Esc.
func escaped(data string) (n int, next key) {
	if n = sequence(data); n == 0 {
		if len(data) > heldMax {
			return 1, key{kind: keyOther}
		}
		return 0, key{}
	}
	switch s := data[:n]; {
	case s == "\x1b\r", s == "\x1b\n", otherEnters().MatchString(s):
		return n, key{text: "\n"}
	case s == "\x1b[13u":
		return n, key{kind: keySend}
	case replies().MatchString(s):
		return n, key{kind: keyReply}
	}
	return n, key{kind: keyOther}
}

// sequence returns the length of the escape sequence that data begins with, 0 if its end
// has not come yet.
func sequence(data string) int {
	if len(data) < 2 {
		return 0
	}
	switch data[1] {
	case '[':
		for i := 2; i < len(data); i++ {
			switch c := data[i]; {
			case c >= '@' && c <= '~':
				return i + 1
			case c < ' ' || c > '~':
				return 2 // Alt-[, and then something else
			}
		}
		return 0
	case ']', 'P', '_', '^':
		for i := 2; i < len(data); i++ {
			if data[i] == '\a' {
				return i + 1
			}
			if strings.HasPrefix(data[i:], "\x1b\\") {
				return i + 2
			}
		}
		return 0
	case 'O':
		if len(data) < 3 {
			return 0
		}
		return 3
	case '\x1b':
		return 1
	}
	_, size := utf8.DecodeRuneInString(data[1:])
	return 1 + size // Alt and a key
}

// draft is the message that is being typed, as far as keys alone tell. What a person
// recalls with the arrows is only on the screen.
type draft struct{ text []byte }

// press changes the draft by one key. It returns the message if the key sends it.
func (d *draft) press(k key) (message string, sent bool) {
	switch k.kind {
	case keyText:
		d.text = append(d.text, k.text...)
	case keyErase:
		_, size := utf8.DecodeLastRune(d.text)
		d.text = d.text[:len(d.text)-size]
	case keyClear:
		d.text = d.text[:0]
	case keySend:
		message, d.text = string(d.text), d.text[:0]
		return message, true
	}
	return "", false
}

// fullMessage returns the message that an Enter sends: what was typed, after what an
// earlier Enter, which the agent did not take, has left in the input.
func fullMessage(typed, input string) string {
	before, found := strings.CutSuffix(input, typed)
	if !found || strings.TrimSpace(before) == "" || strings.ContainsRune(before, '\n') {
		return typed
	}
	if typed == "" {
		return input
	}
	return before + typed
}
