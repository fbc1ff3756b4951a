package tty

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/escape"
)

// inputLine is what the keys tell about the line that is being typed.
type inputLine struct {
	empty   bool // the last key ended or cleared the line
	moved   bool // the cursor may not be at the line's end, where Ctrl-U clears the line
	escaped bool // the last key was Esc, which some programs take as the beginning of the next key
}

// keyboard follows what a terminal sends, to tell whether the line that a person is typing is
// empty. It distinguishes keys from what the terminal itself sends.
type keyboard struct {
	inputLine

	before  bool // the value of escaped before an Esc that may start a sequence
	scan    escape.Scanner
	pasting bool
	skip    int // bytes of an old-style mouse report left to skip
}

// feed takes what was read and returns the number of keys in it. pause is true if so much time
// has passed that an ESC before b was a key.
func (k *keyboard) feed(b []byte, pause bool) (keys int) {
	if s := k.scan.State(); pause && (s == escape.AfterEscape || s == escape.StringEscape) {
		k.scan.Reset()
	}
	for _, c := range b {
		keys += k.next(c)
	}
	return max(keys, 0)
}

// idle reports whether the input is not in the middle of a sequence.
func (k *keyboard) idle() bool { return k.scan.State() == escape.Ground && k.skip == 0 }

func (k *keyboard) next(c byte) (keys int) {
	if k.skip > 0 {
		k.skip--
		return 0
	}
	k.scan.Keys = true
	was := k.scan.State()
	switch k.scan.Next(c) {
	case escape.Plain:
		return k.plain(c)
	case escape.Escape:
		return k.begun(was, k.move)
	case escape.Single:
		return k.move()
	case escape.Control:
		return k.control(c)
	case escape.Part:
		switch {
		case k.scan.State() == escape.AfterEscape:
			return k.esc(was)
		case was == escape.AfterEscape:
			return k.begun(was, func() int { return 0 })
		}
	}
	return 0
}

// key notes a key and whether it leaves the line empty.
func (k *keyboard) key(empty bool) int {
	k.inputLine = inputLine{empty: empty, moved: k.moved && !empty}
	return 1
}

// move notes a key that may move the cursor.
func (k *keyboard) move() int {
	k.inputLine = inputLine{moved: true}
	return 1
}

// esc takes an Esc. It counts as a key until it turns out to be the start of a sequence.
func (k *keyboard) esc(was escape.State) int {
	if k.pasting {
		return 0
	}
	if was != escape.AfterEscape { // otherwise it is a second Esc
		k.before = k.escaped
	}
	k.escaped = true
	return 1
}

// begun undoes that the Esc counted as a key: it began a sequence.
func (k *keyboard) begun(was escape.State, sequence func() int) int {
	if k.pasting {
		return 0
	}
	if was != escape.AfterEscape { // the Esc ended an incomplete answer
		return sequence()
	}
	k.escaped = k.before
	return sequence() - 1
}

func (k *keyboard) plain(c byte) int {
	switch {
	case k.pasting, c >= 0x80 && c < 0xc0: // a paste, or not the first byte of a character
		return 0
	case c == '\r', c == 0x03, c == 0x15 && !k.moved: // Enter, Ctrl-C, Ctrl-U
		return k.key(true)
	case c < 0x20 && c != '\t' && c != '\n' && c != '\b':
		return k.move()
	default:
		return k.key(false)
	}
}

func (k *keyboard) control(c byte) int {
	params := string(k.scan.Params())
	switch {
	case c == '~' && params == "200":
		k.pasting = true
		return k.key(false)
	case c == '~' && params == "201":
		k.pasting = false
		return 0
	case k.pasting:
		return 0
	case c == 'M' && params == "":
		k.skip = 3
		return 0
	case isReport(params, c):
		return 0
	}
	return k.named(params, c)
}

// isReport reports whether the terminal sent this by itself: the answer to a query, focus,
// mouse, or the release of a key.
func isReport(params string, final byte) bool {
	private := params != "" && bytes.IndexByte([]byte("<=>?"), params[0]) >= 0
	switch final {
	case 'c', 'R', 'n', 't', 'x', 'y':
		return true
	case 'I', 'O':
		return params == ""
	case 'M', 'm', 'u':
		if private {
			return true
		}
	}
	return strings.HasSuffix(params, ":3") || strings.Contains(params, ":3;")
}

// named notes a key that is sent as a number, or any other named key.
func (k *keyboard) named(params string, final byte) int {
	code, held, ok := DecodeKey(params, final)
	switch {
	case !ok:
		return k.move()
	case code == 0x1b && held == 0:
		k.escaped = true
		return 1
	case code == '\r' && held == 0, code == 'c' && held == KeyControl, code == 'u' && held == KeyControl && !k.moved:
		return k.key(true)
	case held > KeyShift:
		return k.move()
	}
	return k.key(false)
}

// The bits of held that DecodeKey returns. Alt is 2; others are 8 and above.
const KeyShift, KeyControl = 1, 4

// DecodeKey decodes a key press from the parameters and the final byte of a control sequence.
// It knows the notations that programs may ask their terminal for: "code;modifiers u" (the
// kitty protocol) and "27;modifiers;code ~" (xterm's modifyOtherKeys). held is the sum of the
// modifiers held down with the key, without locks.
func DecodeKey(params string, final byte) (code, held int, ok bool) {
	f := strings.Split(params, ";")
	key, modifiers := "", ""
	switch {
	case final == 'u':
		if key = f[0]; len(f) > 1 {
			modifiers = f[1]
		}
	case final == '~' && f[0] == "27" && len(f) == 3:
		key, modifiers = f[2], f[1]
	default:
		return 0, 0, false
	}
	if strings.HasSuffix(modifiers, ":3") { // the key was released
		return 0, 0, false
	}
	// The number sent is the sum plus one; 64 and 128 are locks.
	return leading(key), max(leading(modifiers)-1, 0) & 63, true
}

// leading returns the number before the first colon, 0 if there is none.
func leading(s string) int {
	s, _, _ = strings.Cut(s, ":")
	n, _ := strconv.Atoi(s)
	return n
}
