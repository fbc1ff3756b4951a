package option

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// The signs that stand before a label.
const (
	pointers = "❯›▶➜➤►▸‣⯈▌>»" // mark the option that is chosen now
	bullets  = "→*•"          // mark it too, and begin entries of ordinary lists
	hollow   = "○◯◇◻☐⬡⚪□"     // an option that is not checked
	solid    = "●◉◆◼☑☒⬢⦿✔✓■"  // an option that is checked
	round    = "○◯◇●◉◆⦿⚪"     // a set of which one is solid may be a marker that moves
	arrows   = "↑↓⇡⇣▲▼⌃⌄"     // show at the edge of a list that it goes on
	bar      = "↑↓▮▒░█▓▲▼#"   // make a scroll bar
)

// brightBlack is the colour of the palette that terminals draw as grey.
const brightBlack = 8

var (
	// checkbox matches [x], [ ], (*) and the like.
	checkbox = expression(`^(?:\[([ xX*✓✔•-])\]|\(([ *xX•●])\))(?: |$)`)
	// arrow matches a pointer that is made of ASCII characters.
	arrow = expression(`^(?:-{1,2}>|=>) `)
	// besideBox matches a bullet before a check box: it is a pointer.
	besideBox = expression(`^• +[○◯◇◻☐⬡⚪□●◉◆◼☑☒⬢⦿✔✓■]`)
	// edge matches what stands to the right of a label: the side of a box or another box beside
	// it, and a scroll bar.
	edge = expression(`(?:\s*[│┃║])+\s*$|([^\s│┃║├└])\s{2,}[│┃║╭╮╰╯┌┐└┘├┤].*$`)
	// unable matches the label of an option that cannot be chosen.
	unable = expression(`^- .*\(disabled\)`)
)

// item is a row that may be an option.
type item struct {
	part            // of its label
	label   string  // without the number
	id      string  // its number or letter; "" if it has none
	pointer rune    // 0 if it has none
	bullet  bool    // the pointer may be the bullet of an ordinary list
	side    bool    // a line is drawn before it
	box     boxKind // the form of its check box
	checked bool
	round   bool
}

type boxKind int

const (
	noBox  boxKind = iota
	glyph          // ○ ◉ ☐
	square         // [ ] ( )
)

// reader takes signs off the beginning of a row.
type reader struct {
	item
	rest string
}

func (r *reader) skip(n int) { r.from, r.rest = r.from+columns(r.rest[:n]), r.rest[n:] }

func (r *reader) skipBlanks() { r.skip(len(r.rest) - len(strings.TrimLeft(r.rest, " \u00a0"))) }

// item parses the columns of a row from left to right. It reports false if no label is there.
func (v *screen) item(row, left, right int) (item, bool) {
	r := reader{item: item{part: part{row: row, from: left}}, rest: bare(cut(v.text(row), left, right))}
	for {
		r.skipBlanks()
		if v.marks && r.mark() {
			break
		}
		at := r.from
		if !r.sign(v.toggles) {
			break
		}
		if r.box == glyph && r.checked && !r.round && v.isDim(part{row: row, from: at, to: at + 1}) {
			r.checked = false // a dim check mark shows where one would stand
		}
	}
	if v.marks {
		r.box = glyph
	}
	r.skipBlanks()
	i := r.item
	i.to, i.label = i.from+columns(r.rest), r.rest
	if g := entry().FindStringSubmatch(r.rest); g != nil && len(g[0]) < len(r.rest) {
		i.id, i.label = g[1]+g[2]+g[3]+g[4], r.rest[len(g[0]):]
	}
	v.dropRemark(&i)
	return i, strings.Trim(unframed(i.label), " -") != ""
}

// bare returns a row without the blanks, the lines and the scroll bar to the right of its label.
func bare(row string) string {
	if strings.IndexFunc(row, isDrawn) >= 0 {
		row = edge().ReplaceAllString(row, "$1")
	}
	row = strings.TrimRight(row, " \u00a0")
	r, n := lastRune(row)
	if cut := strings.TrimSuffix(row[:len(row)-n], "  "); n > 0 && strings.ContainsRune(bar, r) && len(cut) < len(row)-n {
		return strings.TrimRight(cut, " ")
	}
	return row
}

// sign takes one sign off the row and reports whether there was one. toggles says that • is the
// sign of an option that is not checked.
func (r *reader) sign(toggles bool) bool {
	c, n := first(r.rest)
	if g := checkbox().FindStringSubmatch(r.rest); g != nil {
		r.box, r.checked = square, g[1]+g[2] != " " && g[1]+g[2] != "-"
		r.skip(len(strings.TrimRight(g[0][1:], " ")) + 1) // its sign may be a blank
		return true
	}
	if at := arrow().FindStringIndex(r.rest); at != nil {
		r.pointer, r.bullet = '→', true
		r.skip(at[1] - 1)
		return true
	}
	if c == '-' && unable().MatchString(r.rest) {
		r.skip(1)
		return true
	}
	after, _ := first(r.rest[n:])
	lone := after == ' ' || after == '\u00a0' || after != 0 && strings.ContainsRune(hollow+solid, after)
	switch {
	case n == 0:
		return false
	case strings.ContainsRune(sides+joints+lowerCorners, c):
		r.side = true
	case !lone && after != '[' && after != '>':
		return false
	case strings.ContainsRune(hollow, c), strings.ContainsRune(solid, c), c == '•' && toggles && !besideBox().MatchString(r.rest):
		r.box, r.checked, r.round = glyph, strings.ContainsRune(solid, c), strings.ContainsRune(round, c)
	case strings.ContainsRune(pointers, c), strings.ContainsRune(bullets, c):
		r.pointer, r.bullet = c, strings.ContainsRune(bullets, c)
	case strings.ContainsRune(arrows, c):
	default:
		return false
	}
	r.skip(n)
	return true
}

// mark takes the sign of an option that is checked off the row, if the sign stands right before
// the label, as fzf -m draws it: >>red is both marked and checked, >red is checked.
func (r *reader) mark() bool {
	c, n := first(r.rest)
	after, _ := first(r.rest[n:])
	if n == 0 || !strings.ContainsRune(pointers+sides, c) || after == 0 || after == ' ' || strings.ContainsRune(pointers+sides, after) {
		return false
	}
	r.checked = true
	r.skip(n)
	return true
}

// dropRemark removes the end of a label if it is drawn fainter than its beginning: such a remark
// is often shown only while the option is marked.
func (v *screen) dropRemark(i *item) {
	at := slices.IndexFunc(v.lines[i.row].Spans, func(s term.Span) bool {
		index, ok := s.Style.Fg.Palette()
		grey := s.Style.Faint || ok && index == brightBlack
		return grey && s.From > i.from+1 && s.To >= i.to && s.From < i.to
	})
	if at < 0 {
		return
	}
	from := v.lines[i.row].Spans[at].From
	label := strings.TrimRight(cut(v.text(i.row), i.from, from), " -–—")
	if g := entry().FindString(label); i.id != "" && len(g) <= len(label) {
		label = label[len(g):]
	}
	if label != "" {
		i.label, i.to = label, from
	}
}

// first returns the first character of a text and its length, or 0 if there is none.
func first(s string) (rune, int) {
	if s == "" {
		return 0, 0
	}
	return utf8.DecodeRuneInString(s)
}

// lastRune returns the last character of a text and its length, or 0 if there is none.
func lastRune(s string) (rune, int) {
	if s == "" {
		return 0, 0
	}
	return utf8.DecodeLastRuneInString(s)
}
