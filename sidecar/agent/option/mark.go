package option

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// trait is one property of a style by which a marked option differs from the others. plain is
// its value on what is not marked, "" if that is the value of what stands to the left.
type trait struct {
	of    func(term.Style) string
	plain string
	clear bool // nothing but a marker is drawn so
}

var traits = []trait{
	{of: func(s term.Style) string { return fmt.Sprint("ground ", s.Bg, s.Reverse) }, clear: true},
	{of: func(s term.Style) string { return fmt.Sprint("underlined ", s.Underline) }, plain: "underlined false"},
	{of: func(s term.Style) string { return fmt.Sprint("bold ", s.Bold) }, plain: "bold false"},
	{of: func(s term.Style) string { return fmt.Sprint("faint ", s.Faint) }, plain: "faint true"},
	{of: func(s term.Style) string { return fmt.Sprint("colour ", s.Fg) }, plain: "colour 0"},
}

// lit returns which of the parts is drawn in another way than all others, -1 if the screen does
// not tell. clear says that its ground shows it.
func (v *screen) lit(parts []part) (at int, clear bool) {
	for _, t := range traits {
		if at := v.unlike(parts, t); at >= 0 {
			return at, t.clear
		}
	}
	return -1, false
}

// unlike is lit for one trait.
func (v *screen) unlike(parts []part, t trait) int {
	values := make([]string, len(parts))
	for i, p := range parts {
		values[i] = v.value(p, t)
	}
	plain := t.plain
	if plain == "" && len(parts) > 0 {
		plain = v.value(part{row: parts[0].row, from: max(parts[0].from-2, 0), to: max(parts[0].from-1, 1)}, t)
	}
	return odd(values, plain)
}

// odd returns the index of the only value that differs from the others, which are all equal; -1
// if there is none. Of two values, the one that is not plain differs.
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

// value returns all values of a trait in a part.
func (v *screen) value(p part, t trait) string {
	var all []string
	v.styles(p, func(s term.Style) { all = append(all, t.of(s)) })
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// pointed returns the part that the cursor is in, -1 if it is in none.
func (v *screen) pointed(parts []part) int {
	return slices.IndexFunc(parts, func(p part) bool { return p.row == v.row && p.from <= v.column && v.column < p.to })
}

// plainStyle is the terminal's own.
var plainStyle term.Style
