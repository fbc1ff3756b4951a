package option

import (
	"slices"
	"strconv"
	"strings"
)

var (
	// choosing matches a prompt that asks for one of the entries above it. Bash's select asks only
	// with "#? ".
	choosing = expression(`(?i)\?\s*$|\b(?:choices?|choose|select(?:ion)?|pick|options?|number|which|answer|enter an?|\d+ ?(?:-|to|\.\.) ?\d+)\b.*[\])?:>]\s*$`)
	// inWords matches any prompt in words. It is enough below a list that stands in columns.
	inWords = expression(`^\S[^$#]*\p{L}[:>?]{1,2} ?$`)
	// introduces matches a row that ends a question or announces a list.
	introduces = expression(`[:?]$`)
	// entry matches the beginning of an entry of a list: 1) 1. [1] (1) 1: 1 - a) A. and a keycap.
	entry = expression(`^(?:\[(\d{1,3}|[a-zA-Z])\]|\((\d{1,3}|[a-zA-Z])\)|(\d{1,3})(?:[).:]| [-–—]|\x{fe0f}?\x{20e3})|([a-zA-Z])[).])(?:\s+|$)`)
	// next matches the gap before a further entry of the same row.
	next = expression(`(?:\s{2,}|\t)(\d{1,3}[).:] )`)
	// rating matches a prompt that asks for a number.
	rating = expression(`(?i)[?:>]\s*$|\b(?:choice|choose|select|pick|option|number|which|answer|enter|rate)\b`)
	// between matches a range of numbers: [1-4], (1..4).
	between = expression(`[\[(](\d{1,2}) ?(?:-|–|\.\.|to) ?(\d{1,2})[\])]\s*[?:>]?\s*$`)
)

// rangeMax is how many numbers of a range are offered: a longer one asks for a number and not for
// one of a few choices.
const rangeMax = 12

// listed reads a numbered or lettered list above the cursor's row, which asks for one of its
// entries.
func listed(v *screen) (Set, bool) {
	if !blank(v.after) || v.row < v.last {
		return Set{}, false
	}
	prompt := v.before
	known := choosing().MatchString(prompt)
	if !known && !inWords().MatchString(prompt) {
		return Set{}, false
	}
	end := v.row
	if end > 0 && blank(v.text(end-1)) {
		end--
	}
	list, first := v.entriesAbove(end)
	above, top := v.above(first, 0, bytesMax)
	if known && first < end && first > 0 && blank(v.text(first-1)) && len(above) > 0 && !introduces().MatchString(above[len(above)-1]) {
		above, top = nil, first // the text above the gap is not about the list
	}
	set := Set{Rule: "a numbered list before the cursor", Marked: -1, Text: join(append(above, strings.TrimSpace(prompt)))}
	for y := top; y < v.row; y++ {
		set.Rows = append(set.Rows, v.text(y))
	}
	set.Options = inOrder(list)
	return set, len(set.Options) >= 2 && (known || list.columns && len(above) > 0)
}

// entries are the entries of a list as they stand on the screen.
type entries struct {
	all     []Option
	columns bool // several stand in one row
	dotted  bool // letters have a dot after them, as initials and abbreviations do
}

// entriesAbove returns the entries in the rows that end above a row, and the first of these rows.
func (v *screen) entriesAbove(end int) (list entries, first int) {
	for first = end; first > 0 && end-first < optionsMax; first-- {
		row := split(strings.TrimSpace(v.text(first - 1)))
		if len(row) == 0 {
			break
		}
		list.add(row)
		list.dotted = list.dotted || dottedLetter().MatchString(strings.TrimSpace(v.text(first-1)))
		if row[0].ID == "1" {
			first--
			break
		}
	}
	slices.Reverse(list.all)
	return list, first
}

// dottedLetter matches an entry that begins with a letter and a dot.
var dottedLetter = expression(`^[a-zA-Z]\. `)

// add adds the entries of the row above those that are known; the last comes first.
func (l *entries) add(row []Option) {
	slices.Reverse(row)
	l.all = append(l.all, row...)
	slices.Reverse(row)
	l.columns = l.columns || len(row) > 1
}

// split returns the entries of one row. There are several if they stand in columns.
func split(row string) (all []Option) {
	for row != "" {
		g := entry().FindStringSubmatch(row)
		if g == nil {
			return nil
		}
		key, rest := g[1]+g[2]+g[3]+g[4], row[len(g[0]):]
		row = ""
		if at := next().FindStringSubmatchIndex(rest); at != nil && g[3] != "" {
			rest, row = rest[:at[0]], rest[at[2]:]
		}
		all = append(all, Option{ID: key, Label: strings.TrimSpace(rest), Type: key})
	}
	return all
}

// inOrder returns the entries of a list from the first to the last. Numbers have to count from 1
// without a gap, in any order on the screen; a 0 comes last. Letters with a dot have to follow
// one another from a; any other letters are keys and keep their order.
func inOrder(list entries) (all []Option) {
	table := map[int]string{}
	for i, o := range list.all {
		if n, err := strconv.Atoi(o.ID); err == nil {
			table[n] = o.Label
		} else if list.dotted && !strings.EqualFold(o.ID, string(rune('a'+i))) {
			return nil
		}
	}
	if len(table) == 0 {
		return list.all
	}
	if len(table) != len(list.all) {
		return nil
	}
	for n := 1; len(all) < len(table); n++ {
		label, ok := table[n]
		if !ok {
			break
		}
		all = append(all, Option{ID: strconv.Itoa(n), Label: label, Type: strconv.Itoa(n)})
	}
	if zero, ok := table[0]; ok {
		all = append(all, Option{ID: "0", Label: zero, Type: "0"})
	}
	if len(all) != len(table) {
		return nil
	}
	return all
}

// ranged reads a range of numbers before the cursor: Your choice [1-4].
func ranged(v *screen) (Set, bool) {
	if !blank(v.after) || v.row < v.last || !rating().MatchString(v.before) {
		return Set{}, false
	}
	g := between().FindStringSubmatch(v.before)
	if g == nil {
		return Set{}, false
	}
	from, _ := strconv.Atoi(g[1]) // at most two digits
	to, _ := strconv.Atoi(g[2])
	if from > 1 || to <= from || to-from >= rangeMax {
		return Set{}, false
	}
	above, _ := v.above(v.row, 0, bytesMax)
	set := Set{Rule: "a range of numbers before the cursor", Marked: -1, Text: join(append(above, v.before))}
	for n := from; n <= to; n++ {
		set.typed(strconv.Itoa(n), strconv.Itoa(n))
	}
	return set, true
}
