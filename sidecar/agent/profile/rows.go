package profile

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Blank reports whether a row shows nothing.
func Blank(row string) bool { return strings.Trim(row, " \u00a0\t") == "" }

// JoinRows joins rows to one line.
func JoinRows(rows []string) string {
	return strings.Join(strings.Fields(strings.Join(rows, " ")), " ")
}

// dedent removes the blanks that all rows begin with, the blanks at their ends, and
// the empty rows at both ends.
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

// messageMax bounds, in bytes, how much of an agent's message is kept.
const messageMax = 4 << 10

// CleanMessage cuts an agent's message to 4 KiB, between characters, and removes what
// is not safe to show to people, in logs and on terminals.
func CleanMessage(s string) string {
	return strings.ReplaceAll(text.Strip(text.Cut(s, messageMax)), "\ufffd", "")
}
