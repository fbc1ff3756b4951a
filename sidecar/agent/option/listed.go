package option

import (
	"strconv"
	"strings"
)

var (
	// choosing fits what asks for one of the things above it.
	choosing = expression(`(?i)^#\? $|\?\s*$|\b(?:choice|choose|select(?:ion)?|pick|options?|number|which|answer|enter an?|\d+ ?(?:-|to|\.\.) ?\d+)\b.*[\])?:>]\s*$`)
	// entry fits the beginning of an entry of a list: 1) 1. [1] (1) 1: a) b.
	entry = expression(`^(?:\[(\d{1,3}|[a-zA-Z])\]|\((\d{1,3}|[a-zA-Z])\)|(\d{1,3})[).:]|([a-zA-Z])\))(?:\s+|$)`)
	// next fits the gap before a further entry of the same row.
	next = expression(`(?:\s{2,}|\t)(\d{1,3}\) )`)
)

// listed reads a numbered list above the cursor's row, which asks for one of its entries.
func listed(v *screen) (Set, bool) {
	if !blank(v.after) || v.row < v.last {
		return Set{}, false
	}
	prompt := v.before
	if !choosing().MatchString(prompt) {
		return Set{}, false
	}
	end := v.row
	if end > 0 && blank(v.text(end-1)) {
		end--
	}
	table := map[int]string{}
	var plain []Option
	first := end
	for ; first > 0 && end-first < optionsMax; first-- {
		entries := split(strings.TrimSpace(v.text(first - 1)))
		if len(entries) == 0 {
			break
		}
		for i := len(entries) - 1; i >= 0; i-- {
			o := entries[i]
			plain = append(plain, o)
			if n, err := strconv.Atoi(o.ID); err == nil {
				table[n] = o.Label
			}
		}
		if entries[0].ID == "1" || entries[0].ID == "a" || entries[0].ID == "A" {
			first--
			break
		}
	}
	above, top := v.above(first, 0, bytesMax)
	if first < end && first > 0 && blank(v.text(first-1)) && len(above) > 0 && !strings.HasSuffix(above[len(above)-1], ":") && !strings.HasSuffix(above[len(above)-1], "?") {
		above, top = nil, first // what stands over the gap is not about the list
	}
	set := Set{Rule: "a numbered list before the cursor", Marked: -1, Text: join(append(above, strings.TrimSpace(prompt)))}
	for y := top; y < v.row; y++ {
		set.Rows = append(set.Rows, v.text(y))
	}
	set.Options = inOrder(plain, table)
	return set, len(set.Options) >= 2
}

// split returns the entries of one row: several if they stand in columns.
func split(row string) (all []Option) {
	for row != "" {
		g := entry().FindStringSubmatch(row)
		if g == nil {
			return nil
		}
		key, rest := g[1]+g[2]+g[3]+g[4], row[len(g[0]):]
		row = ""
		if at := next().FindStringSubmatchIndex(rest); at != nil && strings.HasSuffix(strings.TrimSpace(g[0]), ")") && !strings.HasPrefix(g[0], "(") {
			rest, row = rest[:at[0]], rest[at[2]:]
		}
		all = append(all, Option{ID: key, Label: strings.TrimSpace(rest), Type: key})
	}
	return all
}

// inOrder returns the entries from the first to the last: those with numbers if they count
// from 1 (or end with 0) without a gap, those with letters as they stand.
func inOrder(plain []Option, table map[int]string) (all []Option) {
	if len(table) == 0 {
		for i := len(plain) - 1; i >= 0; i-- {
			all = append(all, plain[i])
		}
		for i := range all[:max(len(all)-1, 0)] {
			if all[i+1].ID <= all[i].ID {
				return nil
			}
		}
		return all
	}
	if len(table) != len(plain) {
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
