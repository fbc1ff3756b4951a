package option

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// trait is one property of a style by which the marked option differs from the others.
type trait struct {
	of func(term.Style) string
	// plain is the value on an option that is not marked. If it is "", that is the value in the
	// margin to the left of the options.
	plain string
	clear bool // only a marker is drawn so
}

var traits = []trait{
	{of: backgroundOf, clear: true},
	{of: func(s term.Style) string { return fmt.Sprint("underlined ", s.Underline) }, plain: "underlined false"},
	{of: func(s term.Style) string { return fmt.Sprint("bold ", s.Bold) }, plain: "bold false"},
	{of: func(s term.Style) string { return fmt.Sprint("faint ", s.Faint) }, plain: "faint true"},
	{of: func(s term.Style) string { return fmt.Sprint("colour ", s.Fg) }, plain: "colour 0"},
}

// backgroundOf returns what is behind the characters.
func backgroundOf(s term.Style) string { return fmt.Sprint("background ", s.Bg, s.Reverse) }

// markedByStyle returns the index of the part whose style differs from that of all other parts.
// It is -1 if there is none. clear reports that the background differs.
func (v *screen) markedByStyle(parts []part) (at int, clear bool) {
	for _, t := range traits {
		if at := v.differing(parts, t); at >= 0 {
			return at, t.clear
		}
		if t.clear && len(parts) == 2 && v.value(parts[0], t) != v.value(parts[1], t) {
			return v.coloured(parts), true // two buttons on values of their own
		}
	}
	return -1, false
}

// coloured returns the index of the one of two parts whose background is a colour while that of
// the other one is grey or the terminal's own. It is -1 if that holds for neither or both.
func (v *screen) coloured(parts []part) int {
	at := -1
	for i, p := range parts {
		vivid := false
		v.styles(p, func(s term.Style, _ int) { vivid = vivid || !isGrey(s.Bg) })
		switch {
		case vivid && at >= 0:
			return -1
		case vivid:
			at = i
		}
	}
	return at
}

// isGrey reports whether a colour is black, white, grey or the terminal's own.
func isGrey(c term.Color) bool {
	if i, ok := c.Palette(); ok {
		return i == 0 || i == 7 || i == brightBlack || i == 15 || i == 16 || i == 59 || i == 102 || i == 145 || i == 188 || i >= 231
	}
	r, g, b, _ := c.RGB()
	return max(r, g, b)-min(r, g, b) < 24 // a tint this weak is seen as grey
}

// differing is markedByStyle for one trait.
func (v *screen) differing(parts []part, t trait) int {
	values := make([]string, len(parts))
	for i, p := range parts {
		values[i] = v.value(p, t)
	}
	plain := t.plain
	if plain == "" && len(parts) > 0 {
		plain = v.value(v.margin(parts[0], t), t)
	}
	return odd(values, plain)
}

// paddingMax is how many columns of its own background a button may have to the left of its label.
const paddingMax = 4

// margin returns the column to the left of a part that shows how its surroundings are drawn. The
// padding of a button is passed over.
func (v *screen) margin(p part, t trait) part {
	own := v.value(p, t)
	at := part{row: p.row, from: max(p.from-2, 0), to: max(p.from-1, 1)}
	for at.from > 0 && p.from-at.from <= paddingMax && v.value(at, t) == own {
		at.from, at.to = at.from-1, at.to-1
	}
	return at
}

// odd returns the index of the only value that differs from the others, which are all equal. It is
// -1 if there is none. Of two values, the one that is not plain differs.
func odd(values []string, plain string) int {
	count := map[string]int{}
	for _, value := range values {
		count[value]++
	}
	if len(count) != 2 {
		return -1
	}
	return slices.IndexFunc(values, func(value string) bool {
		return count[value] == 1 && (len(values) > 2 || value != plain && count[plain] > 0)
	})
}

// value returns all values that a trait has in a part.
func (v *screen) value(p part, t trait) string {
	var all []string
	v.styles(p, func(s term.Style, _ int) { all = append(all, t.of(s)) })
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// background returns the background that most columns of a part have.
func (v *screen) background(p part) (most string) {
	width := map[string]int{}
	v.styles(p, func(s term.Style, columns int) {
		g := backgroundOf(s)
		if width[g] += columns; width[g] > width[most] {
			most = g
		}
	})
	return most
}

// hasBackground reports whether a part has another background than the terminal's own.
func (v *screen) hasBackground(p part) bool {
	has := false
	v.styles(p, func(s term.Style, _ int) { has = has || s.Reverse || s.Bg != 0 })
	return has
}

// pointed returns the index of the part that has the cursor, or -1.
func (v *screen) pointed(parts []part) int {
	return slices.IndexFunc(parts, func(p part) bool { return p.row == v.row && p.from <= v.column && v.column < p.to })
}
