package option

import (
	"slices"
	"strconv"
	"strings"
)

// The limits of buttons. A row of longer or of more pieces is a text or a table.
const (
	buttonMax  = 24 // columns of a button without signs around it
	drawnMax   = 40 // columns of a button with signs around it
	buttonsMax = 8  // buttons in one row
)

var (
	// button matches <Yes>, < OK >, [ Cancel ].
	button = expression(`<\s*([^<>\s][^<>]*?)\s*>|\[ +([^\[\]\s][^\[\]]*?) +\]`)
	// piece matches what stands between wide gaps.
	piece = expression(`\S+(?: \S+)*`)
)

// choice is one of several buttons.
type choice struct {
	part
	label string
}

// buttonsIn returns the buttons in the columns of a row from left to right, if nothing else is
// there. drawn reports that they have signs around them.
func (v *screen) buttonsIn(row, left, right int) (all []choice, drawn bool) {
	text := strings.TrimRight(unframed(cut(v.text(row), left, right)), " ")
	places := button().FindAllStringSubmatchIndex(text, buttonsMax+1)
	if rest := button().ReplaceAllString(text, ""); len(places) > 0 && blank(rest) {
		for _, g := range places {
			label := text[max(g[2], g[4]):max(g[3], g[5])]
			all = append(all, v.choice(row, left, text, g[0], g[1], label))
			if columns(label) > drawnMax {
				return nil, false
			}
		}
		return all, len(all) <= buttonsMax
	}
	for _, g := range piece().FindAllStringIndex(text, buttonsMax+1) {
		all = append(all, v.choice(row, left, text, g[0], g[1], text[g[0]:g[1]]))
		if n := len(all); n > buttonsMax || all[n-1].to-all[n-1].from > buttonMax || n > 1 && all[n-1].from-all[n-2].to < 2 {
			return nil, false
		}
	}
	return all, false
}

// choice returns the button whose characters from and to a text has, which begins at a column.
func (v *screen) choice(row, left int, text string, from, to int, label string) choice {
	begin := left + columns(text[:from])
	return choice{part: part{row: row, from: begin, to: begin + columns(text[from:to])}, label: strings.TrimSpace(label)}
}

// parts returns where the buttons stand.
func parts(all []choice) []part {
	p := make([]part, len(all))
	for i, c := range all {
		p[i] = c.part
	}
	return p
}

// focusedButton returns the index of the button that Enter would press: the one that has the
// cursor, or the one whose style marks it. It is -1 if the screen does not show one.
func (v *screen) focusedButton(all []choice) (at int, clear bool) {
	if at := v.pointed(parts(all)); at >= 0 {
		return at, true
	}
	return v.markedByStyle(parts(all))
}

// buttons reads the buttons of the last row that is no hint.
func buttons(v *screen) (Set, bool) {
	for y := v.last; y >= 0 && y > v.last-footMax; y-- {
		if set, ok := v.buttonsWithHint(y); ok {
			return set, true
		}
		if v.isFooter(y) && (!v.shown || v.row != y) {
			continue
		}
		if set, ok := v.switches(y); ok {
			return set, true
		}
		all, drawn := v.buttonsIn(y, 0, bytesMax)
		if len(all) < 2 {
			if v.isFooter(y) {
				continue
			}
			return Set{}, false
		}
		at, clear := v.focusedButton(all)
		if at < 0 || v.shown && v.row != y || !drawn && (!clear || !v.isFocused(all[at]) || v.inTable(y, all)) {
			return Set{}, false
		}
		above, _ := v.above(y, 0, bytesMax)
		return horizontalSet("buttons in one row", above, all, at), len(above) > 0
	}
	return Set{}, false
}

// isFocused reports whether a button without signs has the cursor at its beginning and a background
// of its own, or the cursor is hidden: at any other place of a row a text is entered.
func (v *screen) isFocused(c choice) bool {
	return !v.shown || v.column == c.from && v.hasBackground(c.part)
}

// inTable reports whether the row above has pieces in the same columns: the rows are a table.
func (v *screen) inTable(y int, all []choice) bool {
	over, _ := v.buttonsIn(y-1, 0, bytesMax)
	return len(over) == len(all) && !slices.ContainsFunc(over, func(c choice) bool {
		return !slices.ContainsFunc(all, func(d choice) bool { return c.from == d.from })
	})
}

// horizontalSet returns the options that stand in one row.
func horizontalSet(rule string, above []string, all []choice, marked int) Set {
	set := Set{Rule: rule, Text: join(above), Axis: Across, Marked: marked}
	for i, c := range all {
		set.Options = append(set.Options, Option{ID: strconv.Itoa(i + 1), Label: strings.TrimLeft(c.label, hollow+solid+" ")})
	}
	return set
}
