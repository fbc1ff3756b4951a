package option

import (
	"strings"
	"unicode/utf8"
)

// hintGap is how many blanks at least stand between buttons and the hint to their right: buttons
// have fewer between them.
const hintGap = 4

// buttonsWithHint reads buttons that have a hint about keys to their right in the same row. Their
// background shows the marked one.
func (v *screen) buttonsWithHint(y int) (Set, bool) {
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
		if set, ok := v.buttonsUpTo(y, columns(text[:at])); ok {
			return set, true
		}
	}
	return Set{}, false
}

// buttonsUpTo reads the buttons to the left of a column.
func (v *screen) buttonsUpTo(y, right int) (Set, bool) {
	all, _ := v.buttonsIn(y, 0, right)
	if len(all) < 2 {
		return Set{}, false
	}
	at, clear := v.markedByStyle(parts(all))
	if at < 0 || !clear {
		return Set{}, false
	}
	text, detail := v.textBesideBar(y)
	if len(text) == 0 {
		text, _ = v.above(y, 0, bytesMax)
	}
	set := horizontalSet("buttons before a hint", text, all, at)
	set.Detail = join(detail)
	return set, len(text) > 0
}

// textBesideBar returns the text above a row that has a line to its left, as far up as that line
// goes. The rows up to the first blank one are the text, and all later rows are the detail.
func (v *screen) textBesideBar(y int) (text, detail []string) {
	column, side := v.barOf(y)
	if side == 0 {
		return nil, nil
	}
	first := y
	for first > 0 {
		if at, r := v.barOf(first - 1); at != column || r != side {
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

// barOf returns the line that a row begins with, and its column. It returns 0 if there is none.
func (v *screen) barOf(y int) (column int, side rune) {
	text := v.text(y)
	rest := strings.TrimLeft(text, " ")
	if r, _ := utf8.DecodeRuneInString(rest); strings.ContainsRune("│┃║▌▏", r) {
		return len(text) - len(rest), r
	}
	return 0, 0
}
