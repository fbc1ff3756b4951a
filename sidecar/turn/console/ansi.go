package console

import (
	"strconv"
	"unicode/utf8"
)

// maxParams is the longest parameter text of an escape sequence that is read, in
// bytes. A sequence with a longer one is skipped as a whole.
const maxParams = 64

// ANSI removes the escape sequences from a terminal's output, chunk by chunk, and
// passes on what is left. It keeps only a few bytes, whatever the output is.
type ANSI struct {
	Print   func(c rune)                // gets a character
	Control func(c byte)                // gets a C0 control, except ESC
	CSI     func(final byte, param int) // a control sequence's first number, -1 if none; nil: ignored
	Private func(final byte, param int) // the same for private sequences; nil: ignored

	state  ansiState
	params []byte
	marked bool   // the sequence is private
	rune   []byte // an unfinished rune
}

type ansiState uint8

const (
	ground ansiState = iota
	escape
	escapeMore   // ESC and intermediate bytes
	control      // CSI
	stringSeq    // OSC, DCS, SOS, PM, APC: up to ST or BEL
	stringEscape // ESC inside a stringSeq
)

func (a *ANSI) Write(p []byte) {
	for len(p) > 0 {
		if a.state == ground {
			p = a.plain(p)
			continue
		}
		a.byte(p[0])
		p = p[1:]
	}
}

// plain handles bytes up to the next escape, and returns the rest.
func (a *ANSI) plain(p []byte) []byte {
	if len(a.rune) > 0 {
		a.rune = append(a.rune, p[0])
		p = p[1:]
		if !utf8.FullRune(a.rune) {
			return p
		}
		r, n := utf8.DecodeRune(a.rune)
		broken := a.rune[n:] // the bytes after a broken rune are read again
		a.rune = nil
		a.c1(r)
		if len(broken) > 0 {
			return append(broken, p...)
		}
		return p
	}
	for i := 0; i < len(p); {
		c := p[i]
		switch {
		case c == 0x1b:
			a.state = escape
			return p[i+1:]
		case c < 0x20 || c == 0x7f:
			a.Control(c)
			i++
		case c < utf8.RuneSelf:
			a.Print(rune(c))
			i++
		case !utf8.FullRune(p[i:]):
			a.rune = append([]byte(nil), p[i:]...)
			return nil
		default:
			r, n := utf8.DecodeRune(p[i:])
			i += n
			if a.c1(r) {
				return p[i:]
			}
		}
	}
	return nil
}

// c1 handles a rune that is not ASCII and reports whether it began a sequence.
func (a *ANSI) c1(r rune) bool {
	switch {
	case r == 0x9b:
		a.begin(control)
	case r == 0x90 || r == 0x98 || 0x9d <= r && r <= 0x9f:
		a.begin(stringSeq)
	case 0x80 <= r && r < 0xa0:
		return false // other controls do nothing to a line
	default:
		a.Print(r)
		return false
	}
	return true
}

func (a *ANSI) begin(s ansiState) {
	a.state, a.params, a.marked = s, a.params[:0], false
}

// byte handles a byte within a sequence.
func (a *ANSI) byte(c byte) {
	if c == 0x18 || c == 0x1a { // CAN, SUB
		a.state = ground
		return
	}
	switch a.state {
	case escape:
		a.afterEscape(c)
	case escapeMore:
		if c < 0x20 || c >= 0x30 {
			a.state = ground
		}
	case control:
		a.inControl(c)
	case stringSeq:
		switch c {
		case 0x07:
			a.state = ground
		case 0x1b:
			a.state = stringEscape
		}
	case stringEscape:
		if c == '\\' {
			a.state = ground
			return
		}
		a.begin(escape) // another sequence has cut the string off
		a.afterEscape(c)
	}
}

func (a *ANSI) afterEscape(c byte) {
	switch {
	case c == '[':
		a.begin(control)
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
		a.begin(stringSeq)
	case 0x20 <= c && c < 0x30:
		a.state = escapeMore
	case c == 0x1b:
		a.state = escape
	default:
		a.state = ground
	}
}

func (a *ANSI) inControl(c byte) {
	switch {
	case c == 0x1b:
		a.begin(escape)
	case c < 0x20: // it is carried out in the middle of a sequence
		a.Control(c)
	case 0x3c <= c && c < 0x40:
		a.marked = true
	case c < 0x40:
		if len(a.params) < maxParams {
			a.params = append(a.params, c)
		}
	default:
		a.state = ground
		do := a.CSI
		if a.marked {
			do = a.Private
		}
		if do != nil && len(a.params) < maxParams {
			do(c, a.first())
		}
	}
}

// first returns the first number of the parameters, -1 if there is none.
func (a *ANSI) first() int {
	end := 0
	for end < len(a.params) && '0' <= a.params[end] && a.params[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(string(a.params[:end]))
	if err != nil {
		return -1
	}
	return min(n, 1<<16)
}
