package option

import (
	"strconv"
	"strings"
)

const (
	buttonMax  = 24 // columns of a button without signs around it
	drawnMax   = 40 // and of one with
	buttonsMax = 8
)

var (
	// button fits <Yes>, < OK >, [ Cancel ].
	button = expression(`<\s*([^<>\s][^<>]*?)\s*>|\[ +([^\[\]\s][^\[\]]*?) +\]`)
	// piece fits what stands between wide gaps.
	piece = expression(`\S+(?: \S+)*`)
	// either fits what stands between strokes at the end of a row: no / yes.
	either = expression(`(?:^|[›‣»…:?│┃] +)([●○◉◯]? ?[^/|?:›‣│┃]{1,24}?(?: [/|] [●○◉◯]? ?[^/|?:›‣│┃]{1,24}?){1,5})\s*$`)
	stroke = expression(` [/|] `)
)

// choice is one of several buttons.
type choice struct {
	part
	label string
}

// buttonsIn returns the buttons of the columns left..right of a row that has nothing else.
// drawn says that they have signs around them.
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

func (v *screen) choice(row, left int, text string, from, to int, label string) choice {
	begin := left + columns(text[:from])
	return choice{part: part{row: row, from: begin, to: begin + columns(text[from:to])}, label: strings.TrimSpace(label)}
}

func parts(all []choice) []part {
	p := make([]part, len(all))
	for i, c := range all {
		p[i] = c.part
	}
	return p
}

// pressed returns which button Enter would press: the one with the cursor, or the one that is
// drawn as marked.
func (v *screen) pressed(all []choice) (at int, clear bool) {
	if at := v.pointed(parts(all)); at >= 0 {
		return at, true
	}
	return v.lit(parts(all))
}

// buttons reads the buttons of the last row that is no hint.
func buttons(v *screen) (Set, bool) {
	for y := v.last; y >= 0 && y > v.last-footMax; y-- {
		if set, ok := v.hinted(y); ok {
			return set, true
		}
		if v.foot(y) {
			continue
		}
		if set, ok := v.switches(y); ok {
			return set, true
		}
		all, drawn := v.buttonsIn(y, 0, bytesMax)
		if len(all) < 2 {
			return Set{}, false
		}
		at, clear := v.pressed(all)
		if at < 0 || !drawn && (!clear || v.shown) || v.shown && v.row != y {
			return Set{}, false
		}
		above, _ := v.above(y, 0, bytesMax)
		return across("buttons in one row", above, all, at), len(above) > 0
	}
	return Set{}, false
}

// across returns the set of one row.
func across(rule string, above []string, all []choice, marked int) Set {
	set := Set{Rule: rule, Text: join(above), Axis: Across, Marked: marked}
	for i, c := range all {
		set.Options = append(set.Options, Option{ID: strconv.Itoa(i + 1), Label: strings.TrimLeft(c.label, hollow+solid+" ")})
	}
	return set
}

// switches reads `no / yes`, of which one is underlined, and `● Yes / ○ No`.
func (v *screen) switches(y int) (Set, bool) {
	text := strings.TrimRight(v.text(y), " ")
	g := either().FindStringSubmatchIndex(text)
	if g == nil || v.shown {
		return Set{}, false
	}
	var all []choice
	at, solids := -1, 0
	begin := g[2]
	for _, end := range append(stroke().FindAllStringIndex(text[g[2]:g[3]], -1), []int{g[3] - g[2], 0}) {
		label := text[begin : g[2]+end[0]]
		if strings.ContainsAny(label, solid) {
			at, solids = len(all), solids+1
		}
		all = append(all, v.choice(y, 0, text, begin, g[2]+end[0], label))
		begin = g[2] + end[1]
	}
	if solids == 0 {
		at, _ = v.unmarked(all)
	} else if solids > 1 {
		at = -1
	}
	above := []string{strings.TrimSpace(unframed(text[:g[2]]))}
	if above[0] == "" {
		above, _ = v.above(y, 0, bytesMax)
	}
	set := across("words of one row", above, all, at)
	return set, at >= 0 && len(all) >= 2 && set.Text != ""
}

// unmarked is lit for words of one row: what stands to the left of them is no measure.
func (v *screen) unmarked(all []choice) (at int, clear bool) {
	for _, t := range traits {
		if t.plain == "" {
			t.plain = t.of(plainStyle)
		}
		if at := v.unlike(parts(all), t); at >= 0 {
			return at, t.clear
		}
	}
	return -1, false
}
