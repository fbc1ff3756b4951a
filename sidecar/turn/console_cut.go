package turn

import (
	"bytes"
	"unicode/utf8"
)

// maxCut is the longest beginning of a sequence that is looked for.
const maxCut = 64 << 10

// cut is how many bytes at the end of output are the beginning of a sequence or
// of a rune whose end has not come. They have changed nothing on the screen yet:
// who starts from a picture needs them.
func cut(out []byte) int {
	out = out[max(0, len(out)-maxCut):]
	if at := bytes.LastIndexByte(out, 0x1b); at >= 0 && begins(out[at:]) {
		return len(out) - at
	}
	for n := 1; n < utf8.UTFMax && n <= len(out); n++ {
		if b := out[len(out)-n]; utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRune(out[len(out)-n:]) {
				return n
			}
			break
		}
	}
	return 0
}

// begins reports whether s, which begins with the last ESC there is, is a
// sequence without its end.
func begins(s []byte) bool {
	if len(s) == 1 {
		return true
	}
	if bytes.ContainsAny(s, "\x18\x1a") { // they cancel it
		return false
	}
	rest := s[2:]
	switch s[1] {
	case '[':
		return !bytes.ContainsFunc(rest, func(r rune) bool { return r >= 0x40 })
	case ']':
		return bytes.IndexByte(rest, 0x07) < 0
	case 'P', 'X', '^', '_': // to ST, which has an ESC
		return true
	}
	for _, b := range s[1:] {
		if b < 0x20 || b > 0x2f {
			return false
		}
	}
	return true
}
