package cli

import (
	"github.com/a2a-sidecar/sidecar/internal/escape"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// detachKey is Ctrl-], which detaches; interruptKey is Ctrl-C.
const (
	detachKey    = ']'
	interruptKey = 'c'
)

// findControl returns the index at which Ctrl and key was pressed, -1 for none. It
// knows the control character and the notations that programs may ask their terminal
// for.
func findControl(keys []byte, key byte) int {
	scan := escape.Scanner{Keys: true}
	begin := 0 // of the current sequence
	for i, c := range keys {
		if c == key&0x1f {
			return i // even inside a sequence: the byte that seemed to begin one was a key
		}
		if c == 0x1b {
			begin = i
		}
		if scan.Next(c) != escape.Control {
			continue
		}
		if code, held, ok := tty.DecodeKey(string(scan.Params()), c); ok && code == int(key) && held == tty.KeyControl {
			return begin
		}
	}
	return -1
}
