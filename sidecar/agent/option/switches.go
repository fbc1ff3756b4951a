package option

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

var (
	// either matches what stands between strokes at the end of a row: no / yes.
	either = expression(`(?:^|[›‣»…:?│┃] +)([●○◉◯]? ?[^/|?:›‣│┃]{1,24}?(?: [/|] [●○◉◯]? ?[^/|?:›‣│┃]{1,24}?){1,5})\s*$`)
	// stroke matches what separates the words.
	stroke = expression(` [/|] `)
)

// switches reads words between strokes: no / yes, of which one is underlined, and ● Yes / ○ No.
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
		at, _ = v.markedWord(all)
	} else if solids > 1 {
		at = -1
	}
	above := []string{strings.TrimSpace(unframed(text[:g[2]]))}
	if above[0] == "" {
		above, _ = v.above(y, 0, bytesMax)
	}
	set := horizontalSet("words of one row", above, all, at)
	return set, at >= 0 && len(all) >= 2 && set.Text != ""
}

// markedWord returns the index of the word whose style marks it, or -1. It compares the words with
// the terminal's own style: another text may stand to the left of them.
func (v *screen) markedWord(all []choice) (at int, clear bool) {
	for _, t := range traits {
		if t.plain == "" {
			t.plain = t.of(term.Style{})
		}
		if at := v.differing(parts(all), t); at >= 0 {
			return at, t.clear
		}
	}
	return -1, false
}
