package term

import (
	"bytes"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi/parser"
)

const (
	maxParams = 32
	// maxParam is the largest number in a sequence; it exceeds every size.
	maxParam = 1 << 16
	// maxString is the longest string of a sequence (OSC, DCS) that is taken, in bytes.
	maxString = 64 << 10
)

// parserState is the state between two bytes. The transitions are those of
// charmbracelet/x/ansi. The actions are ours, because the Parser there cuts a string at the
// byte 9C of a rune, never cuts a rune off, and lets numbers overflow.
type parserState struct {
	state parser.State
	// The present sequence: its private mark, its intermediate byte and its numbers. A missing
	// number is -1. more[i] is true if number i+1 belongs to number i, after a colon.
	private byte
	between byte
	invalid bool
	params  [maxParams]int32
	more    [maxParams]bool
	count   int
	final   byte   // the final byte of a DCS
	text    []byte // the content of a string
	long    bool   // the string is longer than maxString

	rune [utf8.UTFMax]byte // the bytes of an unfinished rune
	have int

	pending int // how many bytes of an unfinished sequence or rune have come
}

// write takes bytes until all are taken or too much is waiting. It returns how many it took.
func (m *model) write(p []byte) int {
	for i := 0; i < len(p); {
		if len(m.events) >= maxWaiting || len(m.replies) >= maxReplies || m.work >= maxWork {
			return i
		}
		if m.parser.state == parser.GroundState && m.parser.have == 0 {
			if n := m.ground(p[i:]); n > 0 {
				i += n
				continue
			}
		}
		m.advanceByte(p[i])
		m.parser.note(p[i])
		i++
	}
	return len(p)
}

// ground takes what needs no state: text and control characters. It returns how many bytes it
// took, 0 if a sequence or an incomplete rune begins.
func (m *model) ground(p []byte) int {
	switch b := p[0]; {
	case b-' ' <= '~'-' ':
		n := printable(p)
		m.printASCII(p[:n])
		return n
	case b == 0:
		n := len(p) - len(bytes.TrimLeft(p, "\x00"))
		m.last = 0
		return n
	case b < ' ' && b != 0x1b:
		m.execute(b)
		m.last = 0
		return 1
	case b >= utf8.RuneSelf:
		r, n := utf8.DecodeRune(p)
		if n == 1 {
			return 0
		}
		m.print(r)
		return n
	case b == 0x1b:
		return m.plainSequence(p)
	}
	return 0
}

// plainSequence takes a control sequence that is complete and contains only numbers, as most
// do. It returns 0 for any other sequence.
func (m *model) plainSequence(p []byte) int {
	if len(p) < 3 || p[1] != '[' {
		return 0
	}
	m.parser.clear()
	for i, b := range p[2:] {
		switch {
		case b >= '0' && b <= ';':
			m.parser.param(b)
		case b >= '@' && b <= '~':
			m.csi(b)
			m.last = 0
			return i + 3
		default:
			return 0
		}
	}
	return 0
}

// printable returns how many bytes at the beginning of p are ' ' to '~'.
func printable(p []byte) int {
	for i, b := range p {
		if b-' ' > '~'-' ' {
			return i
		}
	}
	return len(p)
}

// advanceByte takes one byte.
func (m *model) advanceByte(b byte) {
	s := &m.parser
	inString := s.state == parser.OscStringState || s.state >= parser.SosStringState || s.state == parser.DcsStringState
	if s.have > 0 {
		if m.continueRune(b) {
			return
		}
	}
	if b >= utf8.RuneSelf {
		if inString {
			if s.state < parser.SosStringState {
				s.put(b)
			}
			return
		}
		s.state = parser.GroundState // the present sequence is cut off
		m.beginRune(b)
		return
	}
	state, action := parser.Table.Transition(s.state, b)
	switch {
	case s.state == parser.CsiParamState && b >= '<' && b <= '?':
		s.invalid = true
	case s.state == parser.CsiIntermediateState && b >= '0' && b <= '?':
		s.invalid, state = true, s.state
	case s.state == parser.DcsParamState && b >= '<' && b <= '?':
		s.invalid = true
	case s.state == parser.DcsEntryState && action == parser.PutAction:
		state, action = parser.DcsEntryState, parser.IgnoreAction
		if b == 0x1b {
			state, action = parser.EscapeState, parser.ClearAction
		}
	case s.state >= parser.SosStringState && action == parser.PutAction:
		action = parser.IgnoreAction // the content of these strings is not used
	}
	from := s.state
	s.state = state
	m.perform(action, from, b)
}

// perform carries out the action of a transition.
func (m *model) perform(action parser.Action, from parser.State, b byte) {
	s := &m.parser
	switch action {
	case parser.ClearAction:
		s.clear()
	case parser.PrefixAction:
		s.private = b
	case parser.CollectAction:
		s.invalid = s.invalid || s.between != 0
		s.between = b
	case parser.ParamAction:
		s.param(b)
	case parser.StartAction:
		s.text, s.long = s.text[:0], false
		s.final = b
	case parser.PutAction:
		s.put(b)
	case parser.PrintAction:
		m.print(rune(b))
	case parser.ExecuteAction:
		m.execute(b)
		m.last = 0
	case parser.DispatchAction:
		m.dispatch(from, b)
		m.last = 0
	}
	if b == 0x1b {
		s.clear()
	}
}

func (m *model) dispatch(from parser.State, b byte) {
	s := &m.parser
	switch from {
	case parser.CsiEntryState, parser.CsiParamState, parser.CsiIntermediateState:
		if !s.invalid {
			m.csi(b)
		}
	case parser.EscapeState, parser.EscapeIntermediateState:
		if !s.invalid {
			m.escape(b)
		}
	case parser.OscStringState:
		if !s.long {
			m.osc(s.text, b == 0x07)
		}
		s.shrink()
	case parser.DcsStringState:
		if !s.long && !s.invalid {
			m.dcs(s.text)
		}
		s.shrink()
	default:
		s.shrink()
	}
}

// note updates pending after the byte b.
func (s *parserState) note(b byte) {
	switch {
	case s.state == parser.GroundState && s.have == 0:
		s.pending = 0
	case b == 0x1b:
		s.pending = 1
	default:
		s.pending++
	}
}

func (s *parserState) clear() {
	s.private, s.between, s.invalid, s.count = 0, 0, false, 0
}

// param takes a byte of the parameters: a digit, a colon or a semicolon.
func (s *parserState) param(b byte) {
	if s.count == 0 {
		s.count, s.params[0], s.more[0] = 1, -1, false
	}
	if s.count > maxParams {
		return
	}
	last := s.count - 1
	if b >= '0' && b <= '9' {
		s.params[last] = min(max(s.params[last], 0)*10+int32(b-'0'), maxParam)
		return
	}
	s.more[last] = b == ':'
	if s.count++; s.count <= maxParams {
		s.params[s.count-1], s.more[s.count-1] = -1, false
	}
}

// numbers returns the numbers of the sequence.
func (s *parserState) numbers() []int32 { return s.params[:min(s.count, maxParams)] }

// number returns number i. It returns def if that number is missing, or if it is zero and def
// is 1.
func (s *parserState) number(i, def int) int {
	if i >= s.count || i >= maxParams || s.params[i] < 0 || s.params[i] == 0 && def == 1 {
		return def
	}
	return int(s.params[i])
}

func (s *parserState) put(b byte) {
	if len(s.text) >= maxString {
		s.long = true
		return
	}
	s.text = append(s.text, b)
}

// shrink frees the memory of a large string.
func (s *parserState) shrink() {
	if cap(s.text) > 4<<10 {
		s.text = nil
	}
}

// beginRune takes the first byte of a rune that is not ASCII.
func (m *model) beginRune(b byte) {
	s := &m.parser
	s.rune[0], s.have, s.pending = b, 1, 0
	if utf8.FullRune(s.rune[:1]) { // the byte does not begin a rune
		s.have = 0
		m.print(utf8.RuneError)
	}
}

// continueRune takes a byte of a rune that has begun. It reports false if the byte does not
// belong to that rune.
func (m *model) continueRune(b byte) bool {
	s := &m.parser
	s.rune[s.have] = b
	if !utf8.FullRune(s.rune[:s.have+1]) {
		s.have++
		return true
	}
	r, size := utf8.DecodeRune(s.rune[:s.have+1])
	whole := size == s.have+1
	s.have = 0
	m.print(r)
	return whole
}
