package option

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
)

// footMax is how many rows may stand below the options.
const footMax = 12

// statusMax is how many rows of a status may stand below the hints.
const statusMax = 3

var (
	// hint fits a row that says which keys do what.
	hint = expression(`(?i)[↑↓←→⏎↵].*\b(?:move|navigate|select|highlight|toggle|choose|submit|confirm|enter|arrows?)\b|\b(?:enter|return|esc|escape|tab|space|arrows?|arrow-keys|ctrl[-+]\w|j/k)\b.*(?:\bto |confirm|select|submit|cancel|dismiss|continue|back|toggle|navigate|move|complete|choose)`)
	// count fits a count such as 3/10.
	count = expression(`^\s*[<>]?\s*\d+/\d+(?:\s*\(\d+\))?\s*$`)
	// wants fits the last row of a question.
	wants = expression(`(?i)[?:]\s*[›»…]?$|^[?◆] |\b(?:choose|select|pick|which|arrow-keys)\b`)
)

// foot reports whether a row may stand below the options.
func (v *screen) foot(y int) bool {
	row := unframed(v.text(y))
	return blank(row) || hint().MatchString(row) || text.Spins(row) || count().MatchString(row) || v.shown && y == v.row
}

// status returns the row of the hints that have a status of up to statusMax rows below them.
// On the main screen such rows may have been printed after the options; only a cursor above
// them shows that they were not.
func (v *screen) status() (hints int, ok bool) {
	for y, rows := v.last, 0; y >= 0 && rows <= statusMax; y-- {
		switch row := v.text(y); {
		case hint().MatchString(row):
			return y, rows > 0 && (v.alternate || v.shown && v.row < y)
		case !blank(row):
			rows++
		}
	}
	return 0, false
}

// rows reads options one below the other, of which one is marked, above the hints at the bottom
// of the screen.
func rows(v *screen) (Set, bool) {
	set, ok := rowsAbove(v, v.last)
	if hints, below := v.status(); !ok && below {
		return rowsAbove(v, hints)
	}
	return set, ok
}

// rowsAbove is rows for a screen that ends with the row bottom.
func rowsAbove(v *screen, bottom int) (Set, bool) {
	if v.shown && v.column > 0 && v.row == v.last && !blank(v.before) && !searched().MatchString(v.before) {
		return Set{}, false // a prompt is there
	}
	hints := false
	for y := bottom; y >= 0 && y > bottom-footMax; y-- {
		if v.foot(y) {
			if b, ok := v.block(y); ok && hints && v.row == y && b.entered() {
				if set, ok := b.set(true); ok {
					return set, true
				}
			}
			hints = hints || hint().MatchString(v.text(y))
			continue
		}
		b, ok := v.block(y)
		if !ok {
			return Set{}, false
		}
		return b.set(hints)
	}
	return Set{}, false
}

// entered reports whether the cursor stands on the rows: before an option, or in a box behind
// one that has a number. Elsewhere a text is entered.
func (b *block) entered() bool {
	for _, i := range b.items {
		if b.v.shown && i.row == b.v.row && b.by != 0 {
			side, _ := first(strings.TrimLeft(b.v.text(i.row), " "))
			return b.v.column <= i.from || i.id != "" && drawn(side)
		}
	}
	return false
}

// searched fits a prompt behind which a word is searched.
var searched = expression(`^(?:[│┃] ?)?\S{0,12}[>❯›:] ?\S*$`)

// counted reports whether a row next to the options says how many there are.
func (b *block) counted() bool {
	first, last := b.items[0].row, b.items[len(b.items)-1].row
	for n := 1; n <= 3; n++ {
		if count().MatchString(unframed(b.v.text(first-n))) || count().MatchString(unframed(b.v.text(last+n))) {
			return true
		}
	}
	return false
}

// border reports whether a row is a line across the screen.
func border(row string) bool {
	n := 0
	for _, r := range row {
		if strings.ContainsRune("─━═▀▄", r) {
			n++
		}
	}
	return n >= 8
}

// block is rows that have one form.
type block struct {
	v      *screen
	items  []item
	marked int
	clear  bool // its ground shows the marked one
	by     rune // its pointer
}

// block returns the rows of one form that end with y, one of which is marked. Without colours,
// check boxes may show no mark.
func (v *screen) block(y int) (block, bool) {
	b := block{v: v, marked: -1}
	for ; y >= 0 && len(b.items) <= optionsMax; y-- {
		i, ok := v.item(y, 0, bytesMax)
		if !ok || len(b.items) > 0 && !i.like(b.items[0]) {
			break
		}
		b.items = append(b.items, i)
		if i.id == "1" {
			break
		}
	}
	slices.Reverse(b.items)
	b.trim()
	return b, len(b.items) >= 2 && (b.mark() || b.items[0].box != noBox && b.spaced() && !b.v.shown)
}

// like reports whether two rows have the same form.
func (i item) like(o item) bool {
	return i.from == o.from && (i.id != "") == (o.id != "") && i.box == o.box
}

// trim drops rows at both ends whose left margin has another background colour than the rows
// between them: fzf colours the margin of its options and not that of the rows around them. Rows
// of two colours in turn keep all their options.
func (b *block) trim() {
	margins, count := make([]term.Color, len(b.items)), map[term.Color]int{}
	for n, i := range b.items {
		b.v.styles(part{row: i.row, from: max(i.from-2, 0), to: max(i.from-1, 1)}, func(s term.Style) { margins[n] = s.Bg })
		count[margins[n]]++
	}
	for c, n := range count {
		if first := slices.Index(margins, c); c != 0 && n > len(margins)-n && !slices.ContainsFunc(margins[first:first+n], func(other term.Color) bool { return other != c }) {
			b.items = b.items[first : first+n]
			return // no other colour has more than half of the rows
		}
	}
}

// mark finds the marked option: by a pointer, by its style, or as the only one that is solid.
func (b *block) mark() bool {
	pointers, solids, at := 0, 0, -1
	labels := make([]part, len(b.items))
	for n, i := range b.items {
		labels[n] = i.part
		if i.pointer != 0 {
			pointers++
			b.marked, b.by = n, i.pointer
		}
		if i.box == glyph && i.round && i.checked {
			solids, at = solids+1, n
		}
	}
	lit, clear := b.v.lit(labels)
	switch {
	case pointers > 1:
		b.marked = -1
		return false
	case pointers == 1:
		b.clear = clear && lit == b.marked
		return true
	case solids == 1 && (lit < 0 || lit == at) && !b.spaced():
		b.marked, b.by = at, '●'
		for n := range b.items {
			b.items[n].box, b.items[n].checked = noBox, false
		}
	case lit >= 0:
		b.marked, b.clear = lit, clear
	}
	return b.marked >= 0
}

// spaced reports whether a hint around the options tells of the space key: then they are check
// boxes.
func (b *block) spaced() bool {
	first, last := b.items[0].row, b.items[len(b.items)-1].row
	for y := max(0, first-textRows); y < min(len(b.v.lines), last+footMax); y++ {
		if strings.Contains(strings.ToLower(b.v.text(y)), "space") {
			return true
		}
	}
	return false
}

// set returns the options, if these rows are a question and not a text.
func (b *block) set(hints bool) (Set, bool) {
	first := b.items[0]
	above, top := b.v.above(first.row, 0, bytesMax)
	asks := len(above) > 0 && slices.ContainsFunc(above, func(s string) bool { return wants().MatchString(s) || hint().MatchString(s) })
	menu := hints && asks && b.entered()
	bullet := b.marked >= 0 && b.items[b.marked].bullet && b.by != '●'
	counted := b.counted()
	switch {
	case !counted && border(b.v.text(first.row-1)):
		return Set{}, false // the lines of an input
	case !counted && len(above) == 0 && typed().MatchString(strings.TrimSpace(b.v.text(top-1))):
		return Set{}, false // words that complete what is typed
	case b.v.shown && !counted && !asks:
		return Set{}, false
	case b.v.shown && !b.clear && !menu, bullet && !b.clear:
		return Set{}, false // what a program prints looks so, too
	case b.by == 0 && !b.clear && !hints && first.box == noBox:
		return Set{}, false // a word of a text in colour
	case !hints && !asks && !counted:
		return Set{}, false
	}
	set := Set{Rule: "rows with one marker", Text: join(above), Axis: Down, Marked: b.marked}
	for n, i := range b.items {
		id := i.id
		if id == "" {
			id = strconv.Itoa(n + 1)
		}
		set.Options = append(set.Options, Option{ID: id, Label: i.label, Box: i.box != noBox, Checked: i.checked})
	}
	return set, true
}
