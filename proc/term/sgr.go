package term

// style handles SGR, which sets how the following text is drawn.
func (m *model) style() {
	p := m.parser.numbers()
	if len(p) == 0 {
		m.pen = pen{}
	}
	for i := 0; i < len(p); {
		end := i + 1 // the end of the number and those that belong to it
		for end < len(p) && m.parser.more[end-1] {
			end++
		}
		n := max(p[i], 0)
		if n == 38 || n == 48 || n == 58 {
			color, used, ok := readColor(p[i:], end-i)
			switch {
			case !ok:
			case n == 38:
				m.pen.fg = color
			case n == 48:
				m.pen.bg = color
			}
			i += used
			continue
		}
		m.pen.set(n, p[i+1:end])
		i = end
	}
}

// set sets one attribute. sub are the numbers after colons.
func (p *pen) set(n int32, sub []int32) {
	switch {
	case n == 0:
		*p = pen{}
	case n == 4 && len(sub) > 0 && sub[0] == 0, n == 24:
		p.attr &^= underline
	case n >= 1 && n <= 9:
		p.attr |= attributeOf(n)
	case n == 21:
		p.attr |= underline
	case n == 22:
		p.attr &^= bold | faint
	case n >= 23 && n <= 29:
		p.attr &^= attributeOf(n - 20)
	case n >= 30 && n <= 37:
		p.fg = paletteColor(n - 30)
	case n == 39:
		p.fg = 0
	case n >= 40 && n <= 47:
		p.bg = paletteColor(n - 40)
	case n == 49:
		p.bg = 0
	case n >= 90 && n <= 97:
		p.fg = paletteColor(n - 90 + 8)
	case n >= 100 && n <= 107:
		p.bg = paletteColor(n - 100 + 8)
	}
}

// attributeOf returns the attribute for SGR 1 to 9.
func attributeOf(n int32) attribute {
	if n > 5 {
		n-- // 6 is a quicker blink
	}
	return bold << (n - 1)
}

func paletteColor(n int32) Color { return Color(1<<24 | n&0xff) }

func mixedColor(r, g, b int32) Color {
	return Color(2<<24 | clamp32(r)<<16 | clamp32(g)<<8 | clamp32(b))
}

func clamp32(n int32) int32 { return min(max(n, 0), 255) }

// readColor reads the colour that follows 38, 48 or 58 in p: 5;n or 2;r;g;b, or the same with
// colons, where RGB may name a colour space first. own is how many numbers belong together by
// colons. used is how many numbers it took.
func readColor(p []int32, own int) (c Color, used int, ok bool) {
	if own > 1 {
		sub := p[1:own]
		switch {
		case sub[0] == 5 && len(sub) >= 2:
			return paletteColor(clamp32(sub[1])), own, true
		case sub[0] == 2 && len(sub) >= 5:
			return mixedColor(sub[2], sub[3], sub[4]), own, true
		case sub[0] == 2 && len(sub) == 4:
			return mixedColor(sub[1], sub[2], sub[3]), own, true
		}
		return 0, own, false
	}
	switch {
	case len(p) >= 3 && p[1] == 5:
		return paletteColor(clamp32(p[2])), 3, true
	case len(p) >= 5 && p[1] == 2:
		return mixedColor(p[2], p[3], p[4]), 5, true
	case len(p) >= 2 && (p[1] == 5 || p[1] == 2):
		return 0, len(p), false // cut off
	}
	return 0, 1, false
}
