package cli

import (
	"bytes"

	"github.com/a2a-sidecar/sidecar/proc"
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
// and a key.
func isControl(sequence []byte, key byte) bool {
	end := bytes.IndexFunc(sequence, func(r rune) bool { return r >= 0x40 })
	if end < 0 {
		return false
	}
	code, held, ok := proc.CodedKey(string(sequence[:end]), sequence[end])
	return ok && code == int(key) && held == proc.KeyControl
}
