package option

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// separatorMax is how many columns a line between two groups of options takes at most. The lines
// around an input are longer.
const separatorMax = 30

var (
	// titled matches a line between options that holds a title: -- more --.
	titled = expression(`^-{2,} .+ -{2,}$`)
	// goesOn matches a row at the edge of a list that goes on: ↑ 3 more, …, (2 more).
	goesOn = expression(`(?i)^(?:[↑↓⇡⇣▲▼△▽⌃⌄]+|…|\.{3}|•{3}|⋮|[↑↓⇡⇣▲▼…]+\s*(?:\(?\+?\d+\)?\s*)?(?:more|above|below)\b.*|\(?\+?\d+ more\b.{0,24}|[↑↓▲▼] ?\(?\+?\d+\)?)$`)
)

// block is rows of one form, one below the other.
type block struct {
	v       *screen
	items   []item
	top     int // the first row, with those that show that the list goes on
	marked  int
	clear   bool // the background shows the marked option
	pointer rune // marks the chosen row; 0 if its style does
	chooses bool // a hint says which keys choose
	heading bool // the row above the options is a heading
}

// block returns the rows of one form that end with a row, of which one is marked. Check boxes on a
// screen without colours need not show which one is marked.
func (v *screen) block(y int) (block, bool) {
	b := block{v: v, marked: -1}
	for gap := false; y >= 0 && len(b.items) <= optionsMax; y-- {
		i, ok := v.item(y, 0, bytesMax)
		if len(b.items) > 0 && !gap && v.isSeparator(y) {
			gap = true
			continue
		}
		if !ok || v.goesOn(y) || isCount(unframed(v.text(y))) || v.shown && y == v.row && asking().MatchString(v.before) || len(b.items) > 0 && !i.like(b.items[0]) {
			break
		}
		if i.pointer != 0 && b.pointer != 0 && i.pointer != b.pointer {
			break // the prompt of a row in which text is entered
		}
		if i.pointer != 0 {
			b.pointer = i.pointer
		}
		b.items, gap = append(b.items, i), false
		if i.id == "1" {
			break
		}
	}
	slices.Reverse(b.items)
	b.pointer = 0
	b.trim()
	if len(b.items) < 2 {
		return b, false
	}
	ok := b.dropHeading() || b.mark() || b.isChecklist()
	for b.top = b.items[0].row; b.top > 0 && v.goesOn(b.top-1); {
		b.top--
	}
	return b, ok
}

// goesOn reports whether a row shows only that the list above or below it goes on.
func (v *screen) goesOn(y int) bool {
	row := strings.TrimSpace(unframed(v.text(y)))
	return len(row) <= shortMax && goesOn().MatchString(row)
}

// isSeparator reports whether a row is a line between two groups of options.
func (v *screen) isSeparator(y int) bool {
	row := strings.TrimSpace(v.text(y))
	if titled().MatchString(row) {
		return columns(row) <= separatorMax
	}
	return row != "" && strings.Trim(row, "─━-") == "" && columns(row) <= separatorMax
}

// like reports whether two rows have the same form. Check boxes may stand in a tree.
func (i item) like(o item) bool {
	return (i.from == o.from || i.box != noBox && i.side && o.side) && (i.id != "") == (o.id != "") && i.box == o.box
}

// trim drops rows at both ends whose left margin has another background colour than the rows
// between them: fzf colours the margin of its options and not that of the rows around them. Rows
// of two colours in turn keep all their options.
func (b *block) trim() {
	margins, count := make([]term.Color, len(b.items)), map[term.Color]int{}
	for n, i := range b.items {
		b.v.styles(part{row: i.row, from: max(i.from-2, 0), to: max(i.from-1, 1)}, func(s term.Style, _ int) { margins[n] = s.Bg })
		count[margins[n]]++
	}
	for c, n := range count {
		if first := slices.Index(margins, c); c != 0 && n > len(margins)-n && !slices.ContainsFunc(margins[first:first+n], func(other term.Color) bool { return other != c }) {
			b.items = b.items[first : first+n]
			return // no other colour has more than half of the rows
		}
	}
}

// mark finds the marked option: by a pointer, by its style, or as the only one with a solid sign.
func (b *block) mark() bool {
	pointers, solids, at := 0, 0, -1
	labels := make([]part, len(b.items))
	for n, i := range b.items {
		labels[n] = i.part
		if i.pointer != 0 {
			pointers++
			b.marked, b.pointer = n, i.pointer
		}
		if i.box == glyph && i.round && i.checked {
			solids, at = solids+1, n
		}
	}
	styled, clear := b.v.markedByStyle(labels)
	switch {
	case pointers > 1:
		b.marked = -1
		return false
	case pointers == 1:
		b.clear = clear && styled == b.marked
		return true
	case solids == 1 && (styled < 0 || styled == at) && !b.hasSpaceKey():
		b.marked, b.pointer = at, '●'
		for n := range b.items {
			b.items[n].box, b.items[n].checked = noBox, false
		}
	case styled >= 0:
		b.marked, b.clear = styled, clear
	}
	return b.marked >= 0
}

// isChecklist reports whether the rows are check boxes, as a hint about the space key tells, of
// which no style shows the marked one.
func (b *block) isChecklist() bool {
	return b.items[0].box != noBox && b.hasSpaceKey() && !b.v.shown
}

// dropHeading drops the first row if it has a background of its own, like the heading of a table,
// and another background shows which of the other rows is marked.
func (b *block) dropHeading() bool {
	if len(b.items) < 3 {
		return false
	}
	rest := block{v: b.v, items: b.items[1:], marked: -1}
	if !b.v.hasBackground(b.items[0].part) || !rest.mark() || !rest.clear ||
		b.v.background(b.items[0].part) == b.v.background(rest.items[rest.marked].part) {
		return false
	}
	rest.heading = true
	*b = rest
	return true
}

// hasSpaceKey reports whether a hint around the options names the space key: then they are check
// boxes.
func (b *block) hasSpaceKey() bool {
	first, last := b.items[0].row, b.items[len(b.items)-1].row
	for y := max(0, first-textRows); y < min(len(b.v.lines), last+footMax); y++ {
		if strings.Contains(strings.ToLower(b.v.text(y)), "space") {
			return true
		}
	}
	return false
}

// cursorOnRow reports whether the cursor stands on an option: before its label, or in a box
// after a label that has a number. At any other place a text is entered.
func (b *block) cursorOnRow() bool {
	for _, i := range b.items {
		if b.v.shown && i.row == b.v.row && b.pointer != 0 {
			side, _ := first(strings.TrimLeft(b.v.text(i.row), " "))
			return b.v.column <= i.from || i.id != "" && isDrawn(side)
		}
	}
	return false
}
