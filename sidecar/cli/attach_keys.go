package cli

import (
	"bytes"
	"strconv"
	"strings"
)

// detachKey is Ctrl-], which leaves; interruptKey is Ctrl-C.
const (
	detachKey    = ']'
	interruptKey = 'c'
)

// findControl is where Ctrl and a key was pressed, -1 for nowhere: as the control
// character, or in the notations that programs may ask their terminal for.
func findControl(keys []byte, key byte) int {
	at := bytes.IndexByte(keys, key&0x1f)
	for from := 0; from < len(keys); {
		n := bytes.Index(keys[from:], []byte("\x1b["))
		if n < 0 || at >= 0 && from+n > at {
			break
		}
		from += n
		if isControl(keys[from+2:], key) {
			return from
		}
		from += 2
	}
	return at
}

// isControl reports whether a control sequence, without its beginning, is Ctrl
// and a key: "code;modifiers u" (kitty) or "27;modifiers;code ~" (xterm).
func isControl(sequence []byte, key byte) bool {
	end := bytes.IndexFunc(sequence, func(r rune) bool { return r >= 0x40 })
	if end < 0 {
		return false
	}
	f := strings.Split(string(sequence[:end]), ";")
	switch {
	case sequence[end] == 'u' && len(f) >= 2:
		return number(f[0]) == int(key) && withControl(f[1]) && !strings.HasSuffix(f[1], ":3")
	case sequence[end] == '~' && len(f) == 3 && f[0] == "27":
		return number(f[2]) == int(key) && withControl(f[1])
	}
	return false
}

// withControl reports whether Ctrl alone is held: modifiers are one more than the
// sum of shift 1, alt 2, ctrl 4 and others; 64 and 128 are locks.
func withControl(modifiers string) bool { return max(number(modifiers)-1, 0)&63 == 4 }

// number is what stands before the first colon.
func number(s string) int {
	s, _, _ = strings.Cut(s, ":")
	n, _ := strconv.Atoi(s)
	return n
}
