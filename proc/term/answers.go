package term

import (
	"fmt"
	"strconv"
)

// What the terminal tells about itself. Its cells are 8 by 16 pixels, its text is grey on
// black, and its palette is that of xterm.
const (
	answerName             = "sidecar"
	cellWidth, cellHeight  = 8, 16
	foreground, background = 0xcccccc, 0x000000
	maxColorQueries        = 256
	maxCapability          = 512
	deviceAttributes       = "\x1b[?62;22c" // VT220 with colours
	secondaryAttributes    = "\x1b[>1;1;0c"
)

// answer keeps an answer until it is taken.
func (m *model) answer(format string, args ...any) {
	if m.answers == AnswerAll {
		m.replies = fmt.Appendf(m.replies, format, args...)
	}
}

// answerDevice answers DA1, answerSecondary DA2, answerVersion XTVERSION.
func (m *model) answerDevice() { m.answer(deviceAttributes) }

func (m *model) answerSecondary() {
	if m.parser.number(0, 0) == 0 {
		m.answer(secondaryAttributes)
	}
}

func (m *model) answerVersion() {
	if m.parser.number(0, 0) == 0 {
		m.answer("\x1bP>|%s\x1b\\", answerName)
	}
}

// answerReport answers DSR: 5 asks for the terminal's state, 6 for the cursor position.
func (m *model) answerReport(what int, private string) {
	switch {
	case what == 5 && private == "":
		m.answer("\x1b[0n")
	case what == 6:
		b := m.on
		y := b.y
		if m.modes.Origin {
			y -= b.top
		}
		m.answer("\x1b[%s%d;%dR", private, y+1, b.x+1)
	}
}

// answerMode answers DECRQM.
func (m *model) answerMode(private bool) {
	n, mark := m.parser.number(0, 0), ""
	if private {
		mark = "?"
	}
	m.answer("\x1b[%s%d;%d$y", mark, n, m.state(n, private))
}

// answerKeyboard answers the query for the flags of the kitty keyboard protocol.
func (m *model) answerKeyboard(flags int) { m.answer("\x1b[?%du", flags) }

// answerSize answers CSI 14, 16 and 18 t.
func (m *model) answerSize(what int) {
	switch what {
	case 14:
		m.answer("\x1b[4;%d;%dt", m.rows*cellHeight, m.cols*cellWidth)
	case 16:
		m.answer("\x1b[6;%d;%dt", cellHeight, cellWidth)
	case 18:
		m.answer("\x1b[8;%d;%dt", m.rows, m.cols)
	}
}

// answerColor answers a query for the colour called name, with the terminator that the query
// had.
func (m *model) answerColor(name string, rgb int, bell bool) {
	r, g, b := rgb>>16&0xff, rgb>>8&0xff, rgb&0xff
	m.answer("\x1b]%s;rgb:%02x%02x/%02x%02x/%02x%02x%s", name, r, r, g, g, b, b, terminator(bell))
}

func terminator(bell bool) string {
	if bell {
		return "\a"
	}
	return "\x1b\\"
}

// answerStatus answers that program status is understood. The answer has the bytes of the
// query.
func (m *model) answerStatus(bell bool) {
	if m.answers != AnswerNone {
		m.replies = append(append(m.replies, "\x1b]7501;?"...), terminator(bell)...)
	}
}

// dcs handles a device control string: it answers no to the queries it knows.
func (m *model) dcs(text []byte) {
	p := &m.parser
	switch {
	case p.private == 0 && p.between == '+' && p.final == 'q': // XTGETTCAP
		if len(text) <= maxCapability && isHex(text) {
			m.answer("\x1bP0+r%s\x1b\\", text)
		}
	case p.private == 0 && p.between == '$' && p.final == 'q': // DECRQSS
		m.answer("\x1bP0$r\x1b\\")
	}
}

func isHex(text []byte) bool {
	for _, c := range text {
		if _, err := strconv.ParseUint(string(c), 16, 8); err != nil && c != ';' {
			return false
		}
	}
	return true
}

// paletteRGB returns a colour of xterm's palette.
func paletteRGB(n int) int {
	switch {
	case n < 16:
		base := [16]int{0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
			0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff}
		return base[n]
	case n < 232:
		level := func(i int) int {
			if i == 0 {
				return 0
			}
			return 55 + 40*i
		}
		n -= 16
		return level(n/36)<<16 | level(n/6%6)<<8 | level(n%6)
	}
	grey := 8 + 10*(n-232)
	return grey<<16 | grey<<8 | grey
}
