package option

import "strings"

// waiting matches a prompt after which nothing was typed yet. An h alone has brought up the list
// of keys of an expanding prompt.
var waiting = expression(`[?:›»…>)]\s*$|\sh ?$`)

// listedBelow reads a numbered or lettered list below the cursor's row, in which one of its
// entries is typed. Only hints stand below the list.
func listedBelow(v *screen) (Set, bool) {
	if !v.shown || !blank(v.after) || v.row >= v.last || !waiting().MatchString(v.before) || !wants().MatchString(strings.TrimSpace(v.before)) {
		return Set{}, false
	}
	list, end := entries{}, v.row+1
	for ; end <= v.last && len(list.all) <= optionsMax; end++ {
		row := split(strings.TrimSpace(v.text(end)))
		if len(row) == 0 {
			break
		}
		list.all = append(list.all, row...)
		list.dotted = list.dotted || dottedLetter().MatchString(strings.TrimSpace(v.text(end)))
	}
	for ; end <= v.last; end++ {
		if row := v.text(end); !blank(row) && !hint().MatchString(row) {
			return Set{}, false
		}
	}
	set := Set{Rule: "a numbered list below the cursor", Marked: -1, Text: join([]string{v.before}), Options: inOrder(list)}
	return set, len(set.Options) >= 2
}
