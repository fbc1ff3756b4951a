package option

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// frame is a box that is drawn around a part of the screen: what is inside of it.
type frame struct{ top, bottom, left, right int }

// boxed reads the buttons and the list of the box that has the cursor.
func boxed(v *screen) (Set, bool) {
	f, ok := v.frame()
	if !ok {
		return Set{}, false
	}
	y := f.bottom
	for y > f.top && v.empty(y, f) {
		y--
	}
	all, drawn := v.buttonsIn(y, f.left, f.right)
	at, _ := v.pressed(all)
	if len(all) == 0 || !drawn && (len(all) < 2 || at < 0) {
		return Set{}, false
	}
	last := y - 1
	for last >= f.top && v.empty(last, f) {
		last--
	}
	first := last
	for first > f.top && !v.empty(first-1, f) {
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
	set := across("buttons of a box", nil, all, at)
	set.Text, set.Detail, set.Boxed = v.inside(f.top, y, f), v.title(f), true
	return set, v.row >= f.top && v.row <= f.bottom
}

func (v *screen) empty(y int, f frame) bool { return blank(unframed(cut(v.text(y), f.left, f.right))) }

// inside returns the text of the rows from..to of a box.
func (v *screen) inside(from, to int, f frame) string {
	var all []string
	for y := from; y < to; y++ {
		all = append(all, unframed(cut(v.text(y), f.left, f.right)))
	}
	return join(all)
}

// title returns the text in the upper border.
func (v *screen) title(f frame) string {
	return strings.Trim(unframed(cut(v.text(f.top-1), f.left, f.right)), " []")
}

// list reads the rows first..last of a box if one of them is marked.
func (v *screen) list(first, last int, f frame) (Set, bool) {
	if first >= last || last-first >= optionsMax {
		return Set{}, false
	}
	set := Set{Rule: "a list of a box", Axis: Down, Marked: -1, Boxed: true}
	var labels []part
	for y := first; y <= last; y++ {
		text := strings.TrimRight(unframed(cut(v.text(y), f.left, f.right)), " ")
		from := f.left + columns(text) - columns(strings.TrimLeft(text, " "))
		labels = append(labels, part{row: y, from: from, to: f.left + columns(text)})
		i, ok := v.item(y, from, f.right)
		if !ok {
			return Set{}, false
		}
		label := strings.Join(strings.Fields(unframed(strings.TrimRight(i.label, "↑↓▮▒░█▓# "))), " ")
		set.Options = append(set.Options, Option{ID: strconv.Itoa(len(set.Options) + 1), Label: label, Box: i.box == square, Checked: i.checked})
	}
	if v.row >= first && v.row <= last {
		set.Marked = v.row - first
	} else {
		set.Marked = v.unlike(labels, traits[0])
	}
	return set, set.Marked >= 0
}

// frame finds the outermost box around the cursor.
func (v *screen) frame() (frame, bool) {
	row := v.text(v.row)
	left, right, column := -1, -1, 0
	for _, r := range row {
		if strings.ContainsRune("│┃║|", r) {
			switch {
			case column < v.column && left < 0:
				left = column
			case column > v.column:
				right = column
			}
		}
		column += term.Width(r)
	}
	if left < 0 || right < 0 {
		return frame{}, false
	}
	top := v.corner(v.row, -1, left, right, "┌╔╭┏+")
	bottom := v.corner(v.row, 1, left, right, "└╚╰┗+")
	return frame{top: top + 1, bottom: bottom - 1, left: left + 1, right: right}, top >= 0 && bottom > v.row
}

// corner returns the row of the box's border in one direction, -1 if the sides do not go there.
func (v *screen) corner(y, step, left, right int, corners string) int {
	for y += step; y >= 0 && y < len(v.lines); y += step {
		side, _ := first(cut(v.text(y), left, left+1))
		other, _ := first(cut(v.text(y), right, right+1))
		switch {
		case strings.ContainsRune(corners, side) && side != 0:
			return y
		case !slices.Contains([]rune("│┃║|├╠┝┣╟"), side) || !drawn(other) && other != '|':
			return -1
		}
	}
	return -1
}
