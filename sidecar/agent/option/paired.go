package option

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// pairedRows reads options of two rows each, a label and a description below it, which blank rows
// may separate. The marked one has a pointer or a line before it, or a style of its own.
func pairedRows(v *screen) (Set, bool) {
	if v.shown {
		return Set{}, false
	}
	hints := v.hintsBelow
	y := v.last
	for end := v.last - footMax; y >= 0 && y > end && v.isFooter(y); y-- {
		if v.alternate && blank(v.text(y)) {
			end--
		}
		hints = hints || v.isHint(y)
	}
	p := pairs{v: v}
	for len(p.labels) <= optionsMax && p.add(&y) {
	}
	if len(p.labels) < 2 {
		return Set{}, false
	}
	slices.Reverse(p.labels)
	slices.Reverse(p.texts)
	top := p.labels[0].row
	above, _ := v.above(top, 0, bytesMax)
	asks := len(above) > 0 && slices.ContainsFunc(above, func(s string) bool { return wants().MatchString(s) })
	at, styled := p.mark()
	if at < 0 || !hints || !styled && (!asks || p.lined) {
		return Set{}, false
	}
	set := Set{Rule: "rows with a description", Text: join(above), Axis: Down, Marked: at}
	for n, i := range p.labels {
		id := i.id
		if id == "" {
			id = strconv.Itoa(n + 1)
		}
		set.Options = append(set.Options, Option{ID: id, Label: i.label, Box: i.box != noBox, Checked: i.checked})
	}
	return set, true
}

// pairs are labels and their descriptions, the lowest first.
type pairs struct {
	v             *screen
	labels, texts []item
	lined         bool // only a line to their left shows that two rows are one option
}

// add adds the pair whose description is at a row, and moves on to the row above it. It reports
// false if no pair is there that looks like the others.
func (p *pairs) add(y *int) bool {
	at := *y
	if len(p.labels) > 0 && at > 0 && blank(unframed(p.v.text(at))) {
		at--
	}
	if at < 1 {
		return false
	}
	text, ok := p.v.item(at, 0, bytesMax)
	label, also := p.v.item(at-1, 0, bytesMax)
	if !ok || !also || text.pointer != 0 || text.id != "" || text.box != noBox || text.from < label.from {
		return false
	}
	if text.from == label.from && (p.v.styleOf(text.part) == p.v.styleOf(label.part) || !p.v.isDim(text.part)) {
		if !text.side || !label.side {
			return false // two options, or two rows of a text
		}
		p.lined = true
	}
	if n := len(p.labels); n > 0 && (!label.like(p.labels[0]) || text.from != p.texts[0].from) {
		return false
	}
	p.labels, p.texts = append(p.labels, label), append(p.texts, text)
	*y = at - 2
	return true
}

// mark returns the index of the marked option, or -1. styled reports that a line or the style of
// the label shows it.
func (p *pairs) mark() (at int, styled bool) {
	pointers, sides := 0, 0
	parts := make([]part, len(p.labels))
	pointed, lined := -1, -1
	for n, i := range p.labels {
		parts[n] = i.part
		if i.pointer != 0 {
			pointers, pointed = pointers+1, n
		}
		if i.side && p.texts[n].side {
			sides, lined = sides+1, n
		}
	}
	switch {
	case pointers == 1:
		return pointed, false
	case pointers > 1:
		return -1, false
	case sides == 1:
		return lined, true
	}
	at, _ = p.v.markedByStyle(parts)
	return at, false
}

// isDim reports whether all of a part is faint or grey.
func (v *screen) isDim(p part) bool {
	dim := true
	v.styles(p, func(s term.Style, _ int) { dim = dim && (s.Faint || s.Fg != 0 && isGrey(s.Fg)) })
	return dim
}

// styleOf returns all properties of a part that a label and its description may differ in.
func (v *screen) styleOf(p part) string {
	var all []string
	for _, t := range traits {
		all = append(all, v.value(p, t))
	}
	return strings.Join(all, "; ")
}
