package profile

import (
	"strings"
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
