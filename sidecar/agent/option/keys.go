package option

import (
	"slices"
	"strings"
)

const (
	// keysMax is how many keys one row names at most; a row of more is a bar of commands.
	keysMax = 8
	// keyLabelMax is how many columns the words of a key take at most; longer ones are a text.
	keyLabelMax = 24
)

var (
	// gaps matches what separates the keys of one row.
	gaps = expression(`\s*[•·|,;]\s+|\s{2,}|\t`)
	// keyed matches a key and its meaning: y: yes, [y] yes, <n> no, q = quit.
	keyed = expression(`^[\[(<]?([\p{L}\d])[\])>]?\s*(?:[:=]\s*|\s|-\s)\s*(\p{L}[\p{L}' ]*)$`)
	// answers are words that answer a question. Words such as quit or help also stand in the
	// bar of a program that asks nothing.
	answers = expression(`(?i)^(?:y|n|yes|no|accept|reject|allow|deny|approve|decline|overwrite|keep|replace|retry|abort|ignore|continue|discard)\b`)
)

// keys reads a row that names keys and their meaning: y: yes  n: no  q: quit. A question stands
// above it, and one of the words is an answer.
func keys(v *screen) (Set, bool) {
	for y := v.last; y >= 0 && y > v.last-footMax; y-- {
		if set, ok := v.keysIn(y); ok {
			return set, true
		}
		if !v.isFooter(y) {
			return Set{}, false
		}
	}
	return Set{}, false
}

// keysIn reads the keys of one row. A cursor that is shown waits in that row or below it.
func (v *screen) keysIn(y int) (Set, bool) {
	row := strings.TrimSpace(unframed(v.text(y)))
	set := Set{Rule: "keys in one row", Marked: -1}
	answered := false
	for _, piece := range gaps().Split(row, keysMax+1) {
		g := keyed().FindStringSubmatch(strings.TrimSpace(piece))
		if g == nil || columns(g[2]) > keyLabelMax {
			continue // the name of another key
		}
		answered = answered || answers().MatchString(g[2])
		set.typed(g[1], g[2])
	}
	if len(set.Options) < 2 || !answered || v.shown && v.row < y {
		return Set{}, false
	}
	for top := y; top > 0; {
		var above []string
		if above, top = v.above(top, 0, bytesMax); len(above) == 0 || y-top > footMax {
			break
		}
		if strings.HasSuffix(above[len(above)-1], "?") {
			set.Text = join(above)
			return set, true
		}
	}
	return Set{}, false
}

// wideGap matches what separates columns.
var wideGap = expression(`\s{2,}`)

// keyRow matches a row with a key and a label.
var keyRow = expression(`^([\p{L}\d]) {1,4}(\S.*)$`)

// keyRows reads rows that each begin with a key on a background of its own, before the option that
// the key chooses.
func keyRows(v *screen) (Set, bool) {
	bottom := v.last
	for bottom > 0 && v.isFooter(bottom) {
		bottom--
	}
	set := Set{Rule: "rows that begin with a key", Marked: -1}
	y := bottom
	for ; y >= 0 && bottom-y < optionsMax; y-- {
		row := unframed(v.text(y))
		g := keyRow().FindStringSubmatch(strings.TrimSpace(row))
		at := columns(row) - columns(strings.TrimLeft(row, " "))
		if g == nil || !v.hasBackground(part{row: y, from: at, to: at + 1}) || v.hasBackground(part{row: y, from: at + 3, to: at + 4}) {
			break
		}
		label := wideGap().Split(g[2], 2)[0] // more keys may stand after a gap
		set.Options = append(set.Options, Option{ID: g[1], Label: label, Type: g[1]})
	}
	slices.Reverse(set.Options)
	above, _ := v.above(y+1, 0, bytesMax)
	set.Text = join(above)
	return set, len(set.Options) >= 2 && len(above) > 0 && (!v.shown || v.row == y) && wants().MatchString(above[len(above)-1])
}
