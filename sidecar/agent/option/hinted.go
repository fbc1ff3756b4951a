package option

import (
	"strings"
	"unicode/utf8"
)

// hintGap is how many blanks at least stand between buttons and the hint behind them.
const hintGap = 4

// hinted reads buttons that have a hint about keys behind them in the same row, of which the
// ground shows the marked one.
func (v *screen) hinted(y int) (Set, bool) {
	text := v.text(y)
	if v.shown || !hint().MatchString(text) {
		return Set{}, false
	}
	gap, from := strings.Repeat(" ", hintGap), 0
	for range buttonsMax {
		at := strings.Index(text[from:], gap)
		if at < 0 {
			break
		}
		at += from
		from = len(text) - len(strings.TrimLeft(text[at:], " "))
		if hint().MatchString(text[:at]) || !hint().MatchString(text[at:]) {
			break
		}
		if set, ok := v.hintedUpTo(y, columns(text[:at])); ok {
			return set, true
		}
	}
	return Set{}, false
}

// hintedUpTo reads the buttons to the left of a column.
func (v *screen) hintedUpTo(y, right int) (Set, bool) {
	all, _ := v.buttonsIn(y, 0, right)
	if len(all) < 2 {
		return Set{}, false
	}
	at, clear := v.lit(parts(all))
	if at < 0 || !clear {
		return Set{}, false
	}
	text, detail := v.barred(y)
	if len(text) == 0 {
		text, _ = v.above(y, 0, bytesMax)
	}
	set := across("buttons before a hint", text, all, at)
	set.Detail = join(detail)
	return set, len(text) > 0
}

// barred returns the text above a row that has a line to its left, as far as that line goes:
// its first rows up to a blank one, and all that follow.
func (v *screen) barred(y int) (text, detail []string) {
	column, side := v.bar(y)
	if side == 0 {
		return nil, nil
	}
	first := y
	for first > 0 {
		if at, r := v.bar(first - 1); at != column || r != side {
			break
		}
		first--
	}
	rest := false
	for ; first < y; first++ {
		row := strings.TrimSpace(unframed(v.text(first)))
		switch {
		case row == "":
			rest = rest || len(text) > 0
		case rest || len(text) == textRows:
			rest, detail = true, append(detail, row)
		default:
			text = append(text, row)
		}
	}
	return text, detail
}

// bar returns the line that a row begins with and its column, 0 if it begins with none.
func (v *screen) bar(y int) (column int, side rune) {
	text := v.text(y)
	rest := strings.TrimLeft(text, " ")
	if r, _ := utf8.DecodeRuneInString(rest); strings.ContainsRune("│┃║▌▏", r) {
		return len(text) - len(rest), r
	}
	return 0, 0
}
