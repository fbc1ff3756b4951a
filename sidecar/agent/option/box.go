package option

import (
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// boxed reads the buttons, and the list above them, of the box that has the cursor.
func boxed(v *screen) (Set, bool) {
	f, ok := v.frameAround()
	if !ok {
		return Set{}, false
	}
	y := f.bottom
	for y > f.top && v.isEmpty(y, f) {
		y--
	}
	all, drawn := v.buttonsIn(y, f.left, f.right)
	at, _ := v.focusedButton(all)
	if len(all) == 0 || !drawn && (len(all) < 2 || at < 0) {
		return Set{}, false
	}
	last := y - 1
	for last >= f.top && v.isEmpty(last, f) {
		last--
	}
	first := last
	for first > f.top && !v.isEmpty(first-1, f) {
		first--
	}
	if first == last && v.row == first {
		return Set{}, false // a line of text is entered there
	}
	if set, ok := v.list(first, last, f); ok {
		if at > 0 && v.row == y {
			set.Marked = -1 // Enter would press another button than the first
		}
		set.Text, set.Detail = v.inside(f.top, first, f), v.title(f)
		return set, true
	}
	set := horizontalSet("buttons of a box", nil, all, at)
	set.Text, set.Detail, set.Boxed = v.inside(f.top, y, f), v.title(f), true
	return set, v.row >= f.top && v.row <= f.bottom
}

// isEmpty reports whether a row of a box has nothing but lines. The border of a box inside may
// hold how far its list has been scrolled.
func (v *screen) isEmpty(y int, f frame) bool {
	row := cut(v.text(y), f.left, f.right)
	return blank(unframed(row)) || isBorder(row)
}

// inside returns the text of the rows of a box from the row from to the one before to.
func (v *screen) inside(from, to int, f frame) string {
	var all []string
	for y := from; y < to; y++ {
		if row := cut(v.text(y), f.left, f.right); !isBorder(row) {
			all = append(all, unframed(row))
		}
	}
	return join(all)
}

// title returns the text in the upper border of a box.
func (v *screen) title(f frame) string {
	return strings.Trim(unframed(cut(v.text(f.top-1), f.left, f.right)), " []")
}

// list reads the rows from first to last of a box, if one of them is marked.
func (v *screen) list(first, last int, f frame) (Set, bool) {
	if first >= last || last-first >= optionsMax {
		return Set{}, false
	}
	set := Set{Rule: "a list of a box", Axis: Down, Marked: -1, Boxed: true}
	var labels []part
	for y := first; y <= last; y++ {
		row := bare(unframed(cut(v.text(y), f.left, f.right)))
		from := f.left + columns(row) - columns(strings.TrimLeft(row, " "))
		labels = append(labels, part{row: y, from: from, to: f.left + columns(row)})
		i, ok := v.item(y, from, f.right)
		if !ok {
			return Set{}, false
		}
		label := strings.Join(strings.Fields(unframed(strings.TrimRight(i.label, bar+" "))), " ")
		set.Options = append(set.Options, Option{ID: strconv.Itoa(len(set.Options) + 1), Label: label, Box: i.box == square, Checked: i.checked})
	}
	if v.row >= first && v.row <= last {
		set.Marked = v.row - first
		if v.shown && v.column > labels[set.Marked].from && !set.Options[set.Marked].Box {
			return Set{}, false // a text is entered in a field after its name
		}
		return set, true
	}
	if set.Marked = v.differing(labels, traits[0]); set.Marked < 0 {
		set.Marked = v.differingBackground(labels)
	}
	return set, set.Marked >= 0
}

// differingBackground returns the index of the part whose main background differs from that of the
// others, or -1: a terminal without colours may show a letter of each label in another style.
func (v *screen) differingBackground(parts []part) int {
	values := make([]string, len(parts))
	for i, p := range parts {
		coloured := false
		v.styles(p, func(s term.Style, _ int) { coloured = coloured || s.Fg != 0 || s.Bg != 0 })
		if coloured {
			return -1
		}
		values[i] = v.background(p)
	}
	return odd(values, v.background(part{row: parts[0].row, from: max(parts[0].from-2, 0), to: max(parts[0].from-1, 1)}))
}
