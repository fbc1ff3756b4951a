package escape

import (
	"strings"
	"unicode/utf8"
)

// Kind is what a byte means in its stream.
type Kind byte

const (
	// Plain is a byte that stands for itself: a part of a character, or a control
	// character. In a program's output, such a byte may be inside a sequence.
	Plain Kind = iota
	// Part is a byte of a sequence that goes on.
	Part
	// Escape is the end of ESC, intermediate bytes, and a final byte. From a
	// keyboard it is a key that was pressed with Alt.
	Escape
	// Control is the end of a control sequence, CSI.
	Control
	// Single is a key after SS3. It only comes from a keyboard.
	Single
	// String is the end of OSC, DCS, SOS, PM or APC: BEL, ST, or what cancels it.
	String
)

// State is the position of a stream relative to its sequences.
type State byte

const (
	Ground       State = iota // between two sequences
	AfterEscape               // after ESC
	InEscape                  // after ESC and intermediate bytes
	InControl                 // in a control sequence
	InSingle                  // after SS3
	InString                  // in a string
	StringEscape              // after ESC in a string
)

// maxParams is how many bytes of a sequence are kept. A longer sequence loses its end, which
// only spoils its meaning.
const maxParams = 64

const (
	bell   = 0x07
	cancel = 0x18
	sub    = 0x1a
	esc    = 0x1b
)

// Scanner finds the sequences in a stream, byte by byte. Its zero value is at the beginning of
// a program's output.
type Scanner struct {
	// Keys is true for what a keyboard sends. Then SS3 begins a key, and a control character is
	// a key and never part of a sequence.
	Keys bool

	state  State
	params []byte
}

// State returns the position of the stream.
func (s *Scanner) State() State { return s.state }

// Params returns what came between the beginning and the final byte of the Escape or Control
// that has just ended. It is valid until the next byte.
func (s *Scanner) Params() []byte { return s.params }

// Clone returns a Scanner that continues from here independently of s.
func (s *Scanner) Clone() Scanner {
	c := *s
	c.params = append([]byte(nil), s.params...)
	return c
}

// Reset forgets an unfinished sequence.
func (s *Scanner) Reset() { s.state = Ground }

// Next takes a byte and returns what it means.
func (s *Scanner) Next(c byte) Kind {
	if c == esc {
		return s.escape()
	}
	switch s.state {
	case AfterEscape, InEscape:
		return s.afterEscape(c)
	case InControl:
		return s.control(c)
	case InSingle:
		return s.end(Single)
	case InString:
		return s.string(c)
	case StringEscape:
		if c == '\\' {
			return s.end(String)
		}
		s.state, s.params = AfterEscape, s.params[:0] // another sequence cut the string off
		return s.afterEscape(c)
	}
	return Plain
}

func (s *Scanner) end(k Kind) Kind {
	s.state = Ground
	return k
}

// escape takes ESC, which begins a sequence wherever it comes.
func (s *Scanner) escape() Kind {
	if s.state == InString {
		s.state = StringEscape
	} else {
		s.state, s.params = AfterEscape, s.params[:0]
	}
	return Part
}

func (s *Scanner) afterEscape(c byte) Kind {
	switch {
	case c < 0x20 && !s.Keys:
		return s.executed(c)
	case 0x20 <= c && c < 0x30 && !s.Keys:
		s.state = InEscape
		return s.keep(c)
	case s.state == InEscape:
	case c == '[':
		s.state = InControl
		return Part
	case c == ']', c == 'P', c == 'X', c == '^', c == '_':
		s.state = InString
		return Part
	case c == 'O' && s.Keys:
		s.state = InSingle
		return Part
	}
	return s.end(Escape)
}

func (s *Scanner) control(c byte) Kind {
	switch {
	case c < 0x20 && s.Keys:
		return s.end(Plain)
	case c < 0x20:
		return s.executed(c)
	case 0x40 <= c && c < 0x7f:
		return s.end(Control)
	}
	return s.keep(c)
}

func (s *Scanner) string(c byte) Kind {
	if c == bell || c == cancel || c == sub {
		return s.end(String)
	}
	return Part
}

// executed takes a control character in the middle of a sequence of a program's
// output: a terminal carries it out, and two of them end the sequence.
func (s *Scanner) executed(c byte) Kind {
	if c == cancel || c == sub {
		s.state = Ground
	}
	return Plain
}

func (s *Scanner) keep(c byte) Kind {
	if len(s.params) < maxParams {
		s.params = append(s.params, c)
	}
	return Part
}

// Strip returns a program's output without its sequences. Control characters stay, except the
// C1 ones, which are short forms of sequences.
func Strip(output string) string {
	var s Stripper
	return s.Next(output)
}

// Stripper is Strip for output that comes in pieces: a sequence may begin in one and end in another. A piece holds whole
// characters. Its zero value is at the beginning of the output.
type Stripper struct{ s Scanner }

// Next returns the next piece without its sequences.
func (t *Stripper) Next(output string) string {
	var b strings.Builder
	for len(output) > 0 {
		r, n := utf8.DecodeRuneInString(output)
		in := output[:n]
		output = output[n:]
		if 0x80 <= r && r < 0xa0 {
			in = string([]byte{esc, byte(r) - 0x40})
		}
		plain := true
		for i := range len(in) {
			plain = t.s.Next(in[i]) == Plain && plain
		}
		if plain {
			b.WriteRune(r)
		}
	}
	return b.String()
}
