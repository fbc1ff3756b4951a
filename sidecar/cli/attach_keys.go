package cli

import (
	"github.com/a2a-sidecar/sidecar/internal/escape"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// detachKey is Ctrl-], which leaves; interruptKey is Ctrl-C.
const (
	detachKey    = ']'
	interruptKey = 'c'
)

// findControl returns where Ctrl and a key was pressed, -1 for nowhere: as the control
// character, or in the notations that programs may ask their terminal for.
func findControl(keys []byte, key byte) int {
	scan := escape.Scanner{Keys: true}
	begin := 0 // of the sequence that goes on
	for i, c := range keys {
		if c == key&0x1f {
			return i // in a sequence, too: what seemed to begin one was a key
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
