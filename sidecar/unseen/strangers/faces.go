package strangers

import (
	"fmt"
	"strings"
)

const (
	dim     = "\x1b[2m"
	reverse = "\x1b[7m"
	accent  = "\x1b[36m"
	bar     = "\x1b[48;5;237m"
	plain   = "\x1b[0m"
)

// wrap breaks a text into rows of at most so many columns, between words if it can.
func wrap(text string, columns int) (rows []string) {
	for line := range strings.SplitSeq(text, "\n") {
		for letters := []rune(line); ; {
			if len(letters) <= columns {
				rows = append(rows, string(letters))
				break
			}
			at := strings.LastIndex(string(letters[:columns+1]), " ")
			if at = len([]rune(string(letters[:columns+1])[:max(at, 0)])); at == 0 {
				at = columns
			}
			rows = append(rows, string(letters[:at]))
			letters = []rune(strings.TrimPrefix(string(letters[at:]), " "))
		}
	}
	return rows
}

// pad fills a row with blanks.
func pad(row string, columns int) string {
	return row + strings.Repeat(" ", max(0, columns-len([]rune(row))))
}

// spin is one of the frames.
func (s *session) spin(frames string) string {
	all := []rune(frames)
	return string(all[int(s.worked()/beat)%len(all)])
}

// below is the part of the main screen that an agent draws again and again, below what
// stays as it was written.
type below struct {
	kept int // of what was said
	at   int // the row of the part where the cursor was left
}

// frame erases the part, writes what has been said since as rows that stay, and draws the part anew with the cursor on one of its rows.
func (b *below) frame(stay, part []string, row, column int) string {
	var out strings.Builder
	if b.at > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", b.at)
	}
	out.WriteString("\r\x1b[J")
	for _, text := range stay {
		out.WriteString(text + "\r\n")
	}
	out.WriteString(strings.Join(part, "\r\n"))
	if up := len(part) - 1 - row; up > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", up)
	}
	fmt.Fprintf(&out, "\x1b[%dG", column+1)
	b.at = row
	return out.String()
}

// fresh is what has been said since the last frame.
func (b *below) fresh(s *session) []entry {
	entries := s.said[b.kept:]
	b.kept = len(s.said)
	return entries
}
