package profile

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// blank says whether nothing can be seen in a row.
func blank(row string) bool { return strings.Trim(row, " \u00a0\t") == "" }

// joinRows makes one line of rows.
func joinRows(rows []string) string {
	return strings.Join(strings.Fields(strings.Join(rows, " ")), " ")
}

// dedent takes away the blanks that all rows begin with, the blanks at their
// ends, and the empty rows at both ends.
func dedent(rows []string) string {
	margin := -1
	for i, r := range rows {
		rows[i] = strings.TrimRight(r, " ")
		if rows[i] == "" {
			continue
		}
		if n := len(rows[i]) - len(strings.TrimLeft(rows[i], " ")); margin < 0 || n < margin {
			margin = n
		}
	}
	for i, r := range rows {
		rows[i] = r[min(max(margin, 0), len(r)):]
	}
	return strings.Trim(strings.Join(rows, "\n"), "\n")
}

// clipText cuts a text at n bytes, between runes.
func clipText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// cellsOf is how many columns a rune takes, near enough to cut a row at the
// cursor.
func cellsOf(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
