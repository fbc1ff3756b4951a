package option

import (
	"strings"
	"unicode/utf8"
)

const (
	pointers = "❯›▶➜►▸‣⯈▌>" // stand before the option that is chosen now
	bullets  = "→*"         // do too, and begin entries of ordinary lists
	hollow   = "○◯◇◻☐⬡⚪"    // an option that is not checked
	solid    = "●◉◆◼☑☒⬢⦿✔✓" // one that is
	round    = "○◯◇●◉◆⦿⚪"   // a set of which one is solid may be a marker that moves
)

// brightBlack is the colour of the palette that terminals draw as grey.
const brightBlack = 8

// checkbox fits [x], [ ], (*) and the like.
var checkbox = expression(`^(?:\[([ xX*✓✔•-])\]|\(([ *xX•●])\))(?: |$)`)

// item is a row that may be an option.
type item struct {
	part            // of its label
	label   string  // without the number
	id      string  // its number, "" if it has none
	pointer rune    // 0 if it has none
	bullet  bool    // the pointer may be an ordinary bullet
	box     boxKind // what can be checked
	checked bool
	round   bool
}

type boxKind int

const (
	noBox  boxKind = iota
	glyph          // ○ ◉ ☐
	square         // [ ] ( )
)

// item parses the columns left..right of a row; it reports false if no label is there.
func (v *screen) item(row, left, right int) (item, bool) {
	rest := strings.TrimRight(cut(v.text(row), left, right), " \u00a0")
	i := item{part: part{row: row, from: left}}
	skip := func(n int) { i.from, rest = i.from+columns(rest[:n]), rest[n:] }
	blanks := func() { skip(len(rest) - len(strings.TrimLeft(rest, " \u00a0"))) }
	blanks()
	if r, n := first(rest); strings.ContainsRune("│┃║", r) {
		skip(n)
		rest = strings.TrimRight(strings.TrimRight(rest, "│┃║"), " \u00a0")
	}
	for range 3 {
		blanks()
		r, n := first(rest)
		after, _ := first(rest[n:])
		lone := after == ' ' || after == '\u00a0' || strings.ContainsRune(hollow+solid, after) && after != 0
		if g := checkbox().FindStringSubmatch(rest); g != nil {
			i.box, i.checked = square, g[1]+g[2] != " " && g[1]+g[2] != "-"
			skip(3)
			continue
		}
		switch {
		case n == 0 || !lone && after != '[' && after != '>':
		case strings.ContainsRune(pointers, r), strings.ContainsRune(bullets, r):
			i.pointer, i.bullet = r, strings.ContainsRune(bullets, r)
			skip(n)
		case strings.ContainsRune(hollow, r), strings.ContainsRune(solid, r):
			i.box, i.checked, i.round = glyph, strings.ContainsRune(solid, r), strings.ContainsRune(round, r)
			skip(n)
		}
	}
	blanks()
	i.to, i.label = i.from+columns(rest), rest
	if g := entry().FindStringSubmatch(rest); g != nil && len(g[0]) < len(rest) {
		i.id, i.label = g[1]+g[2]+g[3]+g[4], rest[len(g[0]):]
	}
	v.dropRemark(&i)
	return i, strings.Trim(unframed(i.label), " -") != ""
}

// dropRemark leaves out the end of a label that is drawn fainter than its beginning: it is shown
// only while the option is marked.
func (v *screen) dropRemark(i *item) {
	for _, s := range v.lines[i.row].Spans {
		index, ok := s.Style.Fg.Palette()
		grey := s.Style.Faint || ok && index == brightBlack
		if !grey || s.From <= i.from+1 || s.To < i.to || s.From >= i.to {
			continue
		}
		label := strings.TrimRight(cut(v.text(i.row), i.from, s.From), " -–—")
		if g := entry().FindString(label); i.id != "" && len(g) <= len(label) {
			label = label[len(g):]
		}
		if label != "" {
			i.label, i.to = label, s.From
		}
		return
	}
}

// first returns the first character of a text and its length, 0 if there is none.
func first(s string) (rune, int) {
	if s == "" {
		return 0, 0
	}
	return utf8.DecodeRuneInString(s)
}
